package activities

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// As many requests are in flight as fill the wanted share of the smaller KV cache.
func TestAShareOfTheKVCacheBecomesAConcurrency(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(p *plan) { p.engines.Candidate.KVTokens = 16 * 1024 })
	step := &s.spec.Load.Steps[0]
	step.Rate, step.KVShare = 0, 0.005
	got := mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
	require.Equal(t, "KV 0.5 % = concurrency 8", got.Label)
	manifest, _ := readStep(t, s, got)
	require.InDelta(t, 0.005*16*1024/10, manifest.Spec.Concurrency, 1, "8 tokens of prompt, and half of 4 of the answer")
}

func TestAKVShareNeedsToKnowTheCache(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	step := &s.spec.Load.Steps[0]
	step.Rate, step.KVShare = 0, 0.5
	in := loadStepInput(s)
	in.Facts.Candidate.MetricsPage = ""
	_, err := start[swap.StepResult](t, s, swap.ActivityLoadStep, in).wait(t)
	requireType(t, err, TypeInvalidRequest, false)
	require.ErrorContains(t, err, "candidate")
}

// A step ends at the limit of KV use, with both blocks of its pair.
func TestAFullKVCacheEndsTheStep(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.spec.Load.Limits.KVUsage = 1e-6
	got := mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
	require.Equal(t, swap.EndedLimit, got.Ended.Code)
	require.Contains(t, got.Ended.Message, "KV")
	require.Equal(t, 2, got.Blocks)
}

// Requests that fill the context have the KV cache looked at, on each arm.
func TestAFilledContextHasItsCacheChecked(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	in := loadStepInput(s)
	in.Facts.Baseline.MaxModelLen, in.Facts.Candidate.MaxModelLen = swap.Of(12), swap.Of(12)
	got := mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, in)
	require.Len(t, got.Findings, 2)
	plain := mustRun[swap.StepResult](t, newSite(t), swap.ActivityLoadStep, loadStepInput(s))
	require.Empty(t, plain.Findings)
}
