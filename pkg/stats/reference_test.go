package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestDistributionsMatchTables(t *testing.T) {
	require.InDelta(t, 1.959963984540054, NormalQuantile(.975), 1e-12)
	require.InDelta(t, 1.729132811521367, TQuantile(.95, 19), 1e-8)
	require.InDelta(t, NormalQuantile(.95), TQuantile(.95, math.Inf(1)), 0)
	require.InDelta(t, .95, TCDF(TQuantile(.95, 19), 19), 1e-9)
	require.InDelta(t, .5, TCDF(0, math.Inf(1)), 1e-12)
	require.InDelta(t, 1, TCDF(math.Inf(1), 5), 0)
	require.InDelta(t, 0, TCDF(math.Inf(-1), 5), 0)
}

func TestNewcombeMatchesItsPaper(t *testing.T) {
	d, low, high := NewcombeDifference(Proportion{56, 70}, Proportion{48, 80}, NormalQuantile(.975))
	require.InDelta(t, .2, d, 1e-12)
	require.InDelta(t, .052431, low, 5e-7)
	require.InDelta(t, .333873, high, 5e-7)
}

func TestNewcombeWithoutAnyFailureStillHasWidth(t *testing.T) {
	d, low, high := NewcombeDifference(Proportion{0, 2000}, Proportion{0, 2000}, NormalQuantile(.95))
	require.Zero(t, d)
	require.InDelta(t, .00135, high, 1e-5)
	require.InDelta(t, -high, low, 1e-12)
}

func TestNewcombeSwapsWithItsArguments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) Proportion {
			trials := rapid.IntRange(1, 5000).Draw(t, name)
			return Proportion{float64(rapid.IntRange(0, trials).Draw(t, name)), float64(trials)}
		}
		a, b := draw("a"), draw("b")
		d, low, high := NewcombeDifference(a, b, 1.645)
		e, lowSwapped, highSwapped := NewcombeDifference(b, a, 1.645)
		if math.Abs(d+e) > 1e-12 || math.Abs(low+highSwapped) > 1e-12 || math.Abs(high+lowSwapped) > 1e-12 {
			t.Fatalf("not antisymmetric: %v [%v %v], %v [%v %v]", d, low, high, e, lowSwapped, highSwapped)
		}
		if low > d || high < d {
			t.Fatalf("estimate %v outside [%v %v]", d, low, high)
		}
	})
}

func TestDeflatedNeverAddsEvidence(t *testing.T) {
	p := Proportion{10, 100}
	require.Equal(t, Proportion{5, 50}, p.Deflated(2))
	require.Equal(t, p, p.Deflated(.5))
	require.Equal(t, p, p.Deflated(math.NaN()))
}

func TestHolmMatchesReference(t *testing.T) {
	got := Holm([]float64{.001, .008, .039, .041, .042, .06, .074, .205})
	require.InDeltaSlice(t, []float64{.008, .056, .234, .234, .234, .234, .234, .234}, got, 1e-12)
	require.InDeltaSlice(t, []float64{.06, .03, .06}, Holm([]float64{.04, .01, .03}), 1e-12)
	require.Empty(t, Holm(nil))
}

func TestSampleRatioMatchesReference(t *testing.T) {
	chi2, p := SampleRatio([]int{1020, 88980}, []float64{.01, .99})
	require.InDelta(t, 16.16, chi2, .005)
	require.Less(t, p, .001)
	_, p = SampleRatio([]int{900, 89100}, []float64{.01, .99})
	require.InDelta(t, 1, p, 1e-12)
	_, p = SampleRatio([]int{3, 997}, []float64{0, 1})
	require.Zero(t, p)
	_, p = SampleRatio([]int{0, 1000}, []float64{0, 1})
	require.InDelta(t, 1, p, 0)
	_, p = SampleRatio([]int{0, 0}, []float64{.5, .5})
	require.InDelta(t, 1, p, 0)
}

func TestHeterogeneityMatchesHandCalculation(t *testing.T) {
	q, p := Heterogeneity([]float64{.1, .3}, []float64{.05, .05}, math.Inf(1))
	require.InDelta(t, 8, q, 1e-9)
	require.InDelta(t, .004677734981047266, p, 1e-9)
	_, withDF := Heterogeneity([]float64{.1, .3}, []float64{.05, .05}, 19)
	require.InDelta(t, 2*(1-TCDF(math.Sqrt(8), 19)), withDF, 1e-9)
	_, p = Heterogeneity([]float64{.1, .3}, []float64{.05, 0}, 19)
	require.InDelta(t, 1, p, 0)
}

func TestLogNormalMatchesReference(t *testing.T) {
	fit, ok := FitLogNormal([]float64{
		37, 52, 64, 71, 88, 95, 103, 118, 131, 140, 156, 171, 190, 214, 233, 260, 291, 333, 378, 450,
		512, 640, 777, 960, 1210, 1500, 1890, 2400, 3100, 3900,
	})
	require.True(t, ok)
	require.InDelta(t, 5.7282748912, fit.Mu, 1e-9)
	require.InDelta(t, 1.2487717316, fit.Sigma, 1e-9)
}

func TestLogNormalRefusesWhatItCannotFit(t *testing.T) {
	for _, values := range [][]float64{nil, {1, 0}, {1, -1}, {1, math.Inf(1)}, {math.NaN()}} {
		_, ok := FitLogNormal(values)
		require.False(t, ok, "%v", values)
	}
}

func TestConfidenceSequenceMatchesReference(t *testing.T) {
	c := ConfidenceSequence{Alpha: .05, Horizon: 5000}
	require.InDelta(t, .669439, c.TwoSided(1, 100), 5e-7)
	require.InDelta(t, .106375, c.TwoSided(1, 1000), 5e-7)
	require.InDelta(t, .042924, c.TwoSided(1, 5000), 5e-7)
}

func TestOneSidedSequenceIsTighterThanTwoSidedAndShrinks(t *testing.T) {
	c := ConfidenceSequence{Alpha: .05, Horizon: 100}
	previous := math.Inf(1)
	for _, n := range []int{10, 50, 100, 1000} {
		require.Less(t, c.OneSided(1, n), c.TwoSided(1, n))
		require.Less(t, c.OneSided(1, n), previous)
		previous = c.OneSided(1, n)
	}
}

func TestRatioOfSumsIsBatchMeansForEqualBlocks(t *testing.T) {
	num, den := []float64{2, 4, 6, 8}, []float64{2, 2, 2, 2}
	ratio, se := RatioOfSums(num, den, Strata{0, 0, 0, 0})
	require.InDelta(t, 2.5, ratio, 1e-12)
	require.InDelta(t, math.Sqrt(5./3/4), se, 1e-12)
	ratio, se = RatioOfSums(nil, nil, nil)
	require.True(t, math.IsNaN(ratio) && math.IsNaN(se))
}

func TestEffectiveDegreesFollowTheGroupThatDominates(t *testing.T) {
	one := EffectiveDegrees([]float64{1, 2, 3, 5}, Strata{0, 0, 0, 0})
	require.InDelta(t, 3, one, 1e-9)
	balanced := EffectiveDegrees([]float64{1, 2, 3, 1, 2, 3}, Strata{0, 0, 0, 1, 1, 1})
	require.InDelta(t, 4, balanced, 1e-9)
	dominated := EffectiveDegrees([]float64{1, 2, 3, 100, 200, 300}, Strata{0, 0, 0, 1, 1, 1})
	require.InDelta(t, 2, dominated, .001)
	require.InDelta(t, 4, EffectiveDegrees(make([]float64, 6), Strata{0, 0, 0, 1, 1, 1}), 0)
}

func TestDesignEffectIsLargeForClusteredFailures(t *testing.T) {
	trials := []float64{10, 10, 10, 10}
	clustered := DesignEffect([]float64{10, 0, 10, 0}, trials, Strata{0, 0, 0, 0})
	require.InDelta(t, 40./3, clustered, 1e-9)
	require.True(t, math.IsNaN(DesignEffect([]float64{0, 0, 0, 0}, trials, Strata{0, 0, 0, 0})))
}

func TestBinomialIsExactForSmallCounts(t *testing.T) {
	require.InDelta(t, 2*.003432321587754513, BinomialP(5, 100, .01), 1e-9)
	require.InDelta(t, 1, BinomialP(1, 100, .01), 1e-12)
	require.InDelta(t, 2*math.Pow(.5, 20), BinomialP(0, 20, .5), 1e-12)
	require.InDelta(t, 1, BinomialP(0, 0, .5), 0)
}

func TestPOfAConfidenceSequenceInvertsItsBound(t *testing.T) {
	c := ConfidenceSequence{Alpha: .01, Horizon: 20}
	for _, n := range []int{8, 20, 100} {
		bound := c.OneSided(2.5, n)
		require.InDelta(t, .01, c.P(bound, 2.5, n), 1e-9)
		require.Less(t, c.P(1.1*bound, 2.5, n), .01)
	}
	require.InDelta(t, 1, c.P(-1, 2.5, 10), 0)
	require.Zero(t, c.P(1, 0, 10), "no spread at all leaves no doubt")
}
