package recorded

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// curve is a run of summaries at rates, with a median of TTFT for each. A rate below 0 was not held.
func curve(rates []float64, medians ...float64) Run {
	r := Run{Name: "run", Tool: "tool", Profile: "vllm"}
	for i, rate := range rates {
		sent := rate
		if rate < 0 {
			rate, sent = -rate, -rate/2
		}
		s := lognormal(Level{Rate: rate}, 20000, medians[i], .2)
		s.Sent = swap.Of(sent)
		r.Stages = append(r.Stages, s)
	}
	return r
}

func TestUnlikeLevelsShowWhatTheyCan(t *testing.T) {
	even, odd := []float64{10, 20, 30}, []float64{12, 22, 32}
	for name, c := range map[string]struct {
		baseline, candidate Run
		want                swap.Decision
		says                string
	}{
		"faster at every load": {curve(even, 100, 120, 150), curve(odd, 50, 60, 80), swap.Pass, "baseline at 30 req/s, candidate at 32 req/s"},
		"slower at every load": {
			curve(odd, 50, 60, 80), curve(even, 100, 120, 150), swap.Fail, "baseline at 32 req/s, candidate at 30 req/s",
		},
		"slower, but at more load": {curve(even, 100, 100, 100), curve(odd, 130, 130, 130), swap.Fail, "candidate at 22 req/s"},
		"slower, but only at more load than any": {
			curve([]float64{10}, 100), curve([]float64{20}, 150), swap.Inconclusive, "baseline at 10 req/s, candidate at 20 req/s",
		},
		"faster, but at less load": {
			curve([]float64{20}, 100), curve([]float64{10}, 50), swap.Inconclusive, "no level that carries as much",
		},
		"the highest load is not covered": {curve([]float64{10, 20, 40}, 100, 120, 200), curve(odd[:2], 50, 60), swap.Pass, "22 req/s"},
		"the candidate broke down where the baseline held": {
			curve(even, 100, 120, 150), curve([]float64{12, 22, -28}, 50, 60, 5000), swap.Inconclusive, "could send only 14 req/s",
		},
		"a level that was not held tells nothing": {
			curve([]float64{10, 20, -30}, 100, 120, 9000), curve(odd, 50, 60, 80), swap.Pass, "baseline at 20 req/s",
		},
		"falling with load": {curve([]float64{10}, 100), curve([]float64{5, 15}, 400, 50), swap.Inconclusive, "falls when its load rises"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options()
			o.Gates = []swap.Gate{ttft(swap.StatP50, .1)}
			v := judged(t, c.baseline, c.candidate, o)
			require.Equal(t, c.want, v.Verdict, v.Summary)
			said := v.Gates[0].Reason.Message
			for _, r := range v.Reasons {
				said += "\n" + r.Message
			}
			require.Contains(t, said, c.says)
			require.Contains(t, messages(v), "unlike ones are compared")
		})
	}
}

func TestLevelsThatAreNotCoveredAreNamed(t *testing.T) {
	o := options()
	o.Gates = []swap.Gate{ttft(swap.StatP50, .1)}
	v := judged(t, curve([]float64{10, 20, 40}, 100, 120, 200), curve([]float64{12, 22}, 50, 60), o)
	require.Contains(t, messages(v), "no load as high as the baseline's 40 req/s")
	require.Equal(t, "baseline 20 req/s, candidate 22 req/s", v.Steps[1].Label)
}

// Half of the levels in common are enough to leave the others out, and levels of other kinds are never put beside each other.
func TestUnlikeLevelsAreTheExceptionAndOfOneKind(t *testing.T) {
	o := options()
	o.Gates = []swap.Gate{ttft(swap.StatP50, .1)}
	v := judged(t, curve([]float64{10, 20}, 100, 120), curve([]float64{10, 22}, 50, 60), o)
	require.Equal(t, swap.Pass, v.Verdict, v.Summary)
	require.Contains(t, messages(v), "only the baseline was measured at 20 req/s")
	closed := curve([]float64{10}, 50)
	closed.Stages[0].Level = Level{Concurrency: 4}
	v = judged(t, curve([]float64{10}, 100), closed, o)
	require.Equal(t, swap.ReasonPlanMismatch, v.Reasons[0].Code)
	lower, higher := closed, curve([]float64{10}, 20)
	higher.Stages[0].Level = Level{Concurrency: 8}
	require.Equal(t, swap.Pass, judged(t, lower, higher, o).Verdict, "of the same kind")
}

// Throughput at unlike rates is that which the client asked for, so that only the largest counts, and a candidate that was driven less
// hard cannot fail by it.
func TestThroughputAtUnlikeLoads(t *testing.T) {
	gate := swap.Gate{Metric: swap.MetricThroughput, Stat: swap.StatRate, Margin: .1, Unit: swap.Relative, Better: swap.HigherIsBetter}
	with := func(r Run, rates ...float64) Run {
		for i := range r.Stages {
			s := &r.Stages[i]
			s.Figure("throughput", swap.Of(rates[i]))
			s.Figure("e2e_mean", swap.Of(1000))
			s.Figure("e2e_std", swap.Of(100))
		}
		return r
	}
	o := options()
	o.Gates = []swap.Gate{gate}
	baseline := with(curve([]float64{10, 20, -40}, 1, 1, 1), 500, 1000, 1200)
	for _, c := range []struct {
		candidate Run
		want      swap.Decision
	}{
		{with(curve([]float64{12, 22, -50}, 1, 1, 1), 600, 1100, 2000), swap.Pass},
		{with(curve([]float64{12, 22, -35}, 1, 1, 1), 600, 800, 800), swap.Fail},
		{with(curve([]float64{12, 15, 16}, 1, 1, 1), 600, 750, 800), swap.Inconclusive},
	} {
		v := judged(t, baseline, c.candidate, o)
		require.Equal(t, c.want, v.Gates[0].Decision, v.Gates[0].Reason.Message)
	}
}
