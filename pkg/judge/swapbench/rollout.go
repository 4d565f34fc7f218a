package swapbench

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/swapgate/swapgate/pkg/judge/guard"
	"github.com/swapgate/swapgate/pkg/sim/process"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// The shape of a rollout: slices of both arms at once, on a system that rises and wanders; the quantiles that the guard holds come
// from blocks before it.
const (
	rolloutSlices   = 60
	sliceRequests   = 200
	burnInBlocks    = 20
	decisionSlices  = 12
	rolloutBaseFail = .005
)

// Rollout is a rollout of known truth, with gates at their default margins.
type Rollout struct {
	Name, Truth string
	// Effect is the true worsening in the first gate; TTFT the candidate's factor, CandErrors its share of failed requests.
	Effect, TTFT, CandErrors float64
	// Gates are TTFT quantiles and the error rate, which the contestants watch.
	Gates []swap.Gate
	// Accept is the right decision: fail is a rollback, pass none over the whole rollout.
	Accept swap.Decision
	Line   Line
}

// Rollouts are all rollouts, in the order of the table.
func Rollouts() []Rollout {
	const fails, later = rolloutBaseFail, "every first token is later"
	tail, both, usual := []swap.Gate{ttftP99}, []swap.Gate{ttftP99, errorRate}, []swap.Gate{ttftP99, ttftP95, ttftP50, errorRate}
	p99, errors := ttftP99.Margin, errorRate.Margin
	return []Rollout{
		{"rollout/same", "the arms are alike", 0, 1, fails, usual, swap.Pass, FalseRollback},
		{"rollout/margin-p99", "P99 is worse by exactly the margin", p99, 1 + p99, fails, tail, swap.Pass, FalseRollback},
		{"rollout/margin-both", "P99 and errors are worse by exactly the margins", p99, 1 + p99, fails + errors, both, swap.Pass, FalseRollback},
		{"rollout/p99+20%", later, .2, 1.2, fails, tail, swap.Fail, NoLine},
		{"rollout/p99+50%", later, .5, 1.5, fails, tail, swap.Fail, RollbackTime},
		{"rollout/all+50%", later, .5, 1.5, fails, usual, swap.Fail, RollbackTime},
		{"rollout/errors+3.5", "points more requests fail", .035, 1, fails + .035, []swap.Gate{errorRate, ttftP99}, swap.Fail, NoLine},
	}
}

// slice is what both arms did in one slice: times to the first token in ascending order, and failed requests.
type slice struct {
	ttft   swap.PerArm[[]float64]
	failed swap.PerArm[int]
}

// watcher sees the slices of one rollout in their order and reports whether to roll back.
type watcher func(slice) bool

// sentinel is a contestant on slices.
type sentinel struct {
	name string
	// begin takes the gates, and the baseline's values from before the rollout in ascending order.
	begin func(gates []swap.Gate, before []float64) watcher
}

func sentinels() []sentinel {
	return []sentinel{
		{Ours, guarded},
		{"fixed +10 %", func(gates []swap.Gate, _ []float64) watcher { return failing(gates) }},
		{"Flagger 5 in all", func(gates []swap.Gate, _ []float64) watcher { return failedSlices(gates, false) }},
		{"Argo 5 in a row", func(gates []swap.Gate, _ []float64) watcher { return failedSlices(gates, true) }},
	}
}

// guarded is our guard with its default settings.
func guarded(gates []swap.Gate, before []float64) watcher {
	watches := make([]guard.Watch, len(gates))
	for i, g := range gates {
		watches[i].Gate = g
		if q, ok := g.Stat.Quantile(); ok {
			watches[i].Tail = stats.Quantile(before, q)
		}
	}
	state, settings := guard.State{}, guard.Default()
	return func(s slice) bool {
		sums := make([]swap.PerArm[guard.Sum], len(watches))
		for i, w := range watches {
			for _, arm := range swap.Arms {
				*sums[i].Ptr(arm) = guard.Sum{Num: s.broken(w, arm), Den: sliceRequests}
			}
		}
		state = state.Observe(settings, watches, sums)
		return len(state.Alarms(settings)) > 0
	}
}

// broken counts an arm's requests that failed, or for a quantile those above its threshold.
func (s slice) broken(w guard.Watch, arm swap.Arm) float64 {
	if w.Gate.Metric == swap.MetricErrorRate {
		return float64(s.failed.Get(arm))
	}
	values, threshold := s.ttft.Get(arm), w.Threshold(arm)
	return float64(len(values) - sort.Search(len(values), func(i int) bool { return values[i] > threshold }))
}

// failing holds the candidate against the baseline in the same slice.
func failing(gates []swap.Gate) watcher {
	return func(s slice) bool { return slices.ContainsFunc(gates, s.exceeds) }
}

func (s slice) exceeds(g swap.Gate) bool {
	if g.Metric == swap.MetricErrorRate {
		return exceeds(g, float64(s.failed.Baseline)/sliceRequests, float64(s.failed.Candidate)/sliceRequests)
	}
	return exceeds(g, level(g.Stat, s.ttft.Baseline), level(g.Stat, s.ttft.Candidate))
}

// failedSlices rolls back after failedChecks slices that failed, in a row or in all.
func failedSlices(gates []swap.Gate, inARow bool) watcher {
	failed, fails := 0, failing(gates)
	return func(s slice) bool {
		switch {
		case fails(s):
			failed++
		case inARow:
			failed = 0
		}
		return failed >= failedChecks
	}
}

// run returns after how many slices each sentinel rolled back, 0 where it did not.
func (r *Rollout) run(random *rand.Rand, all []sentinel) []int {
	base := process.Process{Marginal: process.LogNormal(100, .5), Phi: .9, Share: correlatedShare}
	cand := base
	cand.Shift = r.TTFT
	var before []float64
	for range burnInBlocks {
		before = append(before, base.Block(random, sliceRequests, 1)...)
	}
	slices.Sort(before)
	watchers, after := make([]watcher, len(all)), make([]int, len(all))
	for i, s := range all {
		watchers[i] = s.begin(r.Gates, before)
	}
	levels := process.Drift{Rise: .05, Wander: .02, Memory: .9}.Levels(random, rolloutSlices)
	for number, level := range levels {
		var s slice
		s.ttft.Baseline, s.ttft.Candidate = base.Block(random, sliceRequests, level), cand.Block(random, sliceRequests, level)
		s.failed.Baseline, s.failed.Candidate = failures(random, rolloutBaseFail), failures(random, r.CandErrors)
		slices.Sort(s.ttft.Baseline)
		slices.Sort(s.ttft.Candidate)
		for i, watch := range watchers {
			if after[i] == 0 && watch(s) {
				after[i] = number + 1
			}
		}
	}
	return after
}

func failures(random *rand.Rand, share float64) int {
	n := 0
	for range sliceRequests {
		if random.Float64() < share {
			n++
		}
	}
	return n
}

// rows runs the rollout with every sentinel; they are cheap, so that all have as many repetitions as ours.
func (r *Rollout) rows(ctx context.Context, o Options) ([]Row, error) {
	all := sentinels()
	after := make([][]int, o.Repetitions)
	if err := parallel(ctx, len(after), func(k int) { after[k] = r.run(o.random(r.Name, k), all) }); err != nil {
		return nil, err
	}
	rows := make([]Row, len(all))
	for i, s := range all {
		row := Row{
			Scenario: r.Name, Group: "rollout", Truth: r.Truth, Effect: r.Effect, Line: r.Line, Judged: namesOf(r.Gates), Wanted: wanted(r.Accept),
			Contestant: s.name, Repetitions: len(after),
		}
		ends := make([]int, len(after))
		for k := range after {
			ends[k] = after[k][i]
		}
		row.addRollouts(r.Accept, ends)
		rows[i] = row
	}
	return rows, nil
}

// addRollouts counts the slices after which rollouts were rolled back, 0 for never.
func (r *Row) addRollouts(accept swap.Decision, ends []int) {
	for k, end := range ends {
		if end == 0 {
			r.Pass++
			ends[k] = math.MaxInt
			continue
		}
		r.Fail++
		if end <= decisionSlices {
			r.InTime++
		}
	}
	r.Right = r.Fail
	if accept == swap.Pass {
		r.Right = r.Pass
	}
	r.ReasonHeld = r.Right
	slices.Sort(ends)
	if median := ends[len(ends)/2]; median < math.MaxInt {
		r.Samples = median * sliceRequests
	}
}
