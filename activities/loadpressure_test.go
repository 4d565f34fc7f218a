package activities

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/ensemble"
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

// What the pages say in a round that was void is not counted in the block that is driven again.
func TestAVoidRoundLeavesNoPressure(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var usage, pages atomic.Int64
	in := loadStepInput(s)
	in.Facts.Baseline.URL = serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		pages.Add(1)
		w.Header().Set("Content-Type", "text/plain")
		_, _ = fmt.Fprintf(w, "# TYPE vllm:kv_cache_usage_perc gauge\nvllm:kv_cache_usage_perc 0.%02d\n", usage.Load())
	}), nil)
	in.Spec.Load.Limits.KVUsage = 0.99
	p, err := watchPressure(t.Context(), s.deps.HTTP, in, s.spec.Workload)
	require.NoError(t, err)
	defer p.close()
	readings := func(percent int64) ensemble.Part {
		return ensemble.Part{Drive: func(context.Context, ensemble.Turn) (ensemble.SliceResult, error) {
			usage.Store(percent)
			before := pages.Load()
			eventually(t, "the page is read in the round", func() bool { return pages.Load() > before+3 })
			return ensemble.SliceResult{}, nil
		}}
	}
	turn := ensemble.Turn{Block: swap.BlockPlan{Step: 1, Block: 1, Arm: swap.Baseline}}
	for round, percent := range []int64{90, 30} {
		turn.Round = round + 1
		_, err := p.watching(readings(percent)).Drive(t.Context(), turn)
		require.NoError(t, err)
		usage.Store(30)
		before := pages.Load()
		eventually(t, "the round is over", func() bool { return pages.Load() > before+1 })
	}
	kv, _ := p.taken(swap.Baseline)
	require.Equal(t, swap.Of(0.3), kv)
	require.Equal(t, swap.Of(0.3), p.peak.Baseline)
}
