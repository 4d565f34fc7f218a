package chart_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/report/chart"
)

func labels(ticks []chart.Tick) []string {
	var out []string
	for _, t := range ticks {
		out = append(out, t.Label)
	}
	return out
}

func TestTicksAreRoundAndTellNeighboursApart(t *testing.T) {
	require.Equal(t, []string{"0", "20", "40", "60", "80", "100"}, labels(chart.Linear(0, 100).Ticks(5)))
	require.Equal(t, []string{"0", "0.001", "0.002", "0.003"}, labels(chart.Linear(0, 0.003).Ticks(3)))
	require.Equal(t, []string{"-1", "0", "1"}, labels(chart.Linear(-1, 1).Ticks(2)))
	require.Equal(t, []string{"10k", "12k", "14k"}, labels(chart.Linear(10000, 14000).Ticks(2)))
	require.Equal(t, []string{"10k", "10.1k", "10.2k"}, labels(chart.Linear(10000, 10200).Ticks(2)))
	require.Equal(t, []string{"20", "50", "100", "200", "500"}, labels(chart.Log(15, 800).Ticks(6)))
	require.Equal(t, []string{"0.1", "1", "10", "100", "1000", "10k"}, labels(chart.Log(0.1, 10000).Ticks(6)))
	require.Equal(t, []string{"52", "54", "56", "58"}, labels(chart.Linear(51, 59).Ticks(4)))
}

func TestClockTicksAreRoundTimesInUTC(t *testing.T) {
	start := time.Date(2026, 3, 1, 23, 58, 30, 0, time.FixedZone("", 3600))
	hours := chart.Clock(start.Add(-time.Hour), start.Add(time.Hour+2*time.Minute))
	require.Equal(t, []string{"22:00", "22:30", "23:00", "23:30", "00:00"}, labels(hours.Ticks(5)))
	require.Equal(t, []string{"22:58:30", "22:58:45", "22:59:00"}, labels(chart.Clock(start, start.Add(30*time.Second)).Ticks(2)))
	require.Equal(t, []string{"2 Mar", "4 Mar", "6 Mar"}, labels(chart.Clock(start, start.Add(6*24*time.Hour)).Ticks(3)))
}

func TestFromZeroEndsAtARoundValueAboveTheData(t *testing.T) {
	for high, want := range map[float64]float64{97: 100, 100: 100, 101: 150, 0.42: 0.6, 0: 1, math.Inf(1): 1} {
		require.InDelta(t, want, chart.FromZero(high).High, 1e-9)
	}
}

func TestScalesStayFiniteForAnyRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low, high := rapid.Float64().Draw(t, "low"), rapid.Float64().Draw(t, "high")
		v := rapid.Float64().Draw(t, "v")
		for _, s := range []chart.Scale{chart.Linear(low, high), chart.Log(low, high), chart.FromZero(high)} {
			if math.Abs(s.Low) > 1e300 || math.Abs(s.High) > 1e300 {
				continue
			}
			at := s.At(v)
			require.True(t, at >= 0 && at <= 1, "At(%v) = %v on %+v", v, at, s)
			for _, tick := range s.Ticks(5) {
				require.False(t, math.IsNaN(tick.Value) || math.IsInf(tick.Value, 0))
			}
		}
	})
}

func TestTicksLieInTheRangeAndStayFew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(1e-4, 1e5).Draw(t, "low")
		high := low * rapid.Float64Range(1, 1e6).Draw(t, "ratio")
		count := rapid.IntRange(2, 12).Draw(t, "count")
		for _, s := range []chart.Scale{chart.Linear(low, high), chart.Log(low, high)} {
			ticks := s.Ticks(count)
			require.LessOrEqual(t, len(ticks), 2*count)
			seen := map[string]bool{}
			for _, tick := range ticks {
				require.GreaterOrEqual(t, tick.Value, s.Low*(1-1e-6))
				require.LessOrEqual(t, tick.Value, s.High*(1+1e-6))
				require.False(t, seen[tick.Label], "label %q twice in %v", tick.Label, labels(ticks))
				seen[tick.Label] = true
			}
		}
	})
}
