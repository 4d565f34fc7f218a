package config

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestEstimateOfTheDefaults(t *testing.T) {
	spec, err := Parse("swap.yaml", []byte(minimal+
		"rollout: {route: {kind: swapgate, url: http://g, admin_url: http://g:1}, windows_per_weight: 2, steps: [], settle: 0s}\n"), nil)
	require.NoError(t, err)
	e := Estimate(spec)
	require.Equal(t, 16, e.BlocksPerArm)
	require.Equal(t, Requests{}, e.RequestsPerArm, "a closed loop sends what the servers answer")
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
	require.Equal(t, exactly(750), e.RequestsPerArm)
	require.Equal(t, StepEstimate{
		Label: "2.5 req/s", BlocksPerArm: 10, RequestsPerArm: exactly(250), Duration: 240e9, Longest: 240e9,
	}, e.Steps[0])
	require.Equal(t, swap.Duration(360e9), e.Duration)

	require.Equal(t, e.Load, e.LongestLoad, "nothing is prolonged")
	require.Equal(t, e.Duration, e.Longest)
	require.NotContains(t, e.String(), "prolong")

	load.Steps[1] = swap.Step{Concurrency: 4, Hold: 50e9}
	require.Equal(t, Requests{Least: 250}, Estimate(swap.Spec{Load: load}).RequestsPerArm, "one closed step can add any number")
	require.Equal(t, Requests{}, Estimate(swap.Spec{}).RequestsPerArm, "nothing is planned")
}

func TestEstimateOfRatesThatChange(t *testing.T) {
	load := swap.Load{Block: 30e9, Settle: 10e9}
	hold := 2 * load.Block
	for name, c := range map[string]struct {
		step swap.Step
		// want is the number of requests in the two blocks of an arm.
		want float64
	}{
		"constant": {swap.Step{Rate: 4}, 240},
		"ramp":     {swap.Step{Rate: 4, Ramp: &swap.Ramp{From: 2}}, 195},
		"falling":  {swap.Step{Rate: 2, Ramp: &swap.Ramp{From: 4}}, 165},
		"spike":    {swap.Step{Rate: 4, Spike: &swap.Spike{Rate: 10, After: 5e9, For: 6e9}}, 2 * (4*24 + 10*6)},
		// The ramp alone would give 6 s · 2.9 req/s in the time of the spike.
		"ramp and spike": {
			swap.Step{Rate: 4, Ramp: &swap.Ramp{From: 2}, Spike: &swap.Spike{Rate: 10, After: 5e9, For: 6e9}}, 195 + 2*6*(10-2.9),
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.step.Hold = hold
			load.Steps = []swap.Step{c.step}
			n, known := Estimate(swap.Spec{Load: load}).RequestsPerArm.Get()
			require.True(t, known)
			require.InDelta(t, c.want, n, 1e-9)

			units := swap.Spec{Load: load, Workload: swap.Workload{Topology: &swap.Topology{Shape: swap.ShapeStar, Size: 5}}}
			n, _ = Estimate(units).RequestsPerArm.Get()
			require.InDelta(t, 5*c.want, n, 1e-9)
		})
	}
}

func TestEstimateNamesTheLongestLoad(t *testing.T) {
	spec, err := Parse("swap.yaml", []byte(minimal+`load:
  extend: {max_hold: 5m}
  steps: [{rate: 40, ramp: {from: 20}, hold: 3m}, {kv_share: 0.9, hold: 5m}]
`), nil)
	require.NoError(t, err)
	e := Estimate(spec)
	require.Equal(t, e.Steps[1].Duration, e.Steps[1].Longest, "it is as long as it can be")
	require.Equal(t, `step 1: 20 → 40 req/s, 6 blocks per arm, about 5850 requests per arm, 8m to 13m20s as load.extend prolongs
step 2: KV 90 %, 10 blocks per arm, as many requests as the servers answer, 13m20s
load: 16 blocks per arm, at least about 5850 requests per arm, by how fast the servers answer, 21m20s to 26m40s as load.extend prolongs
warm-up: at most 4m
total: about 25m20s to 30m40s as load.extend prolongs`, e.String())
}
