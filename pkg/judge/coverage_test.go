package judge

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/sim/process"
	"github.com/swapgate/swapgate/pkg/swap"
)

// family is a kind of latency with a true change of the candidate, 20 pairs of blocks of 200 requests whose logarithms follow
// an AR(1) process by half. A request fails where its latent score is high, so that failures come in bursts.
type family struct {
	name     string
	stream   uint64
	marginal process.Marginal
}

var families = []family{
	{"log-normal", 1, process.LogNormal(100, .5)},
	{"Weibull", 2, process.Weibull(100, .8)},
	{"Pareto", 3, process.Pareto(20, 100, 3)},
	{"bimodal", 4, process.Bimodal(100, .2, .05, 5)},
}

const (
	coveragePairs, coverageRequests = 20, 200
	trueFactor                      = 1.1
	baseFails, candFails            = .02, .03
)

func coverageGates() []swap.Gate {
	return []swap.Gate{
		gate(swap.MetricTTFT, swap.StatP50, .1), gate(swap.MetricTTFT, swap.StatP95, .1), gate(swap.MetricTTFT, swap.StatP99, .1),
		gate(swap.MetricTTFT, swap.StatMean, .1), gate(swap.MetricThroughput, swap.StatRate, .1),
		gate(swap.MetricErrorRate, swap.StatRate, .01),
	}
}

// truth is the true difference on a gate's scale.
func truth(g swap.Gate) float64 {
	if g.Metric == swap.MetricErrorRate {
		return candFails - baseFails
	}
	return math.Log(trueFactor)
}

// run has the arms' blocks: latencies, and token counts that follow the same family. The blocks of errors are others, because
// a failed request is the worst latency.
func (f family) run(random *rand.Rand) (latencies, errors pairs) {
	for range coveragePairs {
		var answered, failing pair
		for _, arm := range swap.Arms {
			factor, fails := 1., baseFails
			if arm == swap.Candidate {
				factor, fails = trueFactor, candFails
			}
			p := process.Process{Marginal: f.marginal, Phi: .9, Share: .5, Shift: factor}
			*answered.blocks.Ptr(arm) = answeredBlock(p.Block(random, coverageRequests, 1), p.Block(random, coverageRequests, 1))
			*failing.blocks.Ptr(arm) = failingBlock(p.Block(random, coverageRequests, 1), p.Quantile(1-fails))
		}
		latencies.list, latencies.strata = append(latencies.list, answered), append(latencies.strata, 0)
		errors.list, errors.strata = append(errors.list, failing), append(errors.strata, 0)
	}
	return latencies, errors
}

func answeredBlock(latency, tokens []float64) *Block {
	b := &Block{MeasuredSeconds: 10}
	for i := range latency {
		first, n := int64(1e3*latency[i]), int32(1e4*tokens[i])
		last := first + 1000
		b.Requests.Append(&rawlog.Record{Outcome: string(swap.OK), SentUnixNS: 1, FirstUS: &first, LastUS: &last, OutputTokens: &n})
	}
	return b
}

func failingBlock(latency []float64, limit float64) *Block {
	b := &Block{MeasuredSeconds: 10}
	for _, v := range latency {
		outcome := swap.OK
		if v > limit {
			outcome = swap.TimeoutFirst
		}
		b.Requests.Append(&rawlog.Record{Outcome: string(outcome), SentUnixNS: 1})
	}
	return b
}

// misses counts the runs whose lower and upper bound missed the truth, for each gate.
type misses map[string][2]int

func (f family) misses(runs int) misses {
	found, lock, workers := misses{}, sync.Mutex{}, sync.WaitGroup{}
	for w := range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for run := w; run < runs; run += runtime.GOMAXPROCS(0) {
				missed := f.missed(uint64(run))
				lock.Lock()
				for name, m := range missed {
					found[name] = [2]int{found[name][0] + m[0], found[name][1] + m[1]}
				}
				lock.Unlock()
			}
		})
	}
	workers.Wait()
	return found
}

func (f family) missed(run uint64) misses {
	found := misses{}
	latencies, errors := f.run(rand.New(rand.NewPCG(run, f.stream)))
	chosen := settings()
	chosen.Resamples, chosen.Seed = coverageResamples, run
	for _, g := range coverageGates() {
		p := latencies
		if g.Metric == swap.MetricErrorRate {
			p = errors
		}
		m := measure(g, p, chosen)
		low, high := m.interval.bounds(.95)
		var missed [2]int
		if low > truth(g) {
			missed[0]++
		}
		if high < truth(g) {
			missed[1]++
		}
		found[g.Name()] = missed
	}
	return found
}

// The two one-sided bounds of 95 % make a two-sided interval of 90 %. It must cover the truth in 88 to 92 % of all runs, more or
// less by what chance adds to so few of them.
func TestCoverageOfIntervals(t *testing.T) {
	tolerance := .02 + coverageChance
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			for name, m := range f.misses(coverageRuns) {
				below, above := float64(m[0])/coverageRuns, float64(m[1])/coverageRuns
				t.Logf("%-12s covers %.3f, misses %.3f below and %.3f above", name, 1-below-above, below, above)
				require.InDelta(t, .9, 1-below-above, tolerance, name)
			}
		})
	}
}
