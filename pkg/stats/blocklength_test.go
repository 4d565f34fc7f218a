package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// autoregressive is an AR(1) of unit innovations that starts in its stationary distribution.
func autoregressive(seed uint64, n int, phi float64) []float64 {
	random := rand.New(rand.NewPCG(seed, 0xa1))
	series := make([]float64, n)
	level := random.NormFloat64() / math.Sqrt(1-phi*phi)
	for i := range series {
		series[i] = level
		level = phi*level + random.NormFloat64()
	}
	return series
}

func TestBlockLengthAndVarianceInflationOfAutoregression(t *testing.T) {
	tests := []struct {
		phi, circular, vif, tolerance float64
	}{
		{0, 1, 1, .05},
		{.5, 22.0, 3, .1},
		{.9, 81.4, 19, .15},
	}
	for _, tt := range tests {
		lengths, inflations := 0.0, 0.0
		const series = 60
		for seed := range uint64(series) {
			x := autoregressive(seed, 4000, tt.phi)
			length, ok := OptimalBlockLength(x)
			require.True(t, ok)
			vif, ok := VarianceInflation(x)
			require.True(t, ok)
			lengths += length.Circular / series
			inflations += vif / series
			require.LessOrEqual(t, length.Stationary, length.Circular)
		}
		t.Logf("φ=%v: block length %.1f, variance inflation %.2f", tt.phi, lengths, inflations)
		require.InEpsilon(t, tt.circular, lengths, max(.25, tt.tolerance), "φ=%v", tt.phi)
		require.InEpsilon(t, tt.vif, inflations, tt.tolerance, "φ=%v", tt.phi)
	}
}

func TestAlternationNeedsBlocksButInflatesNothing(t *testing.T) {
	x := autoregressive(1, 4000, -.5)
	vif, ok := VarianceInflation(x)
	require.True(t, ok)
	require.InDelta(t, 1./3, vif, .1)
	length, ok := OptimalBlockLength(x)
	require.True(t, ok)
	require.Greater(t, length.Circular, 5.)
}

func TestAutocorrelationByHand(t *testing.T) {
	rho, ok := Autocorrelation([]float64{1, 2, 3, 4}, 3)
	require.True(t, ok)
	require.InDeltaSlice(t, []float64{1, .25, -.3, -.45}, rho, 1e-12)
}

func TestSearchForSignificantCorrelationsEndsAfterFiveOthers(t *testing.T) {
	require.Equal(t, 1, lastSignificantLag([]float64{1, .8, .1, .05, .05, .05, .05, .9, .9}, 100))
	require.Equal(t, 0, lastSignificantLag([]float64{1, .1, .1, .1, .1, .1, .9}, 100))
	require.Equal(t, 3, lastSignificantLag([]float64{1, .1, .1, .9}, 100))
}

func TestFlatTopKernel(t *testing.T) {
	require.InDelta(t, 1, flatTop(.5), 0)
	require.InDelta(t, .5, flatTop(.75), 1e-12)
	require.InDelta(t, 0, flatTop(1), 0)
}

func TestDependenceOfWhatCannotTell(t *testing.T) {
	series := func(n int, at float64) []float64 {
		x := autoregressive(3, n, 0)
		x[n/2] = at
		return x
	}
	for name, x := range map[string][]float64{
		"nothing":         nil,
		"one value":       {1},
		"eight values":    series(8, 0),
		"a constant":      make([]float64, 100),
		"not a number":    series(100, math.NaN()),
		"infinity":        series(100, math.Inf(1)),
		"minus infinity":  series(100, math.Inf(-1)),
		"too far to tell": series(100, math.MaxFloat64),
	} {
		_, ok := OptimalBlockLength(x)
		require.False(t, ok, name)
		_, ok = VarianceInflation(x)
		require.False(t, ok, name)
	}
	for _, lag := range []int{-1, 10} {
		_, ok := Autocorrelation(series(10, 0), lag)
		require.False(t, ok)
	}
	tenths := make([]float64, 100)
	for i := range tenths {
		tenths[i] = .1
	}
	_, ok := Autocorrelation(tenths, 1)
	require.False(t, ok, "the mean of tenths is not exactly a tenth, yet nothing varies")
}

func TestDependenceDoesNotDependOnTheScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		phi := rapid.Float64Range(-.9, .9).Draw(t, "phi")
		x := autoregressive(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(9, 400).Draw(t, "n"), phi)
		scaled, reversed := make([]float64, len(x)), make([]float64, len(x))
		for i, v := range x {
			scaled[i], reversed[len(x)-1-i] = 7-3*v, v
		}
		length, ok := OptimalBlockLength(x)
		if !ok || length.Stationary < 1 || length.Circular < length.Stationary || length.Circular > math.Ceil(float64(len(x))/3) {
			t.Fatalf("%+v", length)
		}
		for _, y := range [][]float64{scaled, reversed} {
			other, _ := OptimalBlockLength(y)
			if math.Abs(other.Circular-length.Circular) > 1e-6*length.Circular {
				t.Fatalf("%+v and %+v", length, other)
			}
		}
	})
}

func TestAutocorrelationIsWithinOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), 2, 60).Draw(t, "x")
		rho, ok := Autocorrelation(x, len(x)-1)
		if !ok {
			return
		}
		sum := 0.0
		for k, r := range rho {
			if math.Abs(r) > 1+1e-9 {
				t.Fatalf("ρ(%d) = %v", k, r)
			}
			sum += r
		}
		if math.Abs(sum-.5) > 1e-6 {
			t.Fatalf("all correlations add up to %v, not one half", sum)
		}
	})
}

func BenchmarkOptimalBlockLength(b *testing.B) {
	x := autoregressive(1, 100_000, .9)
	for b.Loop() {
		if _, ok := OptimalBlockLength(x); !ok {
			b.Fatal("no length")
		}
	}
}

func TestVarianceInflationIsNeverNegative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-1, 1), 9, 40).Draw(t, "x")
		for i := range x {
			x[i] += 3 * float64(i%2)
		}
		if vif, ok := VarianceInflation(x); ok && !(vif > 0) {
			t.Fatalf("variance inflation %v", vif)
		}
	})
	alternating := make([]float64, 100)
	for i := range alternating {
		alternating[i] = float64(i % 2)
	}
	vif, ok := VarianceInflation(alternating)
	require.True(t, !ok || vif < .1, "%v", vif)
}
