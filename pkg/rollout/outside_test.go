package rollout

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// outsidePlan watches a mean latency of Prometheus, and what the application reports.
func outsidePlan() Plan {
	p := plan()
	p.WindowsPerWeight = 100
	p.Prometheus = &swap.Prometheus{Queries: []swap.OnlineQuery{
		{Name: "ttft_mean", Margin: .1, Unit: swap.Relative, Better: swap.LowerIsBetter},
	}}
	p.Feedback = &swap.Feedback{ConversionMargin: .02, QualityMargin: .02}
	return p
}

// play feeds windows until one rolls back, and returns after how many.
func play(t *testing.T, p Plan, next func() Evidence) (windows int, code, said string) {
	t.Helper()
	state := State{Index: 2}
	for windows = 1; windows <= 40; windows++ {
		var w swap.Window
		w, state = Next(p, state, calm(50), next())
		if w.Decision.Action == swap.ActionRollback {
			return windows, w.Decision.Reason[0].Code, w.Decision.Reason[0].Message
		}
	}
	return 0, "", ""
}

func TestTheGuardHoldsWhatPrometheusSays(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	online := func(factor float64) func() Evidence {
		return func() Evidence {
			var values swap.PerArm[[]float64]
			for range 2 {
				level := 100 * math.Exp(.2*random.NormFloat64())
				values.Baseline = append(values.Baseline, level*math.Exp(.05*random.NormFloat64()))
				values.Candidate = append(values.Candidate, factor*level*math.Exp(.05*random.NormFloat64()))
			}
			values.Baseline = append(values.Baseline, math.NaN())
			values.Candidate = append(values.Candidate, 1e9)
			return Evidence{Online: []swap.PerArm[[]float64]{values}}
		}
	}
	windows, code, said := play(t, outsidePlan(), online(1.3))
	require.NotZero(t, windows)
	require.LessOrEqual(t, windows, 8)
	require.Equal(t, swap.ReasonGuardGate, code)
	require.Contains(t, said, "ttft_mean (Prometheus) is worse than its margin allows")
	windows, _, _ = play(t, outsidePlan(), online(1))
	require.Zero(t, windows)
}

func TestTheGuardHoldsWhatTheApplicationReports(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	tally := func(p float64) swap.Tally {
		n, sum := 200, 0
		for range n {
			if random.Float64() < p {
				sum++
			}
		}
		return swap.Tally{N: n, Mean: swap.Of(float64(sum) / float64(n))}
	}
	reported := func(cand float64) func() Evidence {
		return func() Evidence {
			return Evidence{Feedback: []swap.WindowFeedback{{Conversion: swap.PerArm[swap.Tally]{Baseline: tally(.3), Candidate: tally(cand)}}}}
		}
	}
	windows, code, said := play(t, outsidePlan(), reported(.15))
	require.NotZero(t, windows)
	require.Equal(t, swap.ReasonGuardGate, code)
	require.Contains(t, said, "conversion (feedback)")
	windows, _, _ = play(t, outsidePlan(), reported(.3))
	require.Zero(t, windows)
}

func TestOnlineMean(t *testing.T) {
	require.InDelta(t, 2, OnlineMean([]float64{1, math.NaN(), 3}).Or(0), 0)
	require.False(t, OnlineMean([]float64{math.NaN()}).Valid())
	require.False(t, OnlineMean(nil).Valid())
}
