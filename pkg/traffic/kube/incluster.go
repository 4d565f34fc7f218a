package kube

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/httpapi"
)

// Account is where Kubernetes mounts the service account of a pod.
const Account = "/var/run/secrets/kubernetes.io/serviceaccount"

// InCluster returns the client of the cluster that this process runs in, which uses the pod's service account. The token is
// read again for each call, because Kubernetes replaces it while the pod runs. getenv and account are os.Getenv and Account
// outside of tests; timeout bounds a call.
func InCluster(getenv func(string) string, account string, timeout time.Duration) (*Client, error) {
	host, port := getenv("KUBERNETES_SERVICE_HOST"), getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return nil, fmt.Errorf("%w: this worker does not run in a Kubernetes pod; give the route an admin_url", traffic.ErrUnsupported)
	}
	hc, err := httpapi.Trusting(filepath.Join(account, "ca.crt"), timeout)
	if err != nil {
		return nil, err
	}
	token := func() (string, error) {
		data, err := httpapi.ReadFile(filepath.Join(account, "token"))
		return strings.TrimSpace(string(data)), err
	}
	return NewClient("https://"+net.JoinHostPort(host, port), token, hc)
}
