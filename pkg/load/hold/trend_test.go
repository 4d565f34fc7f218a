package hold

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

func TestMannKendall(t *testing.T) {
	tests := []struct {
		name   string
		values []float64
		tau, p float64
	}{
		// By hand: S = 15, variance 6·5·17/18 = 28.33, z = 14/√28.33.
		{"a perfect rise", []float64{1, 2, 3, 4, 5, 6}, 1, 0.008535},
		{"a perfect fall", []float64{6, 5, 4, 3, 2, 1}, -1, 0.008535},
		// S = 10 of 15 pairs with one tie of two: variance 28.33 − 1.
		{"ties", []float64{1, 2, 2, 3, 5, 4}, 12. / 15, 0.035369},
		{"a cold first block", []float64{9, 1, 3, 2, 4, 1.5, 3.5, 2.5}, -2. / 28, 0.901538},
		{"all equal", []float64{2, 2, 2, 2, 2, 2}, 0, 1},
		{"one value", []float64{2}, 0, 1},
		{"nothing", nil, 0, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := mannKendall(tt.values)
			require.InDelta(t, tt.tau, got.tau, 1e-9)
			require.InDelta(t, tt.p, got.p, 1e-5)
		})
	}
}

func TestATrendDoesNotDependOnTheScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(1, 1e4), 2, 30).Draw(t, "values")
		logs := make([]float64, len(values))
		for k, v := range values {
			logs[k] = 3*math.Log(v) - 7
		}
		if mannKendall(values).p < mannKendall(logs).p-1e-9 {
			t.Fatalf("%+v and %+v", mannKendall(values), mannKendall(logs))
		}
	})
}

// Stationary values are rarely taken for a trend; correlated ones are more often, which only prolongs a step.
func TestTrendOfSteadyBlocks(t *testing.T) {
	share := func(phi float64) float64 {
		found := 0
		for run := range uint64(2000) {
			g := process{requests: 1, sigma: 0, blockSigma: 1, blockPhi: phi}.start(seeded(run))
			values := make([]float64, 10)
			for k := range values {
				values[k] = g.block()[0]
			}
			found += asInt(mannKendall(values).p < trendLevel)
		}
		return float64(found) / 2000
	}
	require.InDelta(t, trendLevel, share(0), 0.03, "the test is a little cautious in few blocks")
	require.Greater(t, share(0.6), share(0))
}

// A drift is overlooked less and less often the steeper it is, and a warm, stationary arm passes.
func TestHowOftenAStepIsCalledSteady(t *testing.T) {
	steady := func(p process) int {
		n := 0
		for run := range uint64(25) {
			_, end := drive(extended(swap.SteadyTrend, 4, 20), both(p), seeded(run))
			n += asInt(end.Code == swap.EndedSteady)
		}
		return n
	}
	drift := func(perBlock float64) process {
		p := typical(400)
		p.drift = perBlock
		return p
	}
	heavy := typical(400)
	heavy.spike = 0.01
	got := map[string]int{"stationary": steady(typical(400)), "2 %": steady(drift(0.02)), "5 %": steady(drift(0.05)), "spikes": steady(heavy)}
	t.Log(got)
	require.Greater(t, got["stationary"], 21)
	require.Less(t, got["2 %"], 16)
	require.Less(t, got["5 %"], 4)
	require.Less(t, got["spikes"], 3, "a P99 that lies where the spikes begin is known badly")
}

func TestTheIntervalOfTheP99Covers(t *testing.T) {
	truth := stats.LogNormal{Mu: math.Log(400), Sigma: 0.5}
	p99 := math.Exp(truth.Mu + truth.Sigma*stats.NormalQuantile(tailQuantile))
	tests := []struct {
		name   string
		blocks int
		p      process
	}{
		{"independent", 10, process{requests: 300, sigma: 0.5}},
		{"correlated", 10, typical(300)},
		{"many blocks", 30, typical(100)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const runs = 150
			missed := 0
			for run := range uint64(runs) {
				g := tt.p.start(seeded(run))
				blocks := make([][]float64, tt.blocks)
				for k := range blocks {
					blocks[k] = g.block()
				}
				i := intervalOf(blocks, tailQuantile, 0.95)
				missed += asInt(math.Abs(i.quantile-p99) > i.width*i.quantile)
			}
			t.Logf("missed %.3f", float64(missed)/runs)
			require.Less(t, float64(missed)/runs, 0.085)
		})
	}
}

func TestMergeTopAgreesWithAFullSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := process{sigma: 1}.start(seeded(rapid.Uint64().Draw(t, "seed")))
		blocks := make([][]float64, rapid.IntRange(1, 6).Draw(t, "blocks"))
		for k := range blocks {
			g.requests = rapid.IntRange(0, 200).Draw(t, "requests")
			blocks[k] = g.block()
		}
		q := rapid.Float64Range(0.5, 0.999).Draw(t, "q")
		at := rapid.Float64Range(2*q-1, 1).Draw(t, "at")
		want, got := stats.Quantile(stats.Pool(blocks).Sorted(), at), mergeTop(blocks, 2*(1-q)).quantile(at)
		if math.IsNaN(want) != math.IsNaN(got) || math.Abs(want-got) > 1e-9*want {
			t.Fatalf("want %v, got %v", want, got)
		}
	})
}

func TestCVNoise(t *testing.T) {
	// The least requests in a window for a CV below 0.15 by chance alone, for four spreads.
	for sigma, requests := range map[float64]int{0.3: 56, 0.5: 155, 0.8: 397, 1: 620} {
		require.InDelta(t, requests, CVRequests(0.15, sigma), 1)
		require.InDelta(t, 0.15, CVNoise(requests, sigma), 0.001)
	}
	require.Empty(t, CVHint(155, 0.15))
	require.Equal(t, "with 1 request a block, chance alone makes a steady P99 vary by about 187 %; the cv rule needs 155 or more",
		CVHint(1, 0.15))
}
