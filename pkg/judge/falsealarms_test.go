package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/sim/process"
	"github.com/swapgate/swapgate/pkg/swap"
	"gonum.org/v1/gonum/stat/distuv"
)

// healthy is a run whose arms are alike and whose evidence is sound: AR(1) latencies with φ = .9 in each block, a drift of 10 %
// over the run in ABBA order, half a percent of errors, and caches that find a varying part of each prompt.
type healthy struct {
	steps, pairs, requests int
	// closed says that a faster block plans more requests.
	closed bool
}

func (h healthy) evidence(seed uint64) Evidence {
	random := rand.New(rand.NewPCG(seed, 3))
	e := Evidence{Gates: usualGates(), Settings: settings()}
	drift := process.Drift{Rise: .1}.Levels(random, 2*h.pairs*h.steps)
	for step := range h.steps {
		for number := range 2 * h.pairs {
			arm := swap.Baseline
			if number%4 == 1 || number%4 == 2 {
				arm = swap.Candidate
			}
			e.Blocks = append(e.Blocks, h.block(random, step+1, number+1, arm, drift[2*h.pairs*step+number]))
			*e.Planned.Ptr(arm)++
		}
	}
	return e
}

func (h healthy) block(random *rand.Rand, step, number int, arm swap.Arm, level float64) Block {
	n := h.requests
	if h.closed {
		n += int(math.Round(.05 * float64(n) * random.NormFloat64()))
	}
	b := Block{
		Step: step, Block: number, Pair: (number + 1) / 2, Arm: arm, MeasuredSeconds: 10, ScheduleSHA256: "s",
		Planned: n, Recorded: n, Outcomes: swap.OutcomeCounts{},
	}
	latency := process.Process{Marginal: process.LogNormal(100, .5), Phi: .9, Share: .5}
	ttft, tpot := latency.Block(random, n, level), latency.Block(random, n, level/10)
	prompt := int32(200)
	for i := range n {
		first, tokens := int64(1e3*ttft[i]), int32(100+10*random.NormFloat64())
		last, cached := first+int64(1e3*tpot[i]*float64(tokens-1)), int32(16*random.IntN(6))
		record := rawlog.Record{
			Outcome: string(swap.OK), SentUnixNS: 1, LateUS: 100, FirstUS: &first, LastUS: &last, OutputTokens: &tokens,
			PromptTokens: &prompt, CachedTokens: &cached,
		}
		if random.Float64() < .005 {
			record = rawlog.Record{Outcome: string(swap.HTTP5xx), SentUnixNS: 1}
		}
		b.Outcomes[swap.Outcome(record.Outcome)]++
		b.Requests.Append(&record)
	}
	return b
}

// alarms are the codes of all pre-checks that a run would be inconclusive for.
func alarms(e Evidence) map[string]bool {
	p, found := pairUp(e.Blocks), map[string]bool{}
	for _, reason := range check(e, p).reasons {
		found[reason.Code] = true
	}
	e.Settings.Resamples = 2 // the pre-checks need none
	for _, gate := range e.Gates {
		m := measure(gate, p, e.Settings)
		m.compareBaselineToItself(len(e.Gates))
		if m.self.differs {
			found[swap.ReasonSelfCompare] = true
		}
	}
	return found
}

// Together the pre-checks may spoil one healthy run in two hundred. The tolerance is what chance adds once in a thousand tests.
func TestFalseAlarmsOfPreChecks(t *testing.T) {
	for _, h := range []healthy{
		{steps: 1, pairs: 20, requests: 200}, {steps: 4, pairs: 4, requests: 100, closed: true}, {steps: 1, pairs: 10, requests: 100},
	} {
		t.Run(fmt.Sprintf("%+v", h), func(t *testing.T) {
			counts := h.count(falseAlarmRuns)
			t.Logf("of %d runs: %v", falseAlarmRuns, counts)
			for code, n := range counts {
				require.Greater(t, distuv.Binomial{N: falseAlarmRuns, P: .005}.Survival(float64(n)-1), .001, code)
			}
		})
	}
}

func (h healthy) count(runs int) map[string]int {
	counts, lock, workers := map[string]int{}, sync.Mutex{}, sync.WaitGroup{}
	for w := range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for run := w; run < runs; run += runtime.GOMAXPROCS(0) {
				found := alarms(h.evidence(uint64(run)))
				lock.Lock()
				for code := range found {
					counts[code]++
				}
				lock.Unlock()
			}
		})
	}
	workers.Wait()
	return counts
}
