package httpapi

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/swapgate/swapgate/pkg/traffic"
)

// maxFile is far above any token or bundle of certificates.
const maxFile = 1 << 20

// Trusting returns an HTTP client that takes a server's certificate only from the authorities in a PEM file. It keeps no
// connection between calls, so there is nothing to close; timeout bounds a call.
func Trusting(file string, timeout time.Duration) (*http.Client, error) {
	pem, err := ReadFile(file)
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

// ReadFile reads a credential or certificates from a file of the worker.
func ReadFile(file string) ([]byte, error) {
	f, err := os.Open(file) //nolint:gosec // the worker's operator names the file, or Kubernetes mounts it
	if err != nil {
		return nil, fmt.Errorf("%w: %w", traffic.ErrUnsupported, err)
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, maxFile))
}
