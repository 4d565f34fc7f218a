package own

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/swap"
)

func explainedRun(t *testing.T, r Recording) swap.Comparison {
	t.Helper()
	c := judge.Decide(r.Evidence(gates(), settings()))
	r.Explain(&c, &swap.Reaction{Scenario: swap.ScenarioFinance}, settings())
	return c
}

func TestOneRunIsExplainedAsWhenItWasMeasured(t *testing.T) {
	folder := store(t, 12, 1.5)
	r, err := ReadPath(folder)
	require.NoError(t, err)
	c := explainedRun(t, r)
	require.Equal(t, 12*perBlock, c.Jitter.Arms.Baseline.Requests)
	require.InDelta(t, 51, c.Attribution.DeltaMS.Or(0), 5, "half of 100 ms more, times the mean of the noise")
	require.NotNil(t, c.Reaction)
	require.Len(t, c.Reaction.Steps, 1)
	require.Equal(t, "concurrency 8", r.Steps()[0].Label)
	require.Equal(t, 12*perBlock, r.Steps()[0].Planned.Candidate)

	swapped, err := ReadPath(folder)
	require.NoError(t, err)
	swapped.Swap()
	other := explainedRun(t, swapped)
	require.InDelta(t, -c.Attribution.DeltaMS.Or(0), other.Attribution.DeltaMS.Or(0), 1e-9)
	require.Equal(t, c.Jitter.Arms.Baseline, other.Jitter.Arms.Candidate)
}

func TestRunsOfOursKeepTheirJitter(t *testing.T) {
	r, err := ReadPath(store(t, 12, 1))
	require.NoError(t, err)
	base, cand := r.Run(swap.Baseline), r.Run(swap.Candidate)
	v, err := recorded.Judge(swap.PerArm[recorded.Run]{Baseline: base, Candidate: cand}, recorded.Options{
		Gates: gates(), Settings: settings(), Noise: .03,
	})
	require.NoError(t, err)
	require.Equal(t, *base.Jitter, v.Jitter.Arms.Baseline)
	require.Equal(t, *cand.Jitter, v.Jitter.Arms.Candidate)
}

func TestADamagedStepNumberIsNoStep(t *testing.T) {
	r := Recording{Manifests: []swap.StepManifest{{Step: -1}, {Step: 0}, {Step: 2, Spec: swap.Step{Concurrency: 4}}, {Step: 1 << 40}}}
	load := r.load()
	require.Equal(t, []swap.Step{{}, {Concurrency: 4}}, load.Steps)
	require.Empty(t, r.Steps())
}
