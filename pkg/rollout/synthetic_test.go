package rollout

import (
	"math/rand/v2"
	"time"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/sim/process"
	"github.com/swapgate/swapgate/pkg/swap"
)

// scene is a rollout of known truth: correlated latencies on a system that drifts.
type scene struct {
	// perWindow is how many requests both arms get together in a minute.
	perWindow int
	// ttft and itl are the candidate's factors.
	ttft, itl float64
	// errors is the candidate's share of failed requests.
	errors float64
	// live says that the gateway counts too.
	live bool
}

const (
	baseErrors = .003
	sceneStart = int64(1_700_000_000_000_000_000)
)

// usualGates are the default gates of a plan that the guard can hold.
func usualGates() []swap.Gate {
	latency := func(m swap.Metric, s swap.Stat, margin float64) swap.Gate {
		return swap.Gate{Metric: m, Stat: s, Margin: margin, Unit: swap.Relative, Better: swap.LowerIsBetter}
	}
	return []swap.Gate{
		latency(swap.MetricTTFT, swap.StatP50, .05), latency(swap.MetricTTFT, swap.StatP95, .08), latency(swap.MetricTTFT, swap.StatP99, .1),
		latency(swap.MetricTPOT, swap.StatP95, .1),
		{Metric: swap.MetricThroughput, Stat: swap.StatRate, Margin: .05, Unit: swap.Relative, Better: swap.HigherIsBetter},
		{Metric: swap.MetricErrorRate, Stat: swap.StatRate, Margin: .005, Unit: swap.Absolute, Better: swap.LowerIsBetter},
		{Metric: swap.MetricOutputTokens, Stat: swap.StatMean, Margin: .05, Unit: swap.Relative, Better: swap.Either},
	}
}

// usualPlan is a plan with every default.
func usualPlan() Plan {
	p := Plan{Gates: usualGates(), Rollout: swap.Rollout{
		Weights: []int{1, 5, 20, 50, 100}, Window: swap.Duration(time.Minute), WindowsPerWeight: 1, MaxExtensions: 3, MinRequests: 50,
		Guard: swap.Guard{ErrorRateRise: .05, ErrorMinRequests: 50, LatencyRatio: 3, ConsecutiveFailures: 20},
		Decay: swap.Decay{Rule: swap.DecayACI},
	}}
	for _, w := range p.Weights {
		if n, ok := Needed(w, DefaultSees(w)); ok {
			p.Steps = append(p.Steps, swap.RolloutStep{Weight: w, Sees: DefaultSees(w), MinRequests: n, MinTime: swap.Duration(5 * time.Minute)})
		}
	}
	return p
}

// outcome is how a rollout ended, and after how many windows at 5 % the candidate was rolled back there.
type outcome struct {
	action      swap.Action
	windows     int
	atFive      int
	lastWeight  int
	code        string
	alarmsOfACI int
}

// run is one rollout from the first window to its end. At weights below from the candidate is like the baseline.
func (s scene) run(random *rand.Rand, plan Plan, from int) outcome {
	const most = 400
	levels := process.Drift{Rise: .05, Wander: .02, Memory: .9}.Levels(random, most)
	var state State
	var o outcome
	for o.windows < most {
		weight := state.Weight(plan.Rollout)
		truth := s
		if weight < from {
			truth = scene{perWindow: s.perWindow, ttft: 1, itl: 1, errors: baseErrors, live: s.live}
		}
		w, records := truth.window(random, weight, o.windows, levels[o.windows])
		w, state = Next(plan, state, w, Evidence{Probes: records})
		o.windows++
		if weight == 5 {
			o.atFive++
		}
		if w.Decay != nil && w.Decay.Alarm {
			o.alarmsOfACI++
		}
		o.action, o.lastWeight = w.Decision.Action, weight
		if a := w.Decision.Action; a == swap.ActionRollback || a == swap.ActionStop || a == swap.ActionPromote {
			if len(w.Decision.Reason) > 0 {
				o.code = w.Decision.Reason[0].Code
			}
			break
		}
	}
	return o
}

// window makes the requests of a minute, each arm with its exact share.
func (s scene) window(random *rand.Rand, weight, index int, level float64) (swap.Window, []rawlog.Record) {
	start := time.Unix(0, sceneStart).Add(time.Duration(index) * time.Minute)
	weights := swap.Weights{Baseline: 100 - weight, Candidate: weight}
	w := swap.Window{Weights: weights, ReadBack: weights, Started: start, Ended: start.Add(time.Minute)}
	cand := (s.perWindow*weight + 50) / 100
	records := s.requests(random, swap.Baseline, s.perWindow-cand, start, level)
	records = append(records, s.requests(random, swap.Candidate, cand, start, level)...)
	for _, arm := range swap.Arms {
		*w.Arms.Ptr(arm) = rawlog.WindowOf(records, arm)
		if s.live {
			stats := w.Arms.Ptr(arm)
			stats.GatewayRequests = swap.Of(float64(stats.Requests))
			stats.GatewayErrors = swap.Of(float64(stats.Outcomes.Failed()))
		}
	}
	return w, records
}

func (s scene) requests(random *rand.Rand, arm swap.Arm, n int, start time.Time, level float64) []rawlog.Record {
	ttft := process.Process{Marginal: process.LogNormal(200, .5), Phi: .9, Share: .5}
	tpot := process.Process{Marginal: process.LogNormal(20, .2), Phi: .9, Share: .5}
	errors := baseErrors
	if arm == swap.Candidate {
		ttft.Shift, tpot.Shift, errors = s.ttft, s.itl, s.errors
	}
	firsts, gaps := ttft.Block(random, n, level), tpot.Block(random, n, level)
	records := make([]rawlog.Record, n)
	for i := range records {
		r := &records[i]
		r.Arm, r.Measured, r.Outcome = string(arm), true, string(swap.OK)
		r.PlannedUnixNS = start.Add(time.Duration(float64(time.Minute) * float64(i) / float64(n))).UnixNano()
		r.SentUnixNS = r.PlannedUnixNS
		if random.Float64() < errors {
			r.Outcome = string(swap.HTTP5xx)
			continue
		}
		tokens := int32(64 + random.IntN(128))
		first := int64(1000 * firsts[i])
		last := first + int64(1000*gaps[i]*float64(tokens-1))
		r.FirstUS, r.LastUS, r.OutputTokens, r.Chunks = &first, &last, &tokens, tokens
	}
	return records
}
