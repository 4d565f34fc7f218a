package power

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/stats"
)

var usual = Test{Alpha: .05, Power: .8, DesignEffect: 1}

func TestQuantileRatioMatchesReference(t *testing.T) {
	for _, c := range []struct {
		p, sigma, margin float64
		want             int
	}{
		{.99, .5, .03, 49311},
		{.99, .5, .05, 18099},
		{.99, .5, .08, 7274},
		{.99, .5, .10, 4743},
		{.99, .5, .15, 2206},
		{.99, .5, .20, 1297},
		{.50, .5, .05, 2040},
		{.95, .5, .08, 2331},
	} {
		n, ok := usual.QuantileRatio(c.p, c.sigma, c.margin)
		require.True(t, ok)
		require.InDelta(t, c.want, n, 1, "%+v", c)
		four, ok := usual.QuantileRatio(c.p, 2*c.sigma, c.margin)
		require.True(t, ok)
		require.InDelta(t, 4*c.want, four, 4)
	}
}

func TestDesignEffectMultipliesTheSize(t *testing.T) {
	clustered := usual
	clustered.DesignEffect = 2.2
	n, ok := clustered.QuantileRatio(.99, .5, .1)
	require.True(t, ok)
	require.InDelta(t, 2.2*4743, n, 2.2)
}

func TestProportionDifferenceMatchesHandCalculation(t *testing.T) {
	n, ok := usual.ProportionDifference(.005, .005, .005) // 2·.005·.995·2.48647²/.005²
	require.True(t, ok)
	require.Equal(t, 2461, n)
	worse, ok := usual.ProportionDifference(.005, .006, .005)
	require.True(t, ok)
	require.Greater(t, worse, n)
	better, ok := usual.ProportionDifference(.005, .004, .005)
	require.True(t, ok)
	require.Less(t, better, n)
}

func TestMeanRatioMatchesHandCalculation(t *testing.T) {
	n, ok := usual.MeanRatio(.5, .05) // 2·.25·2.48647²/ln(1.05)²
	require.True(t, ok)
	require.Equal(t, 1299, n)
}

func TestPowerPerMetric(t *testing.T) {
	require.InDelta(t, .8, PerMetric(.8, 1), 1e-15)
	require.InDelta(t, .9564, PerMetric(.8, 5), 5e-5)
	for _, v := range []float64{PerMetric(.8, 0), PerMetric(0, 1), PerMetric(1, 1), PerMetric(math.NaN(), 1)} {
		require.True(t, math.IsNaN(v))
	}
}

func TestArgumentsThatMakeNoTest(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, bad := range []Test{
		{}, {0, .8, 1}, {.5, .8, 1}, {.05, .4, 1}, {.05, 1, 1}, {.05, .8, .9}, {nan, .8, 1}, {.05, nan, 1}, {.05, .8, inf},
	} {
		_, ok := bad.MeanRatio(.5, .05)
		require.False(t, ok, "%+v", bad)
	}
	for _, args := range [][3]float64{
		{0, .5, .1}, {1, .5, .1}, {nan, .5, .1}, {.9, 0, .1}, {.9, nan, .1}, {.9, .5, 0}, {.9, .5, -1.5}, {.9, .5, nan},
	} {
		_, ok := usual.QuantileRatio(args[0], args[1], args[2])
		require.False(t, ok, "%v", args)
	}
	for _, args := range [][3]float64{{-.1, .1, .1}, {.1, 1.1, .1}, {.1, .2, .1}, {.1, .3, .1}, {nan, .1, .1}, {0, 0, .1}, {.1, .1, nan}} {
		_, ok := usual.ProportionDifference(args[0], args[1], args[2])
		require.False(t, ok, "%v", args)
	}
}

func TestWiderMarginsNeedLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		margin := rapid.Float64Range(.01, .5).Draw(t, "margin")
		spread := rapid.Float64Range(.1, 2).Draw(t, "spread")
		narrow, ok := usual.MeanRatio(spread, margin)
		wide, okWide := usual.MeanRatio(spread, 1.1*margin)
		stronger := usual
		stronger.Power = .9
		sure, okSure := stronger.MeanRatio(spread, margin)
		if !ok || !okWide || !okSure || wide > narrow || sure < narrow {
			t.Fatalf("%d for %g, %d for more, %d at more power", narrow, margin, wide, sure)
		}
	})
}

// Log-normal observations of the planned size pass with about the planned power, and at the margin with about alpha.
func TestPlannedSizeHasThePlannedPower(t *testing.T) {
	const p, sigma, margin, runs = .9, .5, .2, 1000
	n, ok := usual.QuantileRatio(p, sigma, margin)
	require.True(t, ok)
	limit := math.Log1p(margin) * stats.NormalQuantile(.95) / (stats.NormalQuantile(.95) + stats.NormalQuantile(.8))
	random := rand.New(rand.NewPCG(1, 2))
	quantile := func() float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = sigma * random.NormFloat64()
		}
		slices.Sort(values)
		return stats.Quantile(values, p)
	}
	passed, passedAtMargin := 0, 0
	for range runs {
		theta := quantile() - quantile()
		if theta+limit < math.Log1p(margin) {
			passed++
		}
		if theta+math.Log1p(margin)+limit < math.Log1p(margin) {
			passedAtMargin++
		}
	}
	require.InDelta(t, .8, float64(passed)/runs, .05)
	require.InDelta(t, .05, float64(passedAtMargin)/runs, .025)
}

// What stages of half an hour at 50 req/s see, of a queue with a design effect of 2.04.
func TestQuantileEffectMatchesReference(t *testing.T) {
	queue := Test{Alpha: .05, Power: .8, DesignEffect: 2.04}
	for share, want := range map[float64]float64{.01: .25, .05: .11, .2: .057} {
		rise, ok := queue.QuantileEffect(.99, .5, int(90_000*(1-share)), int(90_000*share))
		require.True(t, ok)
		require.InDelta(t, want, rise, .005)
	}
	n, _ := queue.QuantileRatio(.99, .5, .25)
	rise, _ := queue.QuantileEffect(.99, .5, n, n)
	require.InDelta(t, .25, rise, 1e-3, "it turns QuantileRatio around")
	for _, bad := range [][2]int{{0, 5}, {5, 0}} {
		_, ok := queue.QuantileEffect(.99, .5, bad[0], bad[1])
		require.False(t, ok)
	}
}
