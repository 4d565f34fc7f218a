package kube

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/traffic"
)

// Account is where Kubernetes mounts the service account of a pod.
const Account = "/var/run/secrets/kubernetes.io/serviceaccount"

// maxCredential is far above any token or bundle of certificates.
const maxCredential = 1 << 20

// InCluster returns the client of the cluster that this process runs in, which uses the pod's service account. The token is
// read again for each call, because Kubernetes replaces it while the pod runs. getenv and account are os.Getenv and Account
// outside of tests; timeout bounds a call.
func InCluster(getenv func(string) string, account string, timeout time.Duration) (*Client, error) {
	host, port := getenv("KUBERNETES_SERVICE_HOST"), getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return nil, fmt.Errorf("%w: this worker does not run in a Kubernetes pod; give the route an admin_url", traffic.ErrUnsupported)
	}
	hc, err := Trusting(filepath.Join(account, "ca.crt"), timeout)
	if err != nil {
		return nil, err
	}
	token := func() (string, error) {
		data, err := read(filepath.Join(account, "token"))
		return strings.TrimSpace(string(data)), err
	}
	return NewClient("https://"+net.JoinHostPort(host, port), token, hc)
}

// Trusting returns an HTTP client that takes a server's certificate only from the authorities in a PEM file. It keeps no
// connection between calls, so there is nothing to close; timeout bounds a call.
func Trusting(file string, timeout time.Duration) (*http.Client, error) {
	pem, err := read(file)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%w: %s holds no certificate in PEM form", traffic.ErrUnsupported, file)
	}
	return &http.Client{Timeout: timeout, Transport: &http.Transport{
		Proxy:             http.ProxyFromEnvironment,
		TLSClientConfig:   &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		DisableKeepAlives: true,
	}}, nil
}

func read(file string) ([]byte, error) {
	f, err := os.Open(file) //nolint:gosec // the worker's operator names the file, or Kubernetes mounts it
	if err != nil {
		return nil, fmt.Errorf("%w: %w", traffic.ErrUnsupported, err)
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, maxCredential))
}
