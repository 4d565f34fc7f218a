package sequential

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mathext"
	"pgregory.net/rapid"
)

func TestArgumentsOutsideTheirRangeGiveNaN(t *testing.T) {
	nan := math.NaN()
	low, high := Bernoulli(3, 2, .05, 10)
	share, also := Bernoulli(1, 2, nan, 10)
	for i, v := range []float64{
		low, high, share, also,
		BestRho(TwoSided, 0, .05), BestRho(TwoSided, 1, 1), BestRho(OneSided, 1, .5), BestRho(TwoSided, nan, .05),
		NewNormalMixture(TwoSided, -1, .05).Bound(1, .05), NewNormalMixture(OneSided, 1, .05).Bound(-1, .05),
		NewNormalMixture(OneSided, 1, .05).Bound(1, 0), NewNormalMixture(OneSided, 1, .05).LogWealth(nan, 1),
		NewBetaBinomial(TwoSided, 0, 1, 1, .05).LogWealth(0, 1), NewBetaBinomial(TwoSided, .5, .5, 1, .05).LogWealth(3, 1),
		NewBetaBinomial(TwoSided, .5, .5, 1, .05).Bound(nan, .05), NewBetaBinomial(OneSided, .5, .5, 1, .05).Bound(1, 1),
		PolyStitching(1, .05, 0, 0), PolyStitching(nan, .05, 1, 0), PolyStitching(1, 0, 1, 0), PolyStitching(1, .05, 1, nan),
		DoubleStitching(0, 1, .05, 1), DoubleStitching(.5, 1, .05, 0), DoubleStitching(.5, nan, .05, 1),
		MixtureSPRT{}.LogRatio(1, 1), MixtureSPRT{1, 1}.LogRatio(-1, 1), MixtureSPRT{1, 1}.P(1, nan),
		MixtureSPRT{1, 1}.Critical(1, 0), MixtureSPRT{1, nan}.Critical(1, .05),
		Quantile{.5, .05, 10}.CompareP([]float64{1, 2}, []float64{nan}),
	} {
		require.True(t, math.IsNaN(v), "case %d gives %v", i, v)
	}
}

func TestNothingSeenIsNoEvidence(t *testing.T) {
	require.InDelta(t, 1, MixtureSPRT{1, 1}.P(0, 5), 0)
	require.True(t, math.IsInf(MixtureSPRT{1, 1}.Critical(0, .05), 1))
	q := Quantile{P: .5, Alpha: .05, Horizon: 100}
	low, high := q.Interval(nil)
	require.True(t, math.IsInf(low, -1) && math.IsInf(high, 1))
	require.InDelta(t, 1, q.CompareP(nil, []float64{1}), 0)
	for _, sides := range []Sides{OneSided, TwoSided} {
		require.InDelta(t, 0, NewNormalMixture(sides, 10, .05).LogWealth(0, 0), 1e-12)
		require.InDelta(t, 0, NewBetaBinomial(sides, .2, .8, 10, .05).LogWealth(0, 0), 1e-12)
	}
	require.True(t, math.IsInf(NewBetaBinomial(TwoSided, .2, .8, 100, .05).Bound(.2, .05), 1))
}

func TestQuantileWithNonsenseHasNoBounds(t *testing.T) {
	for _, q := range []Quantile{{}, {P: math.NaN(), Alpha: .05, Horizon: 10}, {P: .5, Alpha: 2, Horizon: 10}, {P: .5, Alpha: .05}} {
		low, high := q.Interval([]float64{1, 2, 3})
		require.True(t, math.IsInf(low, -1) && math.IsInf(high, 1), "%+v", q)
		require.True(t, math.IsNaN(q.CompareP([]float64{1}, []float64{2})), "%+v", q)
	}
}

func TestBoundsInvertTheirWealth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sides := rapid.SampledFrom([]Sides{OneSided, TwoSided}).Draw(t, "sides")
		v := math.Exp(rapid.Float64Range(-3, 10).Draw(t, "log v"))
		alpha := rapid.Float64Range(1e-6, .4).Draw(t, "alpha")
		normal := NewNormalMixture(sides, math.Exp(rapid.Float64Range(-3, 10).Draw(t, "log v opt")), .05)
		if got := normal.LogWealth(normal.Bound(v, alpha), v); math.Abs(got+math.Log(alpha)) > 1e-6 {
			t.Fatalf("wealth %g at the bound for %g", got, alpha)
		}
		g := rapid.Float64Range(.01, .99).Draw(t, "g")
		beta := NewBetaBinomial(sides, g, 1-g, v, .05)
		bound := beta.Bound(v, alpha)
		if math.IsInf(bound, 1) {
			if beta.LogWealth(beta.Most(v), v) > -math.Log(alpha) {
				t.Fatal("no bound where there is one")
			}
			return
		}
		if got := beta.LogWealth(bound, v); math.Abs(got+math.Log(alpha)) > 1e-6 {
			t.Fatalf("wealth %g at the bound for %g", got, alpha)
		}
	})
}

func TestIncompleteBetaAgreesWhereItDoesNotUnderflow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := math.Exp(rapid.Float64Range(-3, 6).Draw(t, "log a"))
		b := math.Exp(rapid.Float64Range(-3, 6).Draw(t, "log b"))
		x := rapid.Float64Range(.01, .99).Draw(t, "x")
		want := mathext.RegIncBeta(a, b, x)
		got := logRegularizedBeta(a, b, x)
		if want > 1e-290 && math.Abs(math.Exp(got)-want) > 1e-9*want {
			t.Fatalf("I is %g, not %g", math.Exp(got), want)
		}
		if !(got <= 0 && !math.IsInf(got, 0)) {
			t.Fatalf("ln I is %g", got)
		}
	})
}

func TestIncompleteBetaBelowTheSmallestNumber(t *testing.T) {
	// I_x(a,1) is x^a.
	require.InEpsilon(t, 5000*math.Log(.5), logRegularizedBeta(5000, 1, .5), 1e-12)
}

func TestComparisonIsSymmetricAndSeesOnlyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) []float64 {
			values := make([]float64, rapid.IntRange(1, 80).Draw(t, name))
			for i := range values {
				values[i] = float64(rapid.IntRange(-30, 30).Draw(t, name))
			}
			slices.Sort(values)
			return values
		}
		a, b := draw("a"), draw("b")
		q := Quantile{P: rapid.SampledFrom([]float64{.1, .5, .9}).Draw(t, "p"), Alpha: .05, Horizon: 50}
		p := q.CompareP(a, b)
		if back := q.CompareP(b, a); math.Abs(p-back) > 1e-9 || !(p >= 0 && p <= 1) {
			t.Fatalf("%g one way, %g the other", p, back)
		}
		if stretched := q.CompareP(exponentials(a), exponentials(b)); math.Abs(p-stretched) > 1e-9 {
			t.Fatalf("%g before, %g after a monotone change", p, stretched)
		}
		if same := q.CompareP(a, a); same < 1 {
			t.Fatalf("an arm differs from itself: %g", same)
		}
	})
}

func exponentials(values []float64) []float64 {
	changed := make([]float64, len(values))
	for i, v := range values {
		changed[i] = math.Exp(v)
	}
	return changed
}

func TestShareIsInsideItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trials := rapid.IntRange(1, 2000).Draw(t, "trials")
		successes := rapid.IntRange(0, trials).Draw(t, "successes")
		low, high := Bernoulli(successes, trials, .05, 100)
		share := float64(successes) / float64(trials)
		if !(0 <= low && low <= share && share <= high && high <= 1) {
			t.Fatalf("%g not in %g..%g", share, low, high)
		}
		otherLow, otherHigh := Bernoulli(trials-successes, trials, .05, 100)
		if math.Abs(low-(1-otherHigh)) > 1e-7 || math.Abs(high-(1-otherLow)) > 1e-7 {
			t.Fatalf("%g..%g, mirrored %g..%g", low, high, otherLow, otherHigh)
		}
	})
}

func TestFailuresCountAsTheWorst(t *testing.T) {
	worst := math.Inf(1)
	q := Quantile{P: .5, Alpha: .05, Horizon: 50}
	healthy, failing := make([]float64, 200), make([]float64, 200)
	huge := make([]float64, 200)
	for i := range healthy {
		healthy[i], failing[i], huge[i] = float64(i), float64(i), float64(i)
		if i >= 60 {
			failing[i], huge[i] = worst, 1e300
		}
	}
	require.Less(t, q.CompareP(healthy, failing), .05)
	require.InDelta(t, q.CompareP(healthy, huge), q.CompareP(healthy, failing), 1e-12)
	require.InDelta(t, 1, q.CompareP(failing, failing), 0)
	_, high := q.Interval(failing)
	require.True(t, math.IsInf(high, 1))
}
