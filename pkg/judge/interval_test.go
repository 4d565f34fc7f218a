package judge

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/stats"
)

// TestPValuesMatchBounds holds every kind of interval to one rule: a bound at 1−p lies exactly at the value tested.
func TestPValuesMatchBounds(t *testing.T) {
	for _, c := range []struct {
		name         string
		interval     interval
		below, above float64
	}{
		{"student", studentInterval{theta: .2, se: .05, df: 19}, .1, .3},
		{"score", scoreInterval{
			base: stats.Proportion{Successes: 5, Trials: 1000}, cand: stats.Proportion{Successes: 40, Trials: 1000}, df: 19,
		}, .02, .05},
	} {
		t.Run(c.name, func(t *testing.T) {
			low, _ := c.interval.bounds(1 - c.interval.pAbove(c.below))
			require.InDelta(t, c.below, low, 1e-6)
			_, high := c.interval.bounds(1 - c.interval.pBelow(c.above))
			require.InDelta(t, c.above, high, 1e-6)
		})
	}
}

func TestAnExactDifferenceNeedsNoStatistics(t *testing.T) {
	i := studentInterval{theta: .1, df: 19}
	low, high := i.bounds(.95)
	require.InDeltaSlice(t, []float64{.1, .1}, []float64{low, high}, 0)
	require.InDeltaSlice(t, []float64{0, 1, 0, 1}, []float64{i.pAbove(.05), i.pAbove(.1), i.pBelow(.2), i.pBelow(.1)}, 0)
}

func TestAnUndefinedReplicateWidensBothBounds(t *testing.T) {
	replicates := make([]float64, 99)
	for k := range replicates {
		replicates[k] = math.Inf(1)
	}
	low, high := newPercentileInterval(replicates).bounds(.95)
	require.True(t, math.IsInf(low, 1) && math.IsInf(high, 1))
	require.InDelta(t, .01, newPercentileInterval(replicates).pAbove(1), 1e-12)
	for k := range 10 {
		replicates[k] = math.NaN()
	}
	low, _ = newPercentileInterval(replicates).bounds(.95)
	require.True(t, math.IsInf(low, -1))
}

// Five replicates in a hundred at another mode are as far as the bound of 95 % must reach, whatever the standard error says.
func TestReplicatesWidenAnInterval(t *testing.T) {
	replicates := make([]float64, 99)
	for k := range 6 {
		replicates[k] = -2
	}
	i := newWiderInterval(studentInterval{se: .1, df: 19}, replicates)
	low, high := i.bounds(.95)
	require.InDelta(t, -2, low, 0)
	require.InDelta(t, .1729, high, 1e-4)
	require.InDelta(t, 6./99, i.pAbove(-1), 1e-12)
	require.InDelta(t, stats.TCDF(-10, 19), i.pBelow(1), 1e-12)
}
