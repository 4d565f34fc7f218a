package gateways

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/haproxy"
	"github.com/swapgate/swapgate/pkg/traffic/nginx"
)

func TestHAProxyIsOpenedByItsSocketOrItsAPI(t *testing.T) {
	section := swap.HAProxy{Backend: "llm", Baseline: []string{"b"}, Candidate: []string{"c"}}
	_, err := Open(swap.Route{Kind: swap.RouteHAProxy}, "", nil, nil)
	require.ErrorIs(t, err, traffic.ErrUnsupported)
	_, err = Open(swap.Route{Kind: swap.RouteHAProxy, HAProxy: &section}, "", nil, nil)
	require.ErrorIs(t, err, traffic.ErrUnsupported, "neither socket nor API")
	got, err := Open(swap.Route{Kind: swap.RouteHAProxy, HAProxy: &section, AdminURL: "http://h:5555"}, "", nil, nil)
	require.NoError(t, err)
	require.IsType(t, &haproxy.Gateway{}, got)
	section.Socket = "tcp://h:1"
	got, err = Open(swap.Route{Kind: swap.RouteHAProxy, HAProxy: &section}, "", nil, nil)
	require.NoError(t, err)
	require.IsType(t, &haproxy.Gateway{}, got)
}

func TestNGINXIsOpened(t *testing.T) {
	_, err := Open(swap.Route{Kind: swap.RouteNGINX}, "", nil, nil)
	require.ErrorIs(t, err, traffic.ErrUnsupported)
	got, err := Open(swap.Route{Kind: swap.RouteNGINX, NGINX: &swap.NGINX{
		File: "/f", Upstream: "llm", Baseline: []string{"b:1"}, Candidate: []string{"c:1"}, Config: "/c", PIDFile: "/p",
	}}, "", nil, nil)
	require.NoError(t, err)
	require.IsType(t, &nginx.Gateway{}, got)
}
