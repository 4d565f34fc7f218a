package hypothesis

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// describe is every number that a test of two samples gives and that must not change when they swap.
func describe(first, second []float64) []float64 {
	ks, _ := KolmogorovSmirnov(first, second)
	mw, _ := MannWhitney(first, second)
	return []float64{ks.D, ks.P(), ks.AsymptoticP(), mw.P(), mw.AsymptoticP(), mw.AsymptoticPUncorrected()}
}

func apply(values []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = f(v)
	}
	return out
}

func closeTo(t *rapid.T, what string, got, want []float64) {
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-9*max(1, math.Abs(want[i])) {
			t.Fatalf("%s: %v, want %v", what, got, want)
		}
	}
}

func TestRankTestsKeepTheirValueUnderSwapsAndMonotoneMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, second := drawFew(t, "first", 25), drawFew(t, "second", 25)
		want := describe(first, second)
		closeTo(t, "swapped", describe(second, first), want)
		for name, f := range map[string]func(float64) float64{
			"exponential": math.Exp,
			"cube":        func(v float64) float64 { return v*v*v + v },
			"negative":    func(v float64) float64 { return -v },
		} {
			closeTo(t, name, describe(apply(first, f), apply(second, f)), want)
		}
		for _, p := range want[1:] {
			if !(p > 0 && p <= 1) {
				t.Fatalf("p = %v", p)
			}
		}
	})
}

func TestShiftFollowsTheSamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, second := drawFew(t, "first", 25), drawFew(t, "second", 25)
		shift, _ := HodgesLehmann(first, second)
		low, high := shift.Interval(.9)
		if low > shift.Estimate || high < shift.Estimate {
			t.Fatalf("%v is outside %v to %v", shift.Estimate, low, high)
		}
		swapped, _ := HodgesLehmann(second, first)
		swappedLow, swappedHigh := swapped.Interval(.9)
		moved, _ := HodgesLehmann(first, apply(second, func(v float64) float64 { return v + 3 }))
		closeTo(t, "moved", []float64{moved.Estimate}, []float64{shift.Estimate + 3})
		closeTo(t, "swapped", []float64{swapped.Estimate}, []float64{-shift.Estimate})
		if !math.IsInf(low, -1) {
			closeTo(t, "swapped interval", []float64{swappedLow, swappedHigh}, []float64{-high, -low})
		}
		if wideLow, wideHigh := shift.Interval(.99); wideLow > low || wideHigh < high {
			t.Fatalf("%v to %v at 99 %%, %v to %v at 90 %%", wideLow, wideHigh, low, high)
		}
	})
}

func TestIntervalOfShiftInvertsTheTest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.SliceOfNDistinct(rapid.Float64Range(-5, 5), 5, 20, rapid.ID).Draw(t, "first")
		second := rapid.SliceOfNDistinct(rapid.Float64Range(-5, 5), 5, 20, rapid.ID).Draw(t, "second")
		shift, _ := HodgesLehmann(first, second)
		low, high := shift.Interval(.9)
		at := func(moved float64) float64 {
			test, _ := MannWhitney(first, apply(second, func(v float64) float64 { return v - moved }))
			return test.P()
		}
		if at(low-1e-3) > .1+1e-9 && at(low-1e-6) > .1+1e-9 || at(high+1e-3) > .1+1e-9 && at(high+1e-6) > .1+1e-9 {
			t.Fatalf("%v to %v leaves out shifts that the test does not reject: p %v and %v", low, high, at(low-1e-6), at(high+1e-6))
		}
	})
}

func TestEnergyScalesWithTheValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, second := drawFew(t, "first", 25), drawFew(t, "second", 25)
		e, _ := Energy(first, second)
		swapped, _ := Energy(second, first)
		moved := func(v float64) float64 { return 7 - 3*v }
		scaled, _ := Energy(apply(first, moved), apply(second, moved))
		closeTo(t, "swapped", []float64{swapped.Distance, swapped.Coefficient}, []float64{e.Distance, e.Coefficient})
		closeTo(t, "scaled", []float64{scaled.Distance, scaled.Coefficient}, []float64{3 * e.Distance, e.Coefficient})
		if e.Distance < 0 || e.Coefficient < 0 || e.Coefficient > 1+1e-12 {
			t.Fatalf("%+v", e)
		}
	})
}

func TestTrendFollowsTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		series := slices.Concat(drawFew(t, "series", 40), []float64{0})
		test, _ := MannKendall(series)
		reversed := slices.Clone(series)
		slices.Reverse(reversed)
		other, _ := MannKendall(reversed)
		same, _ := MannKendall(apply(series, math.Exp))
		if other.S != -test.S || same.S != test.S || math.Abs(test.Tau) > 1 {
			t.Fatalf("S = %d, reversed %d, mapped %d", test.S, other.S, same.S)
		}
		closeTo(t, "reversed", []float64{other.P(), other.AsymptoticP()}, []float64{test.P(), test.AsymptoticP()})
	})
}

func TestExactAndAsymptoticMeetAtTheLimitOfCounting(t *testing.T) {
	first, second := normals(1, 70, 0), normals(2, 70, .3)
	mw, _ := MannWhitney(first, second)
	exact, ok := mw.ExactP()
	require.True(t, ok)
	require.InEpsilon(t, exact, mw.AsymptoticP(), .02)
	low, high := mustShift(t, first, second).Interval(.95)
	k := criticalRank(70, 70, .025)
	require.Less(t, low, high)
	sigma := math.Sqrt(70 * 70 * 141. / 12)
	require.InDelta(t, 70*70/2-1.96*sigma, float64(k), 2)

	ks, _ := KolmogorovSmirnov(normals(3, 4096, 0), normals(4, 4096, .03))
	exact, ok = ks.ExactP()
	require.True(t, ok)
	require.InEpsilon(t, exact, ks.AsymptoticP(), .05)

	trend, _ := MannKendall(normals(5, 60, 0))
	exact, ok = trend.ExactP()
	require.True(t, ok)
	require.InEpsilon(t, exact, trend.AsymptoticP(), .02)
}

func mustShift(t *testing.T, first, second []float64) Shift {
	t.Helper()
	shift, ok := HodgesLehmann(first, second)
	require.True(t, ok)
	return shift
}

func TestLargeSamplesAreNotCountedExactly(t *testing.T) {
	long := normals(1, 5000, 0)
	ks, _ := KolmogorovSmirnov(long, long)
	_, ok := ks.ExactP()
	require.False(t, ok)
	require.InDelta(t, 1, ks.P(), 0)
	mw, _ := MannWhitney(long, long)
	_, ok = mw.ExactP()
	require.False(t, ok)
	require.InDelta(t, 1, mw.P(), 0)
	trend, _ := MannKendall(long)
	_, ok = trend.ExactP()
	require.False(t, ok)
	require.Positive(t, trend.P())
}

func TestWhatCannotBeTestedIsNotOk(t *testing.T) {
	nan, inf, fine := math.NaN(), math.Inf(1), []float64{1, 2, 3}
	for name, bad := range map[string][]float64{"nothing": nil, "not a number": {1, nan}} {
		for _, pair := range [][2][]float64{{bad, fine}, {fine, bad}, {bad, bad}} {
			_, ok := KolmogorovSmirnov(pair[0], pair[1])
			require.False(t, ok, name)
			_, ok = MannWhitney(pair[0], pair[1])
			require.False(t, ok, name)
			_, ok = HodgesLehmann(pair[0], pair[1])
			require.False(t, ok, name)
			_, ok = Energy(pair[0], pair[1])
			require.False(t, ok, name)
		}
	}
	for _, far := range [][]float64{{inf}, {-inf, 1}, {-math.MaxFloat64, math.MaxFloat64}, {-inf, inf}} {
		for _, pair := range [][2][]float64{{far, fine}, {fine, far}, {far, far}} {
			_, ok := Energy(pair[0], pair[1])
			require.False(t, ok, "%v", far)
		}
	}
	for _, pair := range [][2][]float64{{{inf}, fine}, {fine, {-inf}}, {{inf}, {inf}}, {{-math.MaxFloat64}, {math.MaxFloat64}}} {
		_, ok := HodgesLehmann(pair[0], pair[1])
		require.False(t, ok, "%v", pair)
	}
	for _, bad := range [][]float64{nil, {1}, {1, nan, 2}} {
		_, ok := MannKendall(bad)
		require.False(t, ok)
	}
	good := Rate{3, 10}
	for _, bad := range []Rate{{-1, 10}, {3, 0}, {3, -1}, {3, nan}, {3, inf}} {
		_, ok := CompareRates(bad, good, 1)
		require.False(t, ok)
		_, ok = CompareRates(good, bad, 1)
		require.False(t, ok)
	}
	for _, ratio := range []float64{0, -1, nan, inf} {
		_, ok := CompareRates(good, good, ratio)
		require.False(t, ok)
	}
	_, ok := CompareRates(Rate{1, 1e-300}, Rate{1, 1e300}, 1)
	require.False(t, ok)
	c, _ := CompareRates(good, good, 1)
	low, high := c.Interval(nan)
	require.True(t, math.IsNaN(low) && math.IsNaN(high))
}

func TestFailedRequestsCountAsTheWorstLatency(t *testing.T) {
	inf := math.Inf(1)
	first, second := []float64{1, 2, 3, 4, inf}, []float64{1.5, 2.5, inf, inf, inf}
	finite := func(v float64) float64 { return min(v, 99) }
	require.Equal(t, describe(apply(first, finite), apply(second, finite)), describe(first, second))
	trend, ok := MannKendall([]float64{1, 2, inf, inf})
	require.True(t, ok)
	require.Equal(t, 5, trend.S)
}
