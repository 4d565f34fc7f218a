package activities

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load"
	simengine "github.com/swapgate/swapgate/pkg/sim/engine"
	"github.com/swapgate/swapgate/pkg/swap"
)

func warmUpInput(s *site, arm swap.Arm) swap.WarmUpInput {
	return swap.WarmUpInput{Spec: s.spec, Arm: arm, Facts: s.facts().Get(arm)}
}

func TestWarmUpMeasuresTheFirstRequestApart(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(p *plan) {
		p.engines.Candidate.Cold = simengine.ColdStart{Requests: 1, Extra: swap.Duration(80 * time.Millisecond)}
	})
	c := start[swap.WarmUpResult](t, s, swap.ActivityWarmUp, warmUpInput(s, swap.Candidate))
	got, err := c.wait(t)
	require.NoError(t, err)
	require.Equal(t, swap.Candidate, got.Arm)
	require.GreaterOrEqual(t, got.Requests, s.spec.WarmUp.MinRequests)
	require.LessOrEqual(t, got.Requests, s.spec.WarmUp.MaxRequests)
	require.Equal(t, swap.OutcomeCounts{swap.OK: got.Requests}, got.Outcomes)
	require.Greater(t, got.ColdTTFTms.Or(0), 80.0)
	require.Less(t, got.HotTTFTms.Or(1e9), got.ColdTTFTms.Or(0))
	require.Positive(t, got.HotTPOTms.Or(0))
	require.Contains(t, []string{load.EndedStable, load.EndedMaxRequests}, got.Ended)
	require.Equal(t, got.Requests, s.served(swap.Candidate))
	require.Zero(t, s.served(swap.Baseline), "one arm is warmed up at a time")
	require.Equal(t, "requests", c.progress(t)[0].What)
	require.Equal(t, s.spec.WarmUp.MaxRequests, c.progress(t)[0].Total)
}

func TestWarmUpOfADeadServerIsAResult(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.crash(swap.Baseline)
	s.spec.WarmUp.MaxDuration = swap.Duration(300 * time.Millisecond)
	got := mustRun[swap.WarmUpResult](t, s, swap.ActivityWarmUp, warmUpInput(s, swap.Baseline))
	require.False(t, got.Stable)
	require.False(t, got.ColdTTFTms.Valid())
	require.False(t, got.HotTTFTms.Valid(), "no number is absent, not 0")
	require.False(t, got.HotTPOTms.Valid())
	require.Equal(t, got.Requests, got.Outcomes.Failed()+got.Outcomes[swap.Abandoned])
}

func TestWarmUpStopsAtOnceWhenCancelled(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.spec.WarmUp.MinRequests, s.spec.WarmUp.MaxRequests = 100_000, 100_000
	s.spec.WarmUp.MaxDuration = swap.Duration(time.Hour)
	c := start[swap.WarmUpResult](t, s, swap.ActivityWarmUp, warmUpInput(s, swap.Baseline))
	eventually(t, "traffic", func() bool { return s.served(swap.Baseline) > 5 })
	began := time.Now()
	c.cancel()
	_, err := c.wait(t)
	requireCancelled(t, err)
	require.Less(t, time.Since(began), time.Second)
}

func TestWarmUpRefusesWhatItCannotAsk(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	in := warmUpInput(s, swap.Baseline)
	in.Spec.Workload.PromptFile = "/nowhere/prompts.jsonl"
	_, err := run[swap.WarmUpResult](t, s, swap.ActivityWarmUp, in)
	requireType(t, err, TypeInvalidRequest, false)
}
