package gateways

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

func TestRoutesThatCannotBeOpened(t *testing.T) {
	_, err := Open(swap.Route{Kind: "abacus", AdminURL: "http://x"}, "", nil, nil)
	require.ErrorIs(t, err, traffic.ErrUnsupported)
	require.ErrorContains(t, err, "swapgate")
	_, err = Open(swap.Route{Kind: swap.RouteSwapgate}, "", nil, nil)
	require.ErrorIs(t, err, traffic.ErrUnsupported)
	_, err = Open(swap.Route{Kind: swap.RouteSwapgate, AdminURL: "https://x"}, "", nil, nil)
	require.NoError(t, err)
}
