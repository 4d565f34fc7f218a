package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/sim/gateway"
	"github.com/swapgate/swapgate/pkg/swap"
)

func TestSimGatewayFlagsNameTheModelsOfTheServers(t *testing.T) {
	f := simGatewayFlags{arms: swap.PerArm[gateway.Upstream]{
		Baseline:  gateway.Upstream{URL: "http://a:1"},
		Candidate: gateway.Upstream{URL: "http://b:1", Model: "new"},
	}}
	cfg, err := f.resolve()
	require.NoError(t, err)
	require.Equal(t, f.arms, cfg.Upstreams)
	require.Equal(t, swap.AllBaseline, cfg.Weights)

	f.config = "gateway.json"
	_, err = f.resolve()
	require.ErrorContains(t, err, "not both")
}
