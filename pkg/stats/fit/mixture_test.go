package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func twoWeibulls() []float64 {
	var values []float64
	for i := range 60 {
		values = append(values, Weibull{.9, .2}.Quantile((float64(i)+.5)/60))
	}
	for i := range 40 {
		values = append(values, Weibull{2.5, 3}.Quantile((float64(i)+.5)/40))
	}
	return values
}

// The reference was obtained by expectation and maximisation that ended 1.4e-6 before the maximum; the exact one is
// that of Nelder and Mead's method in SciPy.
func TestWeibullMixtureMatchesReference(t *testing.T) {
	given, err := EstimateWeibullMixtureFrom(twoWeibulls(), WeibullMixture{.5, Weibull{1, .3}, Weibull{1.5, 2}})
	require.NoError(t, err)
	turned, err := EstimateWeibullMixtureFrom(twoWeibulls(), WeibullMixture{.5, Weibull{1.5, 2}, Weibull{1, .3}})
	require.NoError(t, err)
	seeded, err := EstimateWeibullMixture(twoWeibulls(), 1)
	require.NoError(t, err)
	for _, fitted := range []Fitted[WeibullMixture]{given, turned, seeded} {
		m := fitted.Distribution
		got := []float64{m.Share, m.Short.Shape, m.Short.Scale, m.Long.Shape, m.Long.Scale}
		require.InEpsilonSlice(t, []float64{.60272197, .89779101, .20330964, 2.54987922, 3.00600252}, got, 1e-6)
		require.InEpsilonSlice(t, []float64{.60272212, .89779070, .20330977, 2.54988067, 3.00600321}, got, 3e-8)
		require.InDelta(t, -85.829067, fitted.LogLikelihood, 1e-6)
	}
}

func TestGapsMatchReference(t *testing.T) {
	gaps, err := CompareGaps(twoWeibulls(), 1)
	require.NoError(t, err)
	require.InDelta(t, .65539217, gaps.Weibull.Distribution.Shape, 1e-7)
	require.InDelta(t, .90003362, gaps.Weibull.Distribution.Scale, 1e-7)
	require.InDelta(t, -100.92310514, gaps.Weibull.LogLikelihood, 1e-7) // that of SciPy at these parameters
	require.InDelta(t, -117.311324, gaps.Exponential.LogLikelihood, 1e-6)
	require.InDelta(t, 2*100.923103+2*math.Log(100), gaps.Weibull.BIC, 1e-5)
	require.Equal(t, GapsWeibullMixture, gaps.Best)
	require.Less(t, gaps.WeibullMixture.CramerVonMises, gaps.Weibull.CramerVonMises)
	require.Less(t, gaps.Weibull.CramerVonMises, gaps.Exponential.CramerVonMises)
}

func TestTheTrueModelOfGapsIsPreferred(t *testing.T) {
	for want, quantile := range map[GapModel]func(float64) float64{
		GapsExponential:    Weibull{1, 2}.Quantile,
		GapsWeibull:        Weibull{.6, 2}.Quantile,
		GapsWeibullMixture: twoPoints(WeibullMixture{.7, Weibull{1, .05}, Weibull{1.5, 2}}),
	} {
		gaps, err := CompareGaps(draw(rand.New(rand.NewPCG(3, 4)), 600, quantile), 5)
		require.NoError(t, err)
		require.Equal(t, want, gaps.Best)
	}
}

// twoPoints turns one uniform number into a draw from a mixture.
func twoPoints(m WeibullMixture) func(float64) float64 {
	return func(u float64) float64 {
		if u < m.Share {
			return m.Short.Quantile(u / m.Share)
		}
		return m.Long.Quantile((u - m.Share) / (1 - m.Share))
	}
}

func TestGapsWithoutAMixtureAreComparedWithoutIt(t *testing.T) {
	gaps, err := CompareGaps([]float64{1, 2, 4}, 1)
	require.NoError(t, err)
	require.ErrorIs(t, gaps.WeibullMixture.Err, ErrNoMaximum)
	require.NotEqual(t, GapsWeibullMixture, gaps.Best)
	gaps, err = CompareGaps([]float64{1, 1, 1}, 1)
	require.NoError(t, err)
	require.Equal(t, GapsExponential, gaps.Best)
}

func TestWeibullMixtureIsRecoveredWithinItsStandardError(t *testing.T) {
	truth := WeibullMixture{.6, Weibull{.9, .2}, Weibull{2.5, 3}}
	checkRecovery(t, 40, func(random *rand.Rand) []float64 {
		fitted, err := EstimateWeibullMixture(draw(random, 800, twoPoints(truth)), 1)
		require.NoError(t, err)
		m, se := fitted.Distribution, fitted.SE
		return []float64{
			(m.Share - truth.Share) / se.Share,
			(m.Short.Shape - truth.Short.Shape) / se.Short.Shape, (m.Short.Scale - truth.Short.Scale) / se.Short.Scale,
			(m.Long.Shape - truth.Long.Shape) / se.Long.Shape, (m.Long.Scale - truth.Long.Scale) / se.Long.Scale,
		}
	})
}

func TestWeibullMixtureFollowsTheUnitAndTheSeed(t *testing.T) {
	values := draw(rand.New(rand.NewPCG(8, 9)), 400, twoPoints(WeibullMixture{.6, Weibull{.9, .2}, Weibull{2.5, 3}}))
	fitted, err := EstimateWeibullMixture(values, 1)
	require.NoError(t, err)
	again, err := EstimateWeibullMixture(values, 1)
	require.NoError(t, err)
	require.Equal(t, fitted, again)
	scaled, err := EstimateWeibullMixture(times(values, 1e6), 1)
	require.NoError(t, err)
	require.InEpsilon(t, fitted.Distribution.Share, scaled.Distribution.Share, 1e-5)
	require.InEpsilon(t, fitted.Distribution.Long.Shape, scaled.Distribution.Long.Shape, 1e-5)
	require.InEpsilon(t, 1e6*fitted.Distribution.Short.Scale, scaled.Distribution.Short.Scale, 1e-5)
	require.InEpsilon(t, 1e6*fitted.SE.Long.Scale, scaled.SE.Long.Scale, 1e-4)
}

func TestWeibullMixtureRefusesABadStart(t *testing.T) {
	good := Weibull{1, 1}
	for _, start := range []WeibullMixture{
		{}, {0, good, good}, {1, good, good}, {math.NaN(), good, good}, {.5, Weibull{0, 1}, good}, {.5, good, Weibull{1, math.Inf(1)}},
	} {
		_, err := EstimateWeibullMixtureFrom(bearings, start)
		require.ErrorIs(t, err, ErrData, "%+v", start)
	}
}

func TestWeibullMixtureNeverPanics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(1e-9, 1), rapid.Float64Range(1, 1e9), rapid.Just(5.)), 2, 12).
			Draw(t, "values")
		fitted, err := EstimateWeibullMixture(values, 1)
		if err != nil {
			return
		}
		m := fitted.Distribution
		if !m.valid() || m.Short.Scale > m.Long.Scale || math.IsNaN(fitted.LogLikelihood) {
			t.Fatalf("%+v", fitted)
		}
	})
}
