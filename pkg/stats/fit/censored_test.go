package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// The expected values are those of Nelder and Mead's method on the log-likelihood in SciPy.
func TestCensoredLogNormalMatchesReference(t *testing.T) {
	fitted, err := EstimateCensoredLogNormal(lengths, []float64{4096, 4096, 512, 4096, 1024})
	require.NoError(t, err)
	require.InDelta(t, 6.12146303, fitted.Distribution.Mu, 1e-8)
	require.InDelta(t, 1.55038427, fitted.Distribution.Sigma, 1e-8)
	require.InDelta(t, -232.86627164688, fitted.LogLikelihood, 1e-9)
	require.InDelta(t, .267108, fitted.SE.Mu, 2e-6)
	require.InDelta(t, .206637, fitted.SE.Sigma, 2e-6)
	require.Equal(t, 35, fitted.N)
}

func TestWithoutCapsItIsTheNaiveFit(t *testing.T) {
	fitted, err := EstimateCensoredLogNormal(lengths, nil)
	require.NoError(t, err)
	require.InDelta(t, 5.7282748912, fitted.Distribution.Mu, 1e-9)
	require.InDelta(t, 1.2487717316, fitted.Distribution.Sigma, 1e-9)
	require.InDelta(t, -221.0812163373, fitted.LogLikelihood, 1e-9)
	require.InDelta(t, fitted.LogLikelihood, LogLikelihood(fitted.Distribution, lengths), 1e-9)
}

func TestCensoredLogNormalIsRecoveredWithinItsStandardError(t *testing.T) {
	truth := distuv.LogNormal{Mu: 5, Sigma: .9}
	const limit = 256
	checkRecovery(t, 300, func(random *rand.Rand) []float64 {
		var seen, caps []float64
		for _, v := range draw(random, 400, truth.Quantile) {
			if v > limit {
				caps = append(caps, limit)
			} else {
				seen = append(seen, v)
			}
		}
		fitted, err := EstimateCensoredLogNormal(seen, caps)
		require.NoError(t, err)
		return []float64{(fitted.Distribution.Mu - truth.Mu) / fitted.SE.Mu, (fitted.Distribution.Sigma - truth.Sigma) / fitted.SE.Sigma}
	})
}

func TestCensoredLogNormalThatDoesNotExist(t *testing.T) {
	for name, c := range map[string]struct{ values, caps []float64 }{
		"all censored":                    {nil, []float64{5, 6}},
		"equal, caps below":               {[]float64{9, 9}, []float64{5, 6}},
		"equal, caps at the value":        {[]float64{9}, []float64{9}},
		"equal without caps":              {[]float64{9, 9}, nil},
		"one value and all of it the cap": {[]float64{9, 9, 9}, []float64{9, 9}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := EstimateCensoredLogNormal(c.values, c.caps)
			require.ErrorIs(t, err, ErrNoMaximum)
		})
	}
	fitted, err := EstimateCensoredLogNormal([]float64{9}, []float64{20})
	require.NoError(t, err, "a cap above the only value bounds the spread from below")
	require.Greater(t, fitted.Distribution.Sigma, 0.)
}

func TestCensoredLogNormalFollowsTheUnitAndIsTheMostLikely(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfNDistinct(rapid.Float64Range(1, 1000), 2, 20, rapid.ID).Draw(t, "values")
		caps := rapid.SliceOfN(rapid.Float64Range(1, 2000), 0, 60).Draw(t, "caps")
		fitted, err := EstimateCensoredLogNormal(values, caps)
		scaled, errScaled := EstimateCensoredLogNormal(times(values, 1e3), times(caps, 1e3))
		if err != nil || errScaled != nil {
			t.Fatal(err, errScaled)
		}
		d := fitted.Distribution
		requireClose(t, d.Mu+math.Log(1e3), scaled.Distribution.Mu, 1e-6)
		requireClose(t, d.Sigma, scaled.Distribution.Sigma, 1e-6)
		other := d
		other.Mu += d.Sigma * rapid.Float64Range(-1, 1).Draw(t, "mu")
		other.Sigma *= math.Exp(rapid.Float64Range(-1, 1).Draw(t, "sigma"))
		likelihood := LogLikelihood(other, values)
		for _, c := range caps {
			likelihood += math.Log(1 - other.CDF(c))
		}
		if likelihood > fitted.LogLikelihood+1e-6 {
			t.Fatalf("%+v beats %+v", other, d)
		}
	})
}

func TestUpperTailIsSmoothWhereTheSeriesTakesOver(t *testing.T) {
	below, hazardBelow := upperTail(30 - 1e-9)
	above, hazardAbove := upperTail(30)
	require.InDelta(t, below, above, 1e-7)
	require.InEpsilon(t, hazardBelow, hazardAbove, 1e-9)
	log, hazard := upperTail(0)
	require.InDelta(t, math.Log(.5), log, 1e-15)
	require.InDelta(t, math.Sqrt(2/math.Pi), hazard, 1e-15)
}
