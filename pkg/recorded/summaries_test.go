package recorded

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// measuredSummary is what a tool reports of n requests in a row, whose log TTFT has a standard deviation of .3, half of its variance
// an autoregression of .9.
func measuredSummary(random *rand.Rand, level Level, n int, median float64) Stage {
	const phi, sigma = .9, .3
	values, state := make([]float64, n), random.NormFloat64()
	for i := range values {
		state = phi*state + math.Sqrt(1-phi*phi)*random.NormFloat64()
		values[i] = median * math.Exp(sigma*math.Sqrt(.5)*(state+random.NormFloat64()))
	}
	slices.Sort(values)
	s := NewSummary(level, swap.Of(60))
	s.Count(swap.OK, float64(n))
	for _, stat := range []swap.Stat{swap.StatP50, swap.StatP90, swap.StatP95, swap.StatP99} {
		q, _ := stat.Quantile()
		s.Figure("ttft_"+string(stat), swap.Of(stats.Quantile(values, q)))
	}
	s.Figure("ttft_mean", swap.Of(stats.Mean(values)))
	return s
}

// TestSummariesKeepTheErrorRate: launches differ by 2 % and the candidate is exactly as bad as the margin allows, at one level and
// at two unlike ones. A pass and a fail may each be wrong in 5 % of the pairs of runs (and 3 σ of 200 pairs).
func TestSummariesKeepTheErrorRate(t *testing.T) {
	const pairs, launch, margin, most = 200, .02, .1, 19
	gates := []swap.Gate{
		ttft(swap.StatP50, margin), ttft(swap.StatP95, margin), ttft(swap.StatP99, margin), ttft(swap.StatMean, margin),
	}
	for name, rates := range map[string]swap.PerArm[[]float64]{
		"equal":  {Baseline: []float64{10}, Candidate: []float64{10}},
		"unlike": {Baseline: []float64{10, 20}, Candidate: []float64{12, 22}},
	} {
		random := rand.New(rand.NewPCG(3, 9))
		passed, failed := map[string]int{}, map[string]int{}
		for range pairs {
			run := func(rates []float64, median float64) Run {
				median *= math.Exp(launch * random.NormFloat64())
				r := Run{Profile: "vllm"}
				for _, rate := range rates {
					r.Stages = append(r.Stages, measuredSummary(random, Level{Rate: rate}, 3200, median))
				}
				return r
			}
			o := options()
			o.Gates = gates
			for _, g := range judged(t, run(rates.Baseline, 100), run(rates.Candidate, 100*(1+margin)), o).Gates {
				if g.Decision == swap.Pass {
					passed[g.Name]++
				}
				if g.Decision == swap.Fail {
					failed[g.Name]++
				}
			}
		}
		t.Log(name, passed, failed)
		for _, g := range gates {
			require.LessOrEqual(t, passed[g.Name()], most, "%s %s", name, g.Name())
			require.LessOrEqual(t, failed[g.Name()], most, "%s %s", name, g.Name())
		}
	}
}

func TestSummariesWithAPlantedChange(t *testing.T) {
	run := func(median, n, failures float64) Run {
		s := lognormal(Level{Rate: 8}, n, median, .3)
		s.Count(swap.StreamError, failures)
		s.Figure("throughput", swap.Of(1e5/median))
		s.Figure("e2e_mean", swap.Of(1000))
		s.Figure("e2e_std", swap.Of(200))
		return Run{Name: "run", Profile: "vllm", Stages: []Stage{s}}
	}
	rate := swap.Gate{Metric: swap.MetricErrorRate, Stat: swap.StatRate, Margin: .02, Unit: swap.Absolute, Better: swap.LowerIsBetter}
	throughput := gates()[3]
	limit := swap.Gate{
		Metric: swap.MetricTTFT, Stat: swap.StatP50, VS: swap.AgainstSLO, Limit: 120, Unit: swap.Absolute, Better: swap.LowerIsBetter,
	}
	absolute := swap.Gate{Metric: swap.MetricTTFT, Stat: swap.StatP50, Margin: 20, Unit: swap.Absolute, Better: swap.LowerIsBetter}
	for name, c := range map[string]struct {
		gate                swap.Gate
		baseline, candidate Run
		want                swap.Decision
		code                string
	}{
		"much faster":          {ttft(swap.StatP50, .1), run(100, 8000, 0), run(70, 8000, 0), swap.Pass, ""},
		"equal":                {ttft(swap.StatP50, .1), run(100, 8000, 0), run(100, 8000, 0), swap.Pass, ""},
		"much slower":          {ttft(swap.StatP50, .1), run(100, 8000, 0), run(140, 8000, 0), swap.Fail, swap.ReasonGateFailed},
		"a little slower":      {ttft(swap.StatP50, .1), run(100, 8000, 0), run(108, 8000, 0), swap.Inconclusive, swap.ReasonNotDecided},
		"within a wide margin": {ttft(swap.StatP50, .3), run(100, 8000, 0), run(112, 8000, 0), swap.Pass, swap.ReasonRegressionInside},
		"few requests":         {ttft(swap.StatP99, .1), run(100, 2000, 0), run(300, 2000, 0), swap.Inconclusive, swap.ReasonLowN},
		"few for a mean":       {ttft(swap.StatMean, .1), run(100, 15, 0), run(300, 15, 0), swap.Inconclusive, swap.ReasonLowN},
		"no figure":            {gates()[2], run(100, 8000, 0), run(70, 8000, 0), swap.Inconclusive, swap.ReasonNoData},
		"failures left out":    {ttft(swap.StatP95, .1), run(100, 8000, 0), run(70, 8000, 100), swap.Inconclusive, swap.ReasonPartialData},
		"more failures":        {rate, run(100, 8000, 0), run(70, 8000, 800), swap.Fail, swap.ReasonGateFailed},
		"as few failures":      {rate, run(100, 8000, 8), run(100, 8000, 8), swap.Pass, ""},
		"failures of few":      {rate, run(100, 100, 0), run(100, 100, 0), swap.Inconclusive, swap.ReasonNotDecided},
		"less throughput":      {throughput, run(100, 8000, 0), run(150, 8000, 0), swap.Fail, swap.ReasonGateFailed},
		"more throughput":      {throughput, run(100, 8000, 0), run(70, 8000, 0), swap.Pass, ""},
		"keeps a limit":        {limit, run(300, 8000, 0), run(100, 8000, 0), swap.Pass, ""},
		"breaks a limit":       {limit, run(300, 8000, 0), run(140, 8000, 0), swap.Fail, swap.ReasonGateFailed},
		"by an absolute":       {absolute, run(100, 8000, 0), run(150, 8000, 0), swap.Fail, swap.ReasonGateFailed},
		"within an absolute":   {absolute, run(100, 8000, 0), run(105, 8000, 0), swap.Pass, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := options()
			o.Gates = []swap.Gate{c.gate}
			v := judged(t, c.baseline, c.candidate, o)
			require.Equal(t, c.want, v.Gates[0].Decision, v.Gates[0].Reason.Message)
			require.Equal(t, c.want, v.Verdict)
			require.Equal(t, c.code, v.Gates[0].Reason.Code)
			if c.want != swap.Inconclusive {
				require.Equal(t, swap.MethodSummary, v.Gates[0].Method)
			}
			require.Contains(t, messages(v), "recorded as summaries")
		})
	}
}

// Swapping the arms turns bounds around, so that what fails by a wide margin one way passes the other way.
func TestSwappingSummariesMirrors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) Run {
			s := lognormal(Level{Rate: 8}, float64(rapid.IntRange(100, 20000).Draw(t, name+" n")),
				rapid.Float64Range(50, 200).Draw(t, name+" median"), rapid.Float64Range(.05, 1).Draw(t, name+" sigma"))
			return Run{Profile: "vllm", Stages: []Stage{s}}
		}
		a, b := draw("a"), draw("b")
		o := options()
		o.Gates = []swap.Gate{ttft(swap.StatP50, .1)}
		o.Noise = rapid.Float64Range(0, .2).Draw(t, "noise")
		there, err := Judge(swap.PerArm[Run]{Baseline: a, Candidate: b}, o)
		require.NoError(t, err)
		back, err := Judge(swap.PerArm[Run]{Baseline: b, Candidate: a}, o)
		require.NoError(t, err)
		g, h := there.Gates[0], back.Gates[0]
		require.InEpsilon(t, 1+g.Low.Or(0), 1/(1+h.High.Or(0)), 1e-9)
		require.InEpsilon(t, 1+g.High.Or(0), 1/(1+h.Low.Or(0)), 1e-9)
		if g.Decision == swap.Fail {
			require.Equal(t, swap.Pass, h.Decision)
		}
	})
}

// More noise between runs never decides more.
func TestNoiseWidensSummaries(t *testing.T) {
	o := options()
	o.Gates = []swap.Gate{ttft(swap.StatP50, .1)}
	baseline := Run{Profile: "vllm", Stages: []Stage{lognormal(Level{Rate: 8}, 8000, 100, .3)}}
	candidate := Run{Profile: "vllm", Stages: []Stage{lognormal(Level{Rate: 8}, 8000, 103, .3)}}
	width := -1.0
	for _, noise := range []float64{0, .03, .1} {
		o.Noise = noise
		g := judged(t, baseline, candidate, o).Gates[0]
		require.Greater(t, g.High.Or(0)-g.Low.Or(0), width)
		width = g.High.Or(0) - g.Low.Or(0)
	}
}
