package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCramerVonMisesMatchesHandCalculation(t *testing.T) {
	// F(x) is x on 0..1 for an exponential distribution's own CDF values.
	e := Exponential{1}
	at := func(p float64) float64 { return -math.Log1p(-p) }
	require.InDelta(t, 1./(12*16), CramerVonMises(e, []float64{at(.625), at(.125), at(.375), at(.875)}), 1e-12)
	require.InDelta(t, 1./12+.3*.3, CramerVonMises(e, []float64{at(.2)}), 1e-12)
	require.InDelta(t, 1./3, CramerVonMises(e, []float64{1e9, 1e9, 1e9}), 1e-9)
	require.True(t, math.IsNaN(CramerVonMises(e, nil)))
	require.True(t, math.IsNaN(CramerVonMises(e, []float64{1, math.NaN()})))
}

func TestHeldOutPrefersTheTrueModel(t *testing.T) {
	values := draw(rand.New(rand.NewPCG(1, 2)), 300, Weibull{.6, 2}.Quantile)
	weibull, err := HeldOut(values, 5, 1, EstimateWeibull)
	require.NoError(t, err)
	exponential, err := HeldOut(values, 5, 1, EstimateExponential)
	require.NoError(t, err)
	require.Greater(t, weibull, exponential+.05)
	fitted, err := EstimateWeibull(values)
	require.NoError(t, err)
	require.Less(t, weibull, fitted.LogLikelihood/300, "unseen values are less likely than those fitted")
	require.InDelta(t, fitted.LogLikelihood/300, weibull, .05)
}

func TestHeldOutRefusesWhatItCannotDeal(t *testing.T) {
	for _, folds := range []int{-1, 0, 1, 4} {
		_, err := HeldOut([]float64{1, 2, 3}, folds, 1, EstimateWeibull)
		require.ErrorIs(t, err, ErrData)
	}
	_, err := HeldOut([]float64{1, 1, 1, 1}, 2, 1, EstimateWeibull)
	require.ErrorIs(t, err, ErrNoMaximum)
}
