package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// bearings are the millions of revolutions before failure of Lieblein and Zelen 1956.
var bearings = []float64{
	17.88, 28.92, 33.00, 41.52, 42.12, 45.60, 48.40, 51.84, 51.96, 54.12, 55.56, 67.80, 68.64, 68.64, 68.88, 84.12, 93.12,
	98.64, 105.12, 105.84, 127.92, 128.04, 173.40,
}

func TestWeibullMatchesReference(t *testing.T) {
	fitted, err := EstimateWeibull(bearings)
	require.NoError(t, err)
	require.Equal(t, 23, fitted.N)
	require.InDelta(t, 2.101846863764875, fitted.Distribution.Shape, 1e-12)
	require.InDelta(t, 81.8745587241, fitted.Distribution.Scale, 1e-9)
	require.InDelta(t, -113.6919590877, fitted.LogLikelihood, 1e-9)
	// Standard errors by numeric derivatives in SciPy.
	require.InDelta(t, .328657, fitted.SE.Shape, 2e-6)
	require.InDelta(t, 8.60093, fitted.SE.Scale, 1e-5)
	require.InDelta(t, fitted.LogLikelihood, LogLikelihood(fitted.Distribution, bearings), 1e-9)
}

func TestWeibullAtOneIsExponential(t *testing.T) {
	w, e := Weibull{1, 3}, Exponential{3}
	for _, x := range []float64{-1, 1e-300, .1, 1, 10} {
		require.InDelta(t, e.CDF(x), w.CDF(x), 1e-14)
		require.InDelta(t, math.Exp(e.LogDensity(x)), math.Exp(w.LogDensity(x)), 1e-14)
	}
	require.InDelta(t, 3, w.Mean(), 1e-12)
	require.InDelta(t, 3*math.Ln2, w.Quantile(.5), 1e-12)
	require.True(t, math.IsNaN(w.Quantile(-.1)) && math.IsNaN(w.Quantile(math.NaN())))
}

func TestWeibullIsRecoveredWithinItsStandardError(t *testing.T) {
	truth := Weibull{.7, 40}
	checkRecovery(t, 300, func(random *rand.Rand) []float64 {
		fitted, err := EstimateWeibull(draw(random, 200, truth.Quantile))
		require.NoError(t, err)
		return []float64{
			(fitted.Distribution.Shape - truth.Shape) / fitted.SE.Shape,
			(fitted.Distribution.Scale - truth.Scale) / fitted.SE.Scale,
		}
	})
}

func draw(random *rand.Rand, n int, quantile func(float64) float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = quantile(random.Float64())
	}
	return values
}

// checkRecovery repeats a fit to simulated values, which gives one error per parameter in units of its standard error. They
// must look like standard normal deviates: their mean within 3 of its own standard errors and a bias of a tenth, their
// standard deviation near 1.
func checkRecovery(t *testing.T, repetitions int, deviations func(*rand.Rand) []float64) {
	t.Helper()
	var sums, squares []float64
	for i := range repetitions {
		z := deviations(rand.New(rand.NewPCG(uint64(i), 7)))
		if sums == nil {
			sums, squares = make([]float64, len(z)), make([]float64, len(z))
		}
		for j := range z {
			sums[j] += z[j]
			squares[j] += z[j] * z[j]
		}
	}
	n := float64(repetitions)
	for j := range sums {
		mean := sums[j] / n
		sd := math.Sqrt(squares[j]/n - mean*mean)
		require.InDelta(t, 0, mean, 3/math.Sqrt(n)+.1, "parameter %d is biased", j)
		require.InDelta(t, 1, sd, 3/math.Sqrt(2*n)+.1, "the standard error of parameter %d is wrong", j)
	}
}

func TestWeibullFollowsTheUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfNDistinct(rapid.Float64Range(.01, 100), 3, 30, rapid.ID).Draw(t, "values")
		unit := math.Exp(rapid.Float64Range(-20, 20).Draw(t, "log unit"))
		fitted, err := EstimateWeibull(values)
		scaled, errScaled := EstimateWeibull(times(values, unit))
		if (err == nil) != (errScaled == nil) {
			t.Fatalf("%v in one unit, %v in another", err, errScaled)
		}
		if err != nil {
			return
		}
		requireClose(t, fitted.Distribution.Shape, scaled.Distribution.Shape, 1e-6)
		requireClose(t, fitted.Distribution.Scale*unit, scaled.Distribution.Scale, 1e-6)
		requireClose(t, fitted.LogLikelihood-float64(len(values))*math.Log(unit), scaled.LogLikelihood, 1e-6)
	})
}

func times(values []float64, unit float64) []float64 {
	scaled := make([]float64, len(values))
	for i, v := range values {
		scaled[i] = v * unit
	}
	return scaled
}

// requireClose compares relative to the size, or to 1 for small numbers.
func requireClose(t *rapid.T, want, got, tolerance float64) {
	t.Helper()
	if !(math.Abs(want-got) <= tolerance*(1+math.Abs(want))) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestNoOtherWeibullIsMoreLikely(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(.01, 100), 3, 30).Draw(t, "values")
		fitted, err := EstimateWeibull(values)
		if err != nil {
			return
		}
		other := Weibull{
			fitted.Distribution.Shape * math.Exp(rapid.Float64Range(-1, 1).Draw(t, "shape")),
			fitted.Distribution.Scale * math.Exp(rapid.Float64Range(-1, 1).Draw(t, "scale")),
		}
		if LogLikelihood(other, values) > fitted.LogLikelihood+1e-9 {
			t.Fatalf("%+v beats %+v", other, fitted.Distribution)
		}
	})
}

func TestEqualValuesHaveNoWeibull(t *testing.T) {
	for _, values := range [][]float64{{3, 3}, {1e9, 1e9, 1e9}, {1, 1 + 1e-9, 1}} {
		_, err := EstimateWeibull(values)
		require.ErrorIs(t, err, ErrNoMaximum)
		_, err = EstimateWeibullMixture(values, 1)
		require.ErrorIs(t, err, ErrNoMaximum)
	}
}

func TestFitsRefuseWhatTheyCannotTake(t *testing.T) {
	start := WeibullMixture{.5, Weibull{1, 1}, Weibull{1, 2}}
	fits := map[string]func([]float64) error{
		"exponential": func(v []float64) error { _, err := EstimateExponential(v); return err },
		"weibull":     func(v []float64) error { _, err := EstimateWeibull(v); return err },
		"mixture":     func(v []float64) error { _, err := EstimateWeibullMixture(v, 1); return err },
		"from start":  func(v []float64) error { _, err := EstimateWeibullMixtureFrom(v, start); return err },
		"gaps":        func(v []float64) error { _, err := CompareGaps(v, 1); return err },
		"truncated":   func(v []float64) error { _, err := EstimateTruncatedLogNormal(v, 0, math.Inf(1)); return err },
		"censored":    func(v []float64) error { _, err := EstimateCensoredLogNormal(v, nil); return err },
		"cut":         func(v []float64) error { _, err := EstimateCensoredLogNormal([]float64{1, 2}, v); return err },
	}
	for name, fit := range fits {
		t.Run(name, func(t *testing.T) {
			for _, values := range [][]float64{{1, 0}, {1, -1}, {1, math.Inf(1)}, {math.NaN(), 2}, {math.Inf(-1), 1}} {
				require.ErrorIs(t, fit(values), ErrData, "%v", values)
			}
			if name != "cut" {
				require.ErrorIs(t, fit(nil), ErrData)
				require.ErrorIs(t, fit([]float64{1}), ErrData)
			}
		})
	}
}
