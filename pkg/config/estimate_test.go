package config

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestEstimateOfTheDefaults(t *testing.T) {
	spec, err := Parse("swap.yaml", []byte(minimal+
		"rollout: {route: {kind: swapgate, url: http://g, admin_url: http://g:1}, windows_per_weight: 2}\n"), nil)
	require.NoError(t, err)
	e := Estimate(spec)
	require.Equal(t, 16, e.BlocksPerArm)
	require.False(t, e.RequestsPerArm.Valid(), "a closed loop sends what the servers answer")
	require.Equal(t, "21m20s", e.Load.String(), "2 arms × 16 blocks × 40 s")
	require.Equal(t, "4m0s", e.WarmUp.String())
	require.Equal(t, "10m0s", e.Rollout.String(), "5 weights × 2 windows")
	require.Equal(t, "35m20s", e.Duration.String())
	require.Equal(t, `step 1: concurrency 8, 4 blocks per arm, as many requests as the servers answer, 5m20s
step 2: concurrency 16, 4 blocks per arm, as many requests as the servers answer, 5m20s
step 3: concurrency 32, 4 blocks per arm, as many requests as the servers answer, 5m20s
step 4: concurrency 64, 4 blocks per arm, as many requests as the servers answer, 5m20s
load: 16 blocks per arm, as many requests as the servers answer, 21m20s
warm-up: at most 4m
rollout: 10m without extensions and approvals
total: about 35m20s`, e.String())
}

func TestEstimateOfAnOpenLoop(t *testing.T) {
	load := swap.Load{Block: 10e9, Settle: 2e9, Steps: []swap.Step{{Rate: 2.5, Hold: 100e9}, {Rate: 10, Hold: 50e9}}}
	e := Estimate(swap.Spec{Load: load})
	require.Equal(t, 15, e.BlocksPerArm)
	require.Equal(t, swap.Of(750), e.RequestsPerArm)
	require.Equal(t, StepEstimate{
		Label: "rate 2.5/s", BlocksPerArm: 10, RequestsPerArm: swap.Of(250), Duration: 240e9,
	}, e.Steps[0])
	require.Equal(t, swap.Duration(360e9), e.Duration)

	load.Steps[1] = swap.Step{Concurrency: 4, Hold: 50e9}
	require.False(t, Estimate(swap.Spec{Load: load}).RequestsPerArm.Valid(), "one closed step hides the total")
}
