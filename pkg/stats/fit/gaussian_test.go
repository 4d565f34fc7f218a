package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// The expected values are those of scikit-learn's GaussianMixture with two components, without regularisation.
func TestGaussianMixtureMatchesScikitLearn(t *testing.T) {
	for seed := range uint64(5) {
		fitted, err := EstimateGaussianMixture(twoWeibulls(), seed)
		require.NoError(t, err)
		m := fitted.Distribution
		require.InDelta(t, .51047983654, m.Share, 2e-6)
		require.InDelta(t, .142444114328, m.Low.Mean, 1e-6)
		require.InDelta(t, .122339614172, m.Low.SD, 1e-6)
		require.InDelta(t, 2.280367542826, m.High.Mean, 1e-5)
		require.InDelta(t, 1.301121132315, m.High.SD, 1e-5)
		require.InDelta(t, -105.84792095975985, fitted.LogLikelihood, 1e-8)
		require.InDelta(t, fitted.LogLikelihood, LogLikelihood(m, twoWeibulls()), 1e-6)
	}
}

func TestGaussianMixturePutsGapsBelowZeroAndFitsThemWorse(t *testing.T) {
	gauss, err := EstimateGaussianMixture(twoWeibulls(), 1)
	require.NoError(t, err)
	weibull, err := EstimateWeibullMixture(twoWeibulls(), 1)
	require.NoError(t, err)
	require.Greater(t, gauss.Distribution.CDF(0), .05)
	require.Zero(t, weibull.Distribution.CDF(0))
	require.Greater(t, weibull.LogLikelihood, gauss.LogLikelihood+15)
	require.Less(t, CramerVonMises(weibull.Distribution, twoWeibulls()), CramerVonMises(gauss.Distribution, twoWeibulls()))
}

func TestGaussianMixtureIsRecovered(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	values := draw(random, 4000, func(u float64) float64 {
		if u < .3 {
			return distuv.Normal{Mu: -2, Sigma: 1}.Quantile(u / .3)
		}
		return distuv.Normal{Mu: 3, Sigma: .5}.Quantile((u - .3) / .7)
	})
	fitted, err := EstimateGaussianMixture(values, 1)
	require.NoError(t, err)
	m := fitted.Distribution
	require.InDelta(t, .3, m.Share, .025)
	require.InDelta(t, -2, m.Low.Mean, .1)
	require.InDelta(t, 1, m.Low.SD, .07)
	require.InDelta(t, 3, m.High.Mean, .04)
	require.InDelta(t, .5, m.High.SD, .03)
}

func TestGaussianMixtureRefusesWhatItCannotTake(t *testing.T) {
	for _, values := range [][]float64{nil, {1}, {1, math.NaN()}, {1, math.Inf(1)}, {math.Inf(-1), 1}} {
		_, err := EstimateGaussianMixture(values, 1)
		require.ErrorIs(t, err, ErrData, "%v", values)
	}
	_, err := EstimateGaussianMixture([]float64{2, 2, 2}, 1)
	require.ErrorIs(t, err, ErrNoMaximum)
}

func TestGaussianMixtureNeverPanicsAndFollowsTheUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfNDistinct(rapid.Float64Range(-100, 100), 4, 20, rapid.ID).Draw(t, "values")
		fitted, err := EstimateGaussianMixture(values, 1)
		if err != nil {
			return
		}
		scaled, err := EstimateGaussianMixture(times(values, 1024), 1)
		if err != nil {
			t.Fatal(err)
		}
		requireClose(t, fitted.LogLikelihood-float64(len(values))*math.Log(1024), scaled.LogLikelihood, 1e-6)
		m := fitted.Distribution
		if m.Low.Mean > m.High.Mean || !(m.Low.SD > 0 && m.High.SD > 0 && m.Share >= 0 && m.Share <= 1) {
			t.Fatalf("%+v", m)
		}
	})
}
