package sequential

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// The expected values are those of the unit tests of confseq, which are from a reference implementation in R.
func TestNormalMixtureMatchesReference(t *testing.T) {
	require.InDelta(t, 12.60056, BestRho(TwoSided, 100, .05), 5e-6)
	two := NewNormalMixture(TwoSided, 100, .05)
	require.InDelta(t, -.6510052, two.LogWealth(10, 100), 5e-8)
	require.InDelta(t, 30.35209, two.Bound(100, .05), 5e-6)
	one := NewNormalMixture(OneSided, 100, .05)
	require.InDelta(t, -.06502391, one.LogWealth(10, 100), 5e-8)
	require.InDelta(t, 27.66071, one.Bound(100, .05), 5e-6)
}

func TestBetaBinomialMatchesReference(t *testing.T) {
	two := NewBetaBinomial(TwoSided, .2, .8, 100, .05)
	require.InDelta(t, -.6941012, two.LogWealth(10, 100), 5e-8)
	require.InDelta(t, 31.4308, two.Bound(100, .05), 5e-5)
	one := NewBetaBinomial(OneSided, .2, .8, 100, .05)
	require.InDelta(t, -.07134019, one.LogWealth(10, 100), 1e-7)
	require.InDelta(t, 28.41238, one.Bound(100, .05), 5e-6)
}

func TestStitchingMatchesReference(t *testing.T) {
	require.InDelta(t, 64.48755, PolyStitching(100, .05, 10, 3), 5e-6)
	require.InDelta(t, 28.99389, PolyStitching(100, .05, 10, -1), 5e-6)
	require.InDelta(t, 68.62803, DoubleStitching(.5, 1000, .05, 100), 5e-6)
	require.InDelta(t, 43.72119, DoubleStitching(.9, 1000, .05, 100), 5e-6)
	require.InDelta(t, 59.96521, DoubleStitching(.1, 1000, .05, 100), 5e-6)
}

func TestBernoulliMatchesReference(t *testing.T) {
	for _, c := range []struct {
		successes, trials int
		horizon           float64
		low, high         float64
	}{
		{700, 1000, 100, .651629, .745949},
		{15, 50, 50, .129556, .511896},
		{5, 50, 50, .013021, .269264},
		{1, 50, 50, 0, .134891},
		{1, 2, 50, 0, 1},
		{100, 200, 1, .328923, .671076},
		{0, 1, 50, 0, 1},
		{1, 1, 50, 0, 1},
		{0, 0, 50, 0, 1},
	} {
		low, high := Bernoulli(c.successes, c.trials, .05, c.horizon)
		require.InDelta(t, c.low, low, 1.5e-6, "%+v", c)
		require.InDelta(t, c.high, high, 1.5e-6, "%+v", c)
	}
}

func TestMixtureSPRTMatchesReference(t *testing.T) {
	m := MixtureSPRT{Variance: 2, Tau2: .01}
	require.InDelta(t, 44.328166, math.Exp(m.LogRatio(1000, .15)), 5e-7)
	require.InDelta(t, .022559, m.P(1000, .15), 5e-7)
	require.InDelta(t, 3.278722, math.Exp(m.LogRatio(1000, -.10)), 5e-7)
	require.InDelta(t, .1366738, m.Critical(1000, .05), 5e-8)
	require.InDelta(t, .05, m.P(1000, m.Critical(1000, .05)), 1e-12)
}

func TestQuantileSequenceMatchesReference(t *testing.T) {
	low, high := Quantile{P: .99, Alpha: .05, Horizon: 20000}.Ranks(20000)
	require.Equal(t, []int{19756, 19841}, []int{low, high})
}

// In steps of five observations these are 430, 500, 825 and 1430.
func TestQuantileHasNoUpperBoundBeforeThereIsEvidence(t *testing.T) {
	for horizon, want := range map[float64]int{500: 427, 1000: 499, 5000: 825, 20000: 1430} {
		first := 1
		for ; ; first++ {
			q := Quantile{P: .99, Alpha: .05, Horizon: horizon}
			if _, high := q.Ranks(first); high <= first {
				break
			}
			_, high := q.Interval(make([]float64, first))
			require.True(t, math.IsInf(high, 1))
		}
		require.Equal(t, want, first, "horizon %g", horizon)
	}
}

func TestComparedQuantilesMatchReference(t *testing.T) {
	arm := func(offset int) []float64 {
		values := make([]float64, 1000)
		for i := range values {
			values[i] = float64(i + 1 + offset)
		}
		return values
	}
	for _, c := range []struct {
		p    float64
		off  int
		want float64
	}{{.5, 70, .814704}, {.5, 85, .0838055}, {.5, 100, .0054947}, {.9, 55, .0340463}} {
		q := Quantile{P: c.p, Alpha: .05, Horizon: 100}
		require.InDelta(t, c.want, q.CompareP(arm(0), arm(c.off)), 1e-6)
		require.InDelta(t, c.want, q.CompareP(arm(c.off), arm(0)), 1e-6)
	}
}
