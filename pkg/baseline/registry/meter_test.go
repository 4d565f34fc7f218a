package registry

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// step is a load step of so many blocks on each arm, of ten seconds each.
func step(number, pairs int) swap.StepManifest {
	m := swap.StepManifest{Step: number, Spec: swap.Step{Concurrency: 8 * number}}
	for b := range 2 * pairs {
		plan := swap.BlockPlan{Step: number, Block: b + 1, Arm: swap.Arms[b%2], Pair: b/2 + 1}
		m.Blocks = append(m.Blocks, swap.BlockResult{BlockPlan: plan, Started: noon, MeasuredMS: 10_000})
	}
	return m
}

func answer(b swap.BlockResult, ms float64, tokens int32) rawlog.Record {
	first, last := int64(ms*1e3), int64(ms*2e3)
	return rawlog.Record{
		Step: int32(b.Step), Block: int32(b.Block), Arm: string(b.Arm), Measured: true, Outcome: string(swap.OK),
		FirstUS: &first, LastUS: &last, OutputTokens: &tokens,
	}
}

func TestMeter(t *testing.T) {
	manifests := []swap.StepManifest{step(1, 10), step(2, 2)}
	random := rand.New(rand.NewPCG(1, 2))
	meter := NewMeter(manifests, swap.Candidate)
	var all []float64
	for _, b := range manifests[0].Blocks {
		for range 100 {
			r := answer(b, 100*math.Exp(.3*random.NormFloat64()), 20)
			if b.Arm == swap.Candidate {
				all = append(all, float64(*r.FirstUS)/1e3)
			}
			meter.Add([]rawlog.Record{r})
		}
	}
	candidate := manifests[0].Blocks[1]
	failed, abandoned, settling, stray := answer(candidate, 1, 5), answer(candidate, 1, 5), answer(candidate, 1, 5), answer(candidate, 1, 5)
	failed.Outcome, abandoned.Outcome, settling.Measured, stray.Block = string(swap.HTTP5xx), string(swap.Abandoned), false, 99
	meter.Add([]rawlog.Record{failed, abandoned, settling, stray})

	levels := meter.Levels()
	require.Len(t, levels, 2)
	l := levels[0]
	require.Equal(t, "concurrency 8", l.Label)
	require.Equal(t, 1001, l.Requests)
	require.Equal(t, 1, l.Failed)
	require.InDelta(t, 100, l.Seconds, 0)
	require.InDelta(t, 1000*20/100, l.Throughput.Or(0), 1e-9)
	require.InDelta(t, 200, l.ThroughputLow.Or(0), 1e-9, "all blocks are alike")
	ttft, ok := l.Metric(swap.MetricTTFT)
	require.True(t, ok)
	require.Equal(t, 1000, ttft.N)
	want := stats.Quantiles(append(all, math.Inf(1)), .5, .95, .99)
	require.InDeltaSlice(t, want, []float64{ttft.P50.Or(0), ttft.P95.Or(0), ttft.P99.Or(0)}, 1e-9)
	require.Greater(t, ttft.P95High.Or(0), ttft.P95.Or(0))
	require.Less(t, ttft.P95High.Or(0), 1.2*ttft.P95.Or(0))
	require.InEpsilon(t, ttft.P95.Or(0), ttft.Histogram.Quantile(.95), .03)
	tokens, _ := l.Metric(swap.MetricOutputTokens)
	require.InDelta(t, 20, tokens.P99.Or(0), 1e-9, "a failed request has no answer length")
	require.Len(t, l.Blocks, 10)
	require.Equal(t, 101, l.Blocks[0].Requests)
	require.InDelta(t, 2000, l.Blocks[0].Tokens.Or(0), 1e-9)
	require.Equal(t, 100, l.Blocks[1].Metrics[0].N)

	empty := levels[1]
	require.False(t, empty.ErrorRate.Valid() || empty.Throughput.Valid() || empty.ThroughputLow.Valid())
	m, _ := empty.Metric(swap.MetricE2E)
	require.False(t, m.P50.Valid() || m.P99High.Valid() || m.Mean.Valid())

	data, err := json.Marshal(levels)
	require.NoError(t, err)
	require.Less(t, len(data), 40_000, "an entry stays small")
	var back []Level
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, levels, back)
	_, ok = l.Metric("colour")
	require.False(t, ok)
}

// The upper bound holds as often as it says.
func TestUpperBoundCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	truth := math.Exp(.3 * stats.NormalQuantile(.95))
	covered := 0
	const runs = 200
	for range runs {
		blocks := make([][]float64, 10)
		for k := range blocks {
			for range 100 {
				blocks[k] = append(blocks[k], math.Exp(.3*random.NormFloat64()))
			}
		}
		if upperQuantile(stats.Pool(blocks), len(blocks), .95).Or(0) >= truth {
			covered++
		}
	}
	require.InDelta(t, boundLevel, float64(covered)/runs, .05)
}
