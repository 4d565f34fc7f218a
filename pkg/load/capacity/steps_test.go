package capacity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func ran(step int, s swap.Step, base, cand swap.Value) swap.StepResult {
	return swap.StepResult{
		Step: step, Label: s.Label(), Throughput: swap.PerArm[swap.Value]{Baseline: base, Candidate: cand},
		TTFTP95ms: swap.PerArm[swap.Value]{Baseline: swap.Of(300), Candidate: swap.Of(350)},
	}
}

func TestFromSteps(t *testing.T) {
	long := swap.Lengths{Median: 4000}
	steps := []swap.Step{
		{Concurrency: 8, Hold: 1},
		{Concurrency: 16, Hold: 2},
		{Concurrency: 16, InputTokens: &long},
		{Rate: 4},
		{Concurrency: 32},
		{Rate: 8, Ramp: &swap.Ramp{From: 1}},
		{KVShare: 0.5},
		{Concurrency: 32, InputTokens: &swap.Lengths{Median: 4000}},
		{Concurrency: 64},
	}
	var results []swap.StepResult
	for k, s := range steps[:8] {
		results = append(results, ran(k+1, s, swap.Of(float64(100*(k+1))), swap.Absent()))
	}
	results[4].Ended = swap.StepEnd{Code: swap.EndedLimit, Arm: swap.Candidate}
	results = append(results, swap.StepResult{Step: 12}, swap.StepResult{})

	curves := FromSteps(steps, results)
	var on [][]int
	for _, c := range curves {
		on = append(on, c.Steps)
	}
	require.Equal(t, [][]int{{1, 2, 5}, {3, 8}, {4}, {7}}, on)
	require.Equal(t, []Point{
		{Step: 1, Label: "concurrency 8", Load: 8, Throughput: swap.Of(100), TTFTP95ms: swap.Of(300)},
		{Step: 2, Label: "concurrency 16", Load: 16, Throughput: swap.Of(200), TTFTP95ms: swap.Of(300)},
		{Step: 5, Label: "concurrency 32", Load: 32, Throughput: swap.Of(500), TTFTP95ms: swap.Of(300)},
	}, curves[0].Arms.Baseline)

	found := Of(steps, results)
	require.Len(t, found, 2, "the curves of one step are left out")
	require.Equal(t, []int{1, 2, 5}, found[0].Steps)
	capacity := found[0].Arms
	require.Nil(t, capacity.Baseline.Saturation)
	require.Equal(t, swap.LoadLevel{
		Step: 5, Label: "concurrency 32", Load: swap.Of(32), Throughput: swap.Of(500), TTFTP95ms: swap.Of(300),
	}, *capacity.Baseline.Peak)
	require.Equal(t, "concurrency 32", capacity.Candidate.Saturation.Label)
	require.Equal(t, 5, capacity.Candidate.Saturation.Step)
	require.Nil(t, capacity.Candidate.Peak, "its throughput is unknown")
	require.Equal(t, "a limit ended concurrency 32; no throughput is known", capacity.Candidate.SaturationMessage)
	require.Empty(t, Of(nil, nil))
}
