package sequential

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

func equallySpaced(looks int) []float64 {
	fractions := make([]float64, looks)
	for k := range fractions {
		fractions[k] = float64(k+1) / float64(looks)
	}
	return fractions
}

// The expected values are those of the vignettes of gsDesign and SAS, and the tables of Jennison and Turnbull 2000.
func TestSpendingMatchesReference(t *testing.T) {
	quarters := equallySpaced(4)
	b, err := SpendAlpha(.025, quarters, OBrienFlemingSpending)
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{4.3326, 2.9631, 2.3590, 2.0141}, b.Upper, 5e-5)
	b, err = SpendAlpha(.025, quarters, PocockSpending)
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{2.3683, 2.3675, 2.3582, 2.3500}, b.Upper, 5e-5)
}

// Stages of 1, 5 and 20 % of the traffic that last equally long see 1/26, 6/26 and all of the information.
func TestTheLooksOfARolloutMatchReference(t *testing.T) {
	b, err := SpendAlpha(.05, []float64{1. / 26, 6. / 26, 1}, OBrienFlemingSpending)
	require.NoError(t, err)
	require.True(t, math.IsInf(b.Upper[0], 1), "nothing is promoted on the first look")
	require.InDelta(t, 3.916, b.Upper[1], 5e-4)
	require.InDelta(t, 1.645, b.Upper[2], 5e-4)
}

func TestConstantBoundariesMatchTables(t *testing.T) {
	for looks, want := range map[int][2]float64{2: {1.9774, 2.1783}, 3: {2.0040, 2.2895}, 4: {2.0243, 2.3613}, 5: {2.0401, 2.4132}} {
		flat, err := Pocock(.05, looks)
		require.NoError(t, err)
		steep, err := OBrienFleming(.05, looks)
		require.NoError(t, err)
		require.InDelta(t, want[0], steep.Upper[looks-1], 5e-5)
		require.InDelta(t, want[1], flat.Upper[0], 5e-5)
		require.InDelta(t, want[1], flat.Upper[looks-1], 5e-5)
	}
	five, err := OBrienFleming(.05, 5)
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{4.5617, 3.2256, 2.6337, 2.2809, 2.0401}, five.Upper, 6e-5)
	one, err := Pocock(.05, 1)
	require.NoError(t, err)
	require.InDelta(t, distuv.UnitNormal.Quantile(.975), one.Upper[0], 1e-12)
}

func TestPeekingWithoutABoundaryMatchesReference(t *testing.T) {
	for looks, want := range map[int]float64{1: .05, 2: .083, 5: .142, 10: .193, 20: .248, 50: .320} {
		b := Boundary{Fractions: equallySpaced(looks), Upper: make([]float64, looks), Lower: make([]float64, looks)}
		for k := range looks {
			b.Upper[k], b.Lower[k] = distuv.UnitNormal.Quantile(.975), distuv.UnitNormal.Quantile(.025)
		}
		upper, lower, err := b.Crossing(0)
		require.NoError(t, err)
		require.InDeltaSlice(t, upper, lower, 1e-12)
		total := 0.0
		for k := range upper {
			total += upper[k] + lower[k]
		}
		require.InDelta(t, want, total, 5e-4, "%d looks", looks)
	}
}

func TestCrossingIsASingleTestWithOneLook(t *testing.T) {
	b := Boundary{Fractions: []float64{1}, Upper: []float64{1.645}}
	upper, lower, err := b.Crossing(2.5)
	require.NoError(t, err)
	require.InDelta(t, distuv.UnitNormal.CDF(2.5-1.645), upper[0], 1e-12)
	require.Zero(t, lower[0])
}

// A walk that is not stopped at the first look has the probability of the bivariate normal distribution, which is known in
// closed form at 0: P(Z1 > 0, Z2 > 0) = ¼ + asin(ρ)/2π with ρ = √(t1/t2).
func TestCrossingOfTwoLooksMatchesTheBivariateNormal(t *testing.T) {
	for _, early := range []float64{.001, .1, .5, .9, .999, .9999} {
		b := Boundary{Fractions: []float64{early, 1}, Upper: []float64{0, 0}}
		upper, _, err := b.Crossing(0)
		require.NoError(t, err)
		require.InDelta(t, .5, upper[0], 1e-12)
		require.InDelta(t, .25-math.Asin(math.Sqrt(early))/(2*math.Pi), upper[1], 1e-6, "first look at %g", early)
	}
}

func TestSpendingSpendsWhatItSaysAndDriftAddsPower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		alpha := rapid.Float64Range(.001, .2).Draw(t, "alpha")
		fractions := rapid.SliceOfNDistinct(rapid.IntRange(5, 100), 1, 5, rapid.ID).Draw(t, "percent")
		spending := rapid.SampledFrom([]Spending{OBrienFlemingSpending, PocockSpending}).Draw(t, "spending")
		at := ascending(fractions)
		b, err := SpendAlpha(alpha, at, spending)
		require.NoError(t, err)
		upper, _, err := b.Crossing(0)
		require.NoError(t, err)
		more, _, err := b.Crossing(1)
		require.NoError(t, err)
		spent, power := 0.0, 0.0
		for k, f := range at {
			spent += upper[k]
			power += more[k]
			if math.Abs(spent-spending(alpha, f)) > 1e-9 {
				t.Fatalf("%g spent by look %d, %g allowed", spent, k+1, spending(alpha, f))
			}
		}
		if spent > 0 && !(power > spent && power <= 1) {
			t.Fatalf("power %g of a test of size %g", power, spent)
		}
	})
}

func ascending(percent []int) []float64 {
	slices.Sort(percent)
	fractions := make([]float64, len(percent))
	for i, p := range percent {
		fractions[i] = float64(p) / 100
	}
	return fractions
}

func TestALaterLookDoesNotMoveEarlierBoundaries(t *testing.T) {
	three, err := SpendAlpha(.05, []float64{.2, .5, 1}, OBrienFlemingSpending)
	require.NoError(t, err)
	two, err := SpendAlpha(.05, []float64{.2, .5}, OBrienFlemingSpending)
	require.NoError(t, err)
	require.InDeltaSlice(t, three.Upper[:2], two.Upper, 1e-9)
}

func TestLooksThatCannotBePlanned(t *testing.T) {
	nan := math.NaN()
	for _, fractions := range [][]float64{nil, {0}, {-.1}, {1.1}, {nan}, {.5, .5}, {.5, .4}, {.5, .500001}, {math.Inf(1)}} {
		_, err := SpendAlpha(.05, fractions, PocockSpending)
		require.ErrorIs(t, err, ErrLooks, "%v", fractions)
	}
	for _, alpha := range []float64{0, -1, .5, 1, nan} {
		_, err := SpendAlpha(alpha, []float64{.5, 1}, PocockSpending)
		require.ErrorIs(t, err, ErrLooks, "%v", alpha)
		_, err = Pocock(alpha, 2)
		require.ErrorIs(t, err, ErrLooks, "%v", alpha)
	}
	for _, looks := range []int{-1, 0} {
		_, err := OBrienFleming(.05, looks)
		require.ErrorIs(t, err, ErrLooks)
	}
	for _, b := range []Boundary{
		{},
		{Fractions: []float64{1}},
		{Fractions: []float64{1}, Upper: []float64{nan}},
		{Fractions: []float64{1}, Upper: []float64{1}, Lower: []float64{2}},
		{Fractions: []float64{1}, Upper: []float64{1}, Lower: []float64{}},
	} {
		_, _, err := b.Crossing(0)
		require.ErrorIs(t, err, ErrLooks, "%+v", b)
	}
	_, _, err := Boundary{Fractions: []float64{1}, Upper: []float64{1}}.Crossing(nan)
	require.ErrorIs(t, err, ErrLooks)
}

func TestASpendingFunctionThatGivesNonsenseIsRefused(t *testing.T) {
	b, err := SpendAlpha(.05, []float64{.5, 1}, func(float64, float64) float64 { return math.NaN() })
	require.NoError(t, err)
	require.True(t, math.IsInf(b.Upper[0], 1) && math.IsInf(b.Upper[1], 1), "nothing is spent")
}
