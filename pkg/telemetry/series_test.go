package telemetry

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func at(second int, s Sample) Sample {
	s.TimeUnixNS = int64(second) * int64(time.Second)
	return s
}

func TestSeries(t *testing.T) {
	tokens := func(v float64) Sample {
		return Sample{Source: "engine", Arm: "baseline", Metric: GenerationTokensTotal, Origin: "a", Value: v}
	}
	power := func(gpu string, v float64) Sample {
		return Sample{Source: "nvml", Metric: GPUPowerW, GPU: gpu, Value: v}
	}
	renamed := tokens(500)
	renamed.Origin = "b"
	samples := []Sample{
		at(2, tokens(300)), at(0, tokens(100)), at(4, tokens(10)), at(6, tokens(30)), at(8, renamed),
		at(0, power("1", 70)), at(0, power("0", 60)), at(1, power("0", 61)),
	}
	got := Series(samples)
	require.Empty(t, cmp.Diff([]TimeSeries{
		{
			Source: "engine", Arm: swap.Baseline, Metric: "generation_tokens_per_s", Resets: 1,
			Points: []Point{{time.Unix(2, 0), 100}, {time.Unix(6, 0), 10}},
		},
		{Source: "nvml", GPU: "0", Metric: GPUPowerW, Points: []Point{{time.Unix(0, 0), 60}, {time.Unix(1, 0), 61}}},
		{Source: "nvml", GPU: "1", Metric: GPUPowerW, Points: []Point{{time.Unix(0, 0), 70}}},
	}, got))
	require.Equal(t, at(2, tokens(300)), samples[0], "the input keeps its order")
	require.Empty(t, Series(nil))
}

func TestRatesAreNeverNegativeAndIgnoreOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 1e12), 1, 50).Draw(t, "values")
		samples := make([]Sample, len(values))
		resets := 0
		for i, v := range values {
			samples[i] = at(i, Sample{Metric: PromptTokensTotal, Value: v})
			if i > 0 && v < values[i-1] {
				resets++
			}
		}
		want := Series(samples)
		rand.New(rand.NewPCG(1, uint64(len(values)))).Shuffle(len(samples), func(i, j int) {
			samples[i], samples[j] = samples[j], samples[i]
		})
		require.Equal(t, want, Series(samples))
		require.Len(t, want, 1)
		require.Equal(t, resets, want[0].Resets)
		require.Len(t, want[0].Points, len(values)-1-resets)
		for _, p := range want[0].Points {
			require.GreaterOrEqual(t, p.Value, 0.0)
		}
	})
}

func TestIncrease(t *testing.T) {
	for _, c := range []struct {
		prev, next, grown float64
		reset             bool
	}{{1, 3, 2, false}, {3, 3, 0, false}, {3, 1, 0, true}, {0, 0, 0, false}} {
		grown, reset := Increase(c.prev, c.next)
		require.Equal(t, c.reset, reset)
		require.InDelta(t, c.grown, grown, 0)
	}
}
