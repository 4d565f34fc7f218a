package recorded

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// lognormal is a summary of n answers whose TTFT is log-normal, with its exact quantiles.
func lognormal(level Level, n, median, sigma float64) Stage {
	s := NewSummary(level, swap.Of(60))
	s.Count(swap.OK, n)
	for _, stat := range []swap.Stat{swap.StatP50, swap.StatP90, swap.StatP95, swap.StatP99} {
		q, _ := stat.Quantile()
		s.Figure("ttft_"+string(stat), swap.Of(median*math.Exp(sigma*stats.NormalQuantile(q))))
	}
	s.Figure("ttft_mean", swap.Of(median*math.Exp(sigma*sigma/2)))
	return s
}

func ttft(s swap.Stat, margin float64) swap.Gate {
	return swap.Gate{Metric: swap.MetricTTFT, Stat: s, Margin: margin, Unit: swap.Relative, Better: swap.LowerIsBetter}
}

// TestErrorOfALogNormalSummary holds the standard errors to √(VIF·p(1−p)/n)·σ/φ(z), and no more than a fifth above it.
func TestErrorOfALogNormalSummary(t *testing.T) {
	const n, sigma = 4000.0, .5
	s := lognormal(Level{Rate: 4}, n, 100, sigma)
	for stat, effect := range map[swap.Stat]float64{
		swap.StatP50: effectP50, swap.StatP90: effectP90, swap.StatP95: effectP95, swap.StatP99: effectP99,
	} {
		p, _ := stat.Quantile()
		z := stats.NormalQuantile(p)
		want := math.Sqrt(effect*p*(1-p)/n) * sigma * math.Sqrt(2*math.Pi) * math.Exp(z*z/2)
		se, effective, ok := s.logError(ttft(stat, .1))
		require.True(t, ok)
		require.GreaterOrEqual(t, se, want*(1-1e-9), stat)
		require.Less(t, se, 1.2*want, stat)
		require.InDelta(t, n/effect, effective, 1e-9)
	}
	se, _, ok := s.logError(ttft(swap.StatMean, .1))
	require.True(t, ok)
	require.InDelta(t, math.Sqrt(effectMean/n*math.Expm1(sigma*sigma)), se, 1e-12)
	s.Figure("ttft_std", swap.Of(2*s.Summary["ttft_mean"]))
	se, _, _ = s.logError(ttft(swap.StatMean, .1))
	require.InDelta(t, 2*math.Sqrt(effectMean/n), se, 1e-12, "the reported deviation is taken")
}

// Without a neighbour, or without any spread, there is no error to tell.
func TestErrorNeedsASpread(t *testing.T) {
	s := NewSummary(Level{}, swap.Absent())
	s.Count(swap.OK, 1000)
	s.Figure("ttft_p50", swap.Of(100))
	s.Figure("ttft_mean", swap.Of(110))
	for _, stat := range []swap.Stat{swap.StatP50, swap.StatP99, swap.StatMean} {
		_, _, ok := s.logError(ttft(stat, .1))
		require.False(t, ok, stat)
	}
	s.Figure("ttft_p90", swap.Of(100))
	_, _, ok := s.logError(ttft(swap.StatP50, .1))
	require.False(t, ok)
	_, _, ok = s.logError(swap.Gate{Metric: swap.MetricThroughput, Stat: swap.StatRate})
	require.False(t, ok)
}

// A power-law tail is steeper than a log-normal one through the same points, and is not taken for less.
func TestErrorOfAPowerLawTail(t *testing.T) {
	const n = 4000.0
	s := NewSummary(Level{}, swap.Absent())
	s.Count(swap.OK, n)
	for _, stat := range []swap.Stat{swap.StatP50, swap.StatP90, swap.StatP95, swap.StatP99} {
		q, _ := stat.Quantile()
		s.Figure("ttft_"+string(stat), swap.Of(math.Pow(1-q, -.5)))
	}
	se, _, ok := s.logError(ttft(swap.StatP99, .1))
	require.True(t, ok)
	want := math.Sqrt(effectP99*.99*.01/n) * .5 / .01
	require.InDelta(t, want, se, .05*want)
}

// The error falls with the root of the number of answers, and does not depend on the unit.
func TestErrorScales(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		median, sigma := rapid.Float64Range(.1, 1e4).Draw(t, "median"), rapid.Float64Range(.01, 1.5).Draw(t, "sigma")
		stat := rapid.SampledFrom([]swap.Stat{swap.StatP50, swap.StatP90, swap.StatP95, swap.StatP99, swap.StatMean}).Draw(t, "stat")
		few, many := lognormal(Level{}, 1000, median, sigma), lognormal(Level{}, 4000, 7*median, sigma)
		a, _, okA := few.logError(ttft(stat, .1))
		b, _, okB := many.logError(ttft(stat, .1))
		require.True(t, okA && okB)
		require.InEpsilon(t, 2, a/b, 1e-9)
	})
}
