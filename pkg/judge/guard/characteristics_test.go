package guard

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/sim/process"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// long runs the simulations with the repetitions that a release needs.
var long = flag.Bool("long", false, "simulate operating characteristics with 4000 repetitions")

// rollout is a rollout of slices, with correlated requests and a drifting system.
type rollout struct {
	shift            float64
	slices, requests int
	candidateFails   float64
	// fewer requests of the candidate than of the baseline, as at a small weight.
	candidateShare float64
	gates          []swap.Gate
}

const baseFails = .005

func (r rollout) process(shift float64) process.Process {
	return process.Process{Marginal: process.LogNormal(100, .5), Phi: .9, Share: .5, Shift: shift}
}

// run returns the slice after which the guard fired, or 0.
func (r rollout) run(t *testing.T, random *rand.Rand) int {
	t.Helper()
	base, cand := r.process(1), r.process(r.shift)
	levels := process.Drift{Rise: .05, Wander: .02, Memory: .9}.Levels(random, r.slices)
	watches := r.watches(t, random, base)
	state := State{}
	for k := range r.slices {
		b := base.Block(random, r.requests, levels[k])
		c := cand.Block(random, int(float64(r.requests)*r.candidateShare), levels[k])
		slice := make([]swap.PerArm[Sum], len(watches))
		for i, w := range watches {
			slice[i] = swap.PerArm[Sum]{Baseline: r.sum(random, w, swap.Baseline, b), Candidate: r.sum(random, w, swap.Candidate, c)}
		}
		state = state.Observe(Default(), watches, slice)
		if len(state.Alarms(Default())) > 0 {
			return k + 1
		}
	}
	return 0
}

// watches take the baseline's quantiles from twenty blocks before the rollout.
func (r rollout) watches(t *testing.T, random *rand.Rand, base process.Process) []Watch {
	t.Helper()
	var before []float64
	for range 20 {
		before = append(before, base.Block(random, 200, 1)...)
	}
	slices.Sort(before)
	watches := make([]Watch, len(r.gates))
	for i, g := range r.gates {
		q, _ := g.Stat.Quantile()
		var err error
		watches[i], err = New(g, stats.Quantile(before, q))
		require.NoError(t, err)
	}
	return watches
}

func (r rollout) sum(random *rand.Rand, w Watch, arm swap.Arm, values []float64) Sum {
	s := Sum{Den: float64(len(values))}
	for _, v := range values {
		switch {
		case w.Gate.Metric == swap.MetricErrorRate:
			fails := baseFails
			if arm == swap.Candidate {
				fails = r.candidateFails
			}
			if random.Float64() < fails {
				s.Num++
			}
		case w.Gate.Stat == swap.StatMean:
			s.Num += v
		case v > w.Threshold(arm):
			s.Num++
		}
	}
	return s
}

func p99() swap.Gate {
	return swap.Gate{Metric: swap.MetricTTFT, Stat: swap.StatP99, Margin: .1, Unit: swap.Relative, Better: swap.LowerIsBetter}
}

func allGates() []swap.Gate {
	median := p99()
	median.Stat, median.Margin = swap.StatP50, .1
	return []swap.Gate{
		p99(), median,
		{Metric: swap.MetricE2E, Stat: swap.StatMean, Margin: .1, Unit: swap.Relative, Better: swap.LowerIsBetter},
		{Metric: swap.MetricErrorRate, Stat: swap.StatRate, Margin: .005, Unit: swap.Absolute, Better: swap.LowerIsBetter},
	}
}

func (r rollout) often(t *testing.T) (fired float64, median int) {
	t.Helper()
	repetitions := 500
	if *long {
		repetitions = 4000
	}
	random := rand.New(rand.NewPCG(1, 5))
	var after []int
	for range repetitions {
		if k := r.run(t, random); k > 0 {
			after = append(after, k)
		}
	}
	fired = float64(len(after)) / float64(repetitions)
	if len(after) > repetitions/2 {
		slices.Sort(after)
		median = after[repetitions/2]
	}
	t.Logf("fired %.4f, median after %d slices", fired, median)
	return fired, median
}

func TestOperatingCharacteristics(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates thousands of rollouts")
	}
	usual := rollout{shift: 1, slices: 60, requests: 200, candidateFails: baseFails, candidateShare: 1, gates: []swap.Gate{p99()}}
	with := func(change func(r *rollout)) rollout {
		r := usual
		change(&r)
		return r
	}
	for _, c := range []struct {
		name   string
		r      rollout
		most   float64
		least  float64
		median int
	}{
		{"equal arms", usual, .01, 0, 0},
		{"at the margin", with(func(r *rollout) { r.shift = 1.1 }), .01, 0, 0},
		{"every gate at its margin", with(func(r *rollout) { r.shift, r.candidateFails, r.gates = 1.1, 2*baseFails, allGates() }), .01, 0, 0},
		{"at the margin and few candidate requests", with(func(r *rollout) { r.shift, r.candidateShare, r.slices = 1.1, .1, 200 }), .01, 0, 0},
		{"+50 %", with(func(r *rollout) { r.shift = 1.5 }), 1, .99, 12},
		{"+50 % among other gates", with(func(r *rollout) { r.shift, r.gates = 1.5, allGates() }), 1, .99, 12},
		{"4 % of errors", with(func(r *rollout) { r.candidateFails, r.gates = .04, allGates() }), 1, .99, 15},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fired, median := c.r.often(t)
			noise := 2 * math.Sqrt(c.most*(1-c.most)/500)
			require.LessOrEqual(t, fired, c.most+noise)
			require.GreaterOrEqual(t, fired, c.least)
			if c.median > 0 {
				require.NotZero(t, median)
				require.LessOrEqual(t, median, c.median)
			}
		})
	}
}
