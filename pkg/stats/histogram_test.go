package stats

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestHistogramQuantilesAreWithinOnePercent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		exponents := rapid.SliceOfN(rapid.Float64Range(-5.9, 8.9), 1, 300).Draw(t, "exponents")
		p := rapid.Float64Range(0, 1).Draw(t, "p")
		var h Histogram
		values := make([]float64, len(exponents))
		for i, e := range exponents {
			values[i] = math.Pow(10, e)
			h.Add(values[i])
		}
		slices.Sort(values)
		want := values[max(1, int(math.Ceil(p*float64(len(values)))))-1]
		if got := h.Quantile(p); math.Abs(got-want) > bucketError*want*(1+1e-9) {
			t.Fatalf("quantile %v is %v, the values say %v", p, got, want)
		}
	})
}

func TestHistogramAtItsEnds(t *testing.T) {
	var h Histogram
	require.True(t, math.IsNaN(h.Quantile(.5)))
	h.Add(math.NaN())
	require.Zero(t, h.Count())
	for range 3 {
		h.Add(12)
	}
	require.InDelta(t, 12, h.Quantile(.99), 0, "equal values are told exactly")
	require.True(t, math.IsNaN(h.Quantile(1.1)))

	var ends Histogram
	for _, v := range []float64{-5, 0, 1e-9, 1e12, math.Inf(1)} {
		ends.Add(v)
	}
	require.EqualValues(t, 5, ends.Count())
	require.InDelta(t, 0, ends.Quantile(.5), 0)
	require.True(t, math.IsInf(ends.Quantile(1), 1))

	var early Histogram
	early.Add(-3)
	require.InDelta(t, -3, early.Quantile(1), 0)
}
