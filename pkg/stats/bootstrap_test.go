package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPooledQuantileWithEqualWeightsIsTheQuantile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(0, 100), 0, 400), 1, 5).Draw(t, "blocks")
		q := rapid.Float64Range(0, 1).Draw(t, "q")
		pooled := Pool(blocks)
		weights := make([]float64, len(blocks))
		for i := range weights {
			weights[i] = 1
		}
		got, want := pooled.Quantile(weights, q), Quantile(pooled.Sorted(), q)
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("quantile %v: got %v, want %v", q, got, want)
		}
	})
}

func TestPooledQuantileWithWholeWeightsRepeatsBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(0, 100), 1, 300), 1, 5).Draw(t, "blocks")
		weights := make([]float64, len(blocks))
		var repeated []float64
		for k := range blocks {
			times := rapid.IntRange(0, 3).Draw(t, "times")
			weights[k] = float64(times)
			for range times {
				repeated = append(repeated, blocks[k]...)
			}
		}
		q := rapid.Float64Range(0, 1).Draw(t, "q")
		got, want := Pool(blocks).Quantile(weights, q), Quantiles(repeated, q)[0]
		if math.Abs(got-want) > 1e-9 || math.IsNaN(got) != math.IsNaN(want) {
			t.Fatalf("quantile %v: got %v, want %v", q, got, want)
		}
	})
}

func TestPooledQuantileKeepsInfinities(t *testing.T) {
	pooled := Pool([][]float64{{1, 2, math.Inf(1)}, {3, 4}})
	require.True(t, math.IsInf(pooled.Quantile([]float64{1, 1}, 1), 1))
	require.InDelta(t, 4, pooled.Quantile([]float64{0, 1}, 1), 0)
	require.True(t, math.IsNaN(pooled.Quantile([]float64{0, 0}, .5)))
	require.True(t, math.IsNaN(Pool([][]float64{{}}).Quantile([]float64{1}, .5)))
}

func TestMergeSinglesLeavesNoGroupOfOne(t *testing.T) {
	for _, c := range []struct {
		name      string
		in, wants Strata
	}{
		{"nothing to do", Strata{7, 7, 9, 9}, Strata{0, 0, 1, 1}},
		{"last joins the one before", Strata{1, 1, 2}, Strata{0, 0, 0}},
		{"first joins the one after", Strata{1, 2, 2, 3, 3}, Strata{0, 0, 0, 1, 1}},
		{"all single", Strata{1, 2, 3}, Strata{0, 0, 0}},
		{"interleaved", Strata{1, 2, 1, 2}, Strata{0, 1, 0, 1}},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.wants, c.in.MergeSingles()) })
	}
}

func TestBootstrapVarianceOfASumIsUnbiasedInSmallGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	strata := Strata{0, 0, 0, 1, 1}
	num, den := make([]float64, len(strata)), []float64{1, 1, 1, 1, 1}
	for k := range num {
		num[k] = random.NormFloat64()
	}
	replicates := Bootstrap(strata, 20000, 3, func(w []float64) float64 {
		top, bottom := 0.0, 0.0
		for k := range w {
			top += w[k] * num[k]
			bottom += w[k] * den[k]
		}
		return top / bottom
	})
	_, se := RatioOfSums(num, den, strata)
	require.InDelta(t, se, math.Sqrt(squaredDeviations(replicates)/float64(len(replicates))), .02*se)
}

func TestBootstrapIsReproducible(t *testing.T) {
	sum := func(w []float64) float64 { return w[0] + 2*w[1] + 3*w[2] }
	strata := Strata{0, 0, 0}
	first := Bootstrap(strata, 50, 7, sum)
	require.Equal(t, first, Bootstrap(strata, 50, 7, sum))
	require.NotEqual(t, Bootstrap(strata, 50, 7, sum), Bootstrap(strata, 50, 8, sum))
}

func BenchmarkPooledQuantile(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	blocks := make([][]float64, 40)
	weights := make([]float64, len(blocks))
	for k := range blocks {
		weights[k] = float64(k % 3)
		for range 2500 {
			blocks[k] = append(blocks[k], random.ExpFloat64())
		}
	}
	pooled := Pool(blocks)
	for b.Loop() {
		pooled.Quantile(weights, .5)
	}
}
