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

func TestEmpiricalQuantileMatchesTypeOne(t *testing.T) {
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(i + 1)
	}
	tests := []struct {
		name    string
		sorted  []float64
		p, want float64
	}{
		{"the middle of four is the second", []float64{1, 2, 3, 4}, .5, 2},
		{"just above it the third", []float64{1, 2, 3, 4}, .51, 3},
		{"nothing is below the lowest", []float64{1, 2, 3, 4}, 0, 1},
		{"everything is the highest", []float64{1, 2, 3, 4}, 1, 4},
		{"0.07·100 is 7 in spite of binary arithmetic", hundred, .07, 7},
		{"0.29·100 too", hundred, .29, 29},
		{"P99 of a hundred", hundred, .99, 99},
		{"ties", []float64{1, 5, 5, 5, 9}, .75, 5},
		{"an infinite tail", []float64{1, 2, math.Inf(1)}, .99, math.Inf(1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, EmpiricalQuantile(tt.sorted, tt.p)) //nolint:testifylint // exact: it is one of the values
		})
	}
	require.True(t, math.IsNaN(EmpiricalQuantile(nil, .5)))
	require.True(t, math.IsNaN(EmpiricalQuantile(hundred, -.1)))
	require.True(t, math.IsNaN(EmpiricalQuantile(hundred, math.NaN())))
}

func TestEmpiricalQuantileInvertsTheDistributionFunction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-10, 10), 1, 60).Draw(t, "values")
		slices.Sort(values)
		p := rapid.Float64Range(0, 1).Draw(t, "p")
		q := EmpiricalQuantile(values, p)
		atMost, below := 0, 0
		for _, v := range values {
			if v <= q {
				atMost++
			}
			if v < q {
				below++
			}
		}
		n := float64(len(values))
		if float64(atMost)/n < p-1e-12 || below > 0 && float64(below)/n >= p {
			t.Fatalf("%v is not the %v-quantile: %d below, %d at most", q, p, below, atMost)
		}
	})
}

func TestQuantileRanksMatchReference(t *testing.T) {
	tests := []struct {
		n         int
		p, level  float64
		low, high int
	}{
		{368, .99, .95, 360, 368},
		{367, .99, .95, 359, 368}, // no finite upper bound
		{1000, .99, .95, 983, 997},
		{4000, .99, .95, 3947, 3973},
		{299, .99, .90, 293, 299}, // the least n with a one-sided 95 % bound
		{298, .99, .90, 292, 299},
		{10, .5, .95, 2, 9},   // the table of the sign test
		{5, .5, .95, 0, 6},    // too few for either side
		{368, .01, .95, 1, 9}, // the mirror of P99
	}
	for _, tt := range tests {
		low, high, ok := QuantileRanks(tt.n, tt.p, tt.level)
		require.True(t, ok)
		require.Equal(t, []int{tt.low, tt.high}, []int{low, high}, "%+v", tt)
	}
	for _, bad := range []struct {
		n        int
		p, level float64
	}{{0, .5, .95}, {-3, .5, .95}, {10, 0, .95}, {10, 1, .95}, {10, .5, 1}, {10, .5, 0}, {10, math.NaN(), .95}, {10, .5, math.NaN()}} {
		_, _, ok := QuantileRanks(bad.n, bad.p, bad.level)
		require.False(t, ok, "%+v", bad)
	}
}

func TestQuantileIntervalSaysWhereItHasNoBound(t *testing.T) {
	values := make([]float64, 368)
	for i := range values {
		values[i] = float64(i + 1)
	}
	low, high := QuantileInterval(values, .99, .95)
	require.Equal(t, []float64{360, 368}, []float64{low, high})
	low, high = QuantileInterval(values[:367], .99, .95)
	require.InDelta(t, 359, low, 0)
	require.True(t, math.IsInf(high, 1))
	low, high = QuantileInterval(values[:3], .5, .95)
	require.True(t, math.IsInf(low, -1) && math.IsInf(high, 1))
	for _, bad := range [][]float64{nil, {math.NaN(), 1, 2}} {
		low, high = QuantileInterval(bad, .5, .95)
		require.True(t, math.IsNaN(low) && math.IsNaN(high))
	}
}

func TestQuantileRanksMissNoMoreThanTheyMay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "n")
		p, level := rapid.Float64Range(.01, .99).Draw(t, "p"), rapid.Float64Range(.5, .99).Draw(t, "level")
		low, high, ok := QuantileRanks(n, p, level)
		if !ok || low < 0 || high > n+1 || low >= high {
			t.Fatalf("%d %d %v", low, high, ok)
		}
		miss := (1 - level) / 2
		if at := binomialAtMost(n, low-1, p); at > miss+1e-10 {
			t.Fatalf("misses %v below", at)
		}
		if at := 1 - binomialAtMost(n, high-1, p); at > miss+1e-10 {
			t.Fatalf("misses %v above", at)
		}
		if low < n && binomialAtMost(n, low, p) < miss-1e-10 || high > 1 && 1-binomialAtMost(n, high-2, p) < miss-1e-10 {
			t.Fatalf("%d to %d is wider than it needs to be", low, high)
		}
		mirrorLow, mirrorHigh, _ := QuantileRanks(n, 1-p, level)
		if mirrorLow != n+1-high && mirrorHigh != n+1-low {
			t.Fatalf("%d to %d, and %d to %d from above", low, high, mirrorLow, mirrorHigh)
		}
	})
}

// binomialAtMost adds up the probabilities one by one.
func binomialAtMost(n, k int, p float64) float64 {
	logFactorial := func(k int) float64 {
		value, _ := math.Lgamma(float64(k) + 1)
		return value
	}
	sum := 0.0
	for i := 0; i <= k; i++ {
		ways := logFactorial(n) - logFactorial(i) - logFactorial(n-i)
		sum += math.Exp(ways + float64(i)*math.Log(p) + float64(n-i)*math.Log(1-p))
	}
	return sum
}
