package swapbench

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/config"
	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/swap"
)

// truth is the worsening in a gate that the parameters of a scenario imply, launch effects apart.
func (s *Scenario) truth(g swap.Gate) float64 {
	base, cand := s.arm(swap.Baseline), s.arm(swap.Candidate)
	q, _ := g.Stat.Quantile()
	switch g.Metric {
	case swap.MetricTTFT:
		return worsening(g, base.ttft.Quantile(q), cand.ttft.Quantile(q))
	case swap.MetricTPOT:
		return worsening(g, base.tpot.Quantile(q), cand.tpot.Quantile(q))
	case swap.MetricThroughput: // of good requests
		return worsening(g, base.rate*(1-base.fail), cand.rate*(1-cand.fail))
	case swap.MetricErrorRate:
		return worsening(g, base.fail, cand.fail)
	case swap.MetricOutputTokens: // log-normal on both arms, so that the means have the ratio of the medians
		return worsening(g, base.tokens, cand.tokens)
	case swap.MetricQuality:
		return worsening(g, base.quality, cand.quality)
	}
	panic("no truth for " + g.Name())
}

func TestEffectsFollowFromTheParameters(t *testing.T) {
	for _, s := range Scenarios() {
		if s.Line != DataFault {
			require.InDelta(t, s.Effect, s.truth(s.Gates[0]), 1e-9, s.Name)
		}
	}
}

// TestGeneratorsMeetTheirLabels estimates the worsening in every judged gate over repetitions as they are judged, dependence, drift and
// launch effects included. It must be within the error of the estimate, which tells the effect in the first gate from half of it.
func TestGeneratorsMeetTheirLabels(t *testing.T) {
	for _, s := range Scenarios() {
		if s.Line == DataFault || s.CandErrors == 1 {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			e := newEstimates(&s)
			e.repeat(48_000)
			for s.Effect != 0 && tolerance*e.of(0).se >= math.Abs(s.Effect)/2 {
				e.repeat(48_000)
			}
			for i, g := range s.Gates {
				estimate := e.of(i)
				require.InDelta(t, s.truth(g), estimate.mean, tolerance*estimate.se+bias(g), g.Name())
			}
		})
	}
}

// tolerance in standard errors: hundreds of estimates are compared.
const tolerance = 4.5

// bias allows for times in whole microseconds, lengths in whole tokens, and quantiles of finite samples.
func bias(g swap.Gate) float64 {
	if g.Metric.IsShare() {
		return 0
	}
	return .003
}

type estimate struct{ mean, se float64 }

// estimates are sums over repetitions of the difference in each gate, on the logarithmic scale where the margin is relative.
type estimates struct {
	*Scenario
	random        *rand.Rand
	n             float64
	sums, squares []float64
}

func newEstimates(s *Scenario) *estimates {
	return &estimates{
		Scenario: s, random: rand.New(rand.NewPCG(7, hash(s.Name))),
		sums: make([]float64, len(s.Gates)), squares: make([]float64, len(s.Gates)),
	}
}

// repeat adds repetitions of so many requests an arm together.
func (e *estimates) repeat(requests int) {
	for ; requests > 0; requests -= e.Pairs * e.Requests {
		e.n++
		t := Trial{Evidence: e.Evidence(e.random, 0)}
		for i, g := range e.Gates {
			x := t.difference(g)
			e.sums[i] += x
			e.squares[i] += x * x
		}
	}
}

// of is the mean worsening in gate i with its standard error.
func (e *estimates) of(i int) estimate {
	mean := e.sums[i] / e.n
	se := math.Sqrt((e.squares[i]/e.n - mean*mean) / (e.n - 1))
	if g := e.Gates[i]; g.Unit == swap.Relative {
		ratio := math.Exp(mean)
		return estimate{worsening(g, 1, ratio), ratio * se}
	}
	return estimate{worsening(e.Gates[i], 0, mean), se}
}

// difference is the candidate's level against the baseline's: a log-ratio, or a difference.
func (t *Trial) difference(g swap.Gate) float64 {
	values := t.samples(g.Metric)
	base, cand := level(g.Stat, values.all.Baseline), level(g.Stat, values.all.Candidate)
	if g.Metric == swap.MetricThroughput {
		base, cand = level(swap.StatMean, values.all.Baseline), level(swap.StatMean, values.all.Candidate)
	}
	if g.Unit == swap.Absolute {
		return cand - base
	}
	return math.Log(cand / base)
}

// TestGatesAndSettingsAreTheDefaults holds what is judged to the defaults of a swap.yaml.
func TestGatesAndSettingsAreTheDefaults(t *testing.T) {
	spec, err := config.Parse("swap.yaml", []byte(`
target: chat
baseline: {url: "http://a:8000", model: old}
candidate: {url: "http://b:8000", model: new}
store: {endpoint: "http://s3:9000", bucket: runs, access_key: {env: A}, secret_key: {env: B}}
`), func(string) (string, bool) { return "x", true })
	require.NoError(t, err)
	require.ElementsMatch(t, spec.Gates, defaultGates)
	settings := spec.Judge
	settings.Resamples, settings.Seed = 0, 0
	require.Equal(t, settings, judgeDefaults)
}

func TestFailedRequestsAreCounted(t *testing.T) {
	s := Scenarios()[0]
	s.BaseErrors = .5
	e := s.Evidence(rand.New(rand.NewPCG(1, 1)), 0)
	for i := range e.Blocks {
		b := &e.Blocks[i]
		require.Equal(t, b.Planned, b.Outcomes.Total())
		require.Equal(t, b.Outcomes.Failed(), failedOf(b))
	}
}

func failedOf(b *judge.Block) int {
	n := 0
	for i := range b.Requests.Len() {
		if b.Requests.Outcome(i) != swap.OK {
			n++
		}
	}
	return n
}
