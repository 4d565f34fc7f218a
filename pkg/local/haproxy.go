package local

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// HAProxyBackend is the backend of StartHAProxy; its servers have the names of the arms.
const HAProxyBackend = "llm"

// haproxyConfig has one backend with a server for each arm. It names the arm that answered, as probes need.
const haproxyConfig = `global
    stats socket %[1]s mode 600 level admin
    maxconn 4000
defaults
    mode http
    timeout connect 2s
    timeout client 1m
    timeout server 1m
frontend clients
    bind %[2]s
    default_backend %[3]s
backend %[3]s
    balance roundrobin
    http-response set-header %[4]s %%s
    server baseline %[5]s weight 100
    server candidate %[6]s weight 0
`

// HAProxy is a running HAProxy with all traffic on the baseline.
type HAProxy struct {
	*Child
	// URL is what clients use, Socket the path of the runtime API.
	URL, Socket string
}

// StartHAProxy starts the haproxy of this machine, of Debian's package haproxy, in front of two servers. The socket's path is
// limited to about 100 bytes, so dir must be short.
func StartHAProxy(ctx context.Context, dir string, servers swap.PerArm[string]) (*HAProxy, error) {
	path, err := exec.LookPath("haproxy")
	if err != nil {
		return nil, fmt.Errorf("start HAProxy: %w; install the package haproxy", err)
	}
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	socket, file := filepath.Join(dir, "haproxy.sock"), filepath.Join(dir, "haproxy.cfg")
	host := func(url string) string { return strings.TrimPrefix(url, "http://") }
	text := fmt.Sprintf(haproxyConfig, socket, address, HAProxyBackend, swap.ArmHeader, host(servers.Baseline), host(servers.Candidate))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, fmt.Errorf("start HAProxy: %w", err)
	}
	h := &HAProxy{URL: "http://" + address, Socket: socket}
	h.Child, err = StartServer(ctx, Command{
		Name: "HAProxy", Path: path, Args: []string{"-db", "-f", file}, LogFile: filepath.Join(dir, "haproxy.log"),
	}, h.URL+"/v1/models")
	return h, err
}
