package stats

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestQuantileMatchesTypeSeven(t *testing.T) {
	values := []float64{100, 102, 104, 105, 107, 108, 110, 111, 113, 115, 117, 119, 121, 124, 128, 133, 140, 160, 210, 900}
	require.InDelta(t, 107.75, Quantile(values, .25), 1e-12)
	require.InDelta(t, 129.25, Quantile(values, .75), 1e-12)
	require.InDelta(t, 1.75, Quantile([]float64{1, 2, 3, 4}, .25), 1e-12)
	require.InDelta(t, 7, Quantile([]float64{7}, .99), 0)
}

func TestQuantileOfNothingIsNaN(t *testing.T) {
	require.True(t, math.IsNaN(Quantile(nil, .5)))
	require.True(t, math.IsNaN(Quantile([]float64{1}, 1.5)))
	require.True(t, math.IsNaN(Mean(nil)))
}

func TestQuantileKeepsInfinitiesOutOfTheMiddle(t *testing.T) {
	values := []float64{1, 2, 3, math.Inf(1), math.Inf(1)}
	require.InDelta(t, 3, Quantile(values, .5), 0)
	require.True(t, math.IsInf(Quantile(values, .9), 1))
}

func TestQuantileIsMonotoneAndWithinRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1, 50).Draw(t, "values")
		a, b := rapid.Float64Range(0, 1).Draw(t, "a"), rapid.Float64Range(0, 1).Draw(t, "b")
		q := Quantiles(values, min(a, b), max(a, b))
		if q[0] > q[1]+1e-9 {
			t.Fatalf("quantile falls: %v > %v", q[0], q[1])
		}
		if q[0] < slices.Min(values)-1e-9 || q[1] > slices.Max(values)+1e-9 {
			t.Fatalf("quantile outside the values: %v", q)
		}
	})
}
