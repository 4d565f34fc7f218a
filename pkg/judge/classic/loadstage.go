package classic

import (
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// loadStage gives the rules what they look at. They know answered requests only: a failed one has no latency for them.
type loadStage struct {
	blocks []judge.Block
	curves []swap.Capacity
}

// subject names what a rule looks at; with the filter, of what it leaves.
func (loadStage) subject(r swap.OpinionRule) string {
	if r.Filter != "" {
		return r.Subject() + " after " + string(r.Filter)
	}
	return r.Subject()
}

// steps in ascending order.
func (l loadStage) steps() []int {
	var steps []int
	for i := range l.blocks {
		steps = append(steps, l.blocks[i].Step)
	}
	slices.Sort(steps)
	return slices.Compact(steps)
}

// answered are the values of the answered requests of a block.
func answered(b *judge.Block, metric swap.Metric) []float64 {
	var values []float64
	for i, v := range b.Requests.PerRequest(metric) {
		if b.Requests.Outcome(i).Good() && !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	return values
}

// pooled are the values of an arm over all steps, without what the filter deletes.
func (l loadStage) pooled(r swap.OpinionRule, arm swap.Arm) []float64 {
	var values []float64
	for i := range l.blocks {
		if l.blocks[i].Arm == arm {
			values = append(values, answered(&l.blocks[i], r.Metric)...)
		}
	}
	if r.Filter != "" {
		values, _ = Filter{}.Clean(values)
	}
	return values
}

// change is the relative change of a statistic; NaN where an arm has none or the baseline's is 0.
func (l loadStage) change(r swap.OpinionRule) float64 {
	baseline, candidate := statistic(l.pooled(r, swap.Baseline), r.Stat), statistic(l.pooled(r, swap.Candidate), r.Stat)
	if baseline == 0 {
		return math.NaN()
	}
	return candidate/baseline - 1
}

// statistic is NaN for no values. It sorts them.
func statistic(values []float64, stat swap.Stat) float64 {
	if p, isQuantile := stat.Quantile(); isQuantile {
		slices.Sort(values)
		return stats.Quantile(values, p)
	}
	return stats.Mean(values)
}

// series is the statistic of each block of an arm in a step, in the order of time; NaN for a block without answers.
func (l loadStage) series(metric swap.Metric, stat swap.Stat, step int, arm swap.Arm) []float64 {
	var out []float64
	for i := range l.blocks {
		if b := &l.blocks[i]; b.Step == step && b.Arm == arm {
			out = append(out, statistic(answered(b, metric), stat))
		}
	}
	return out
}

// seconds is the mean measured time of a block of an arm in a step.
func (l loadStage) seconds(step int, arm swap.Arm) float64 {
	var times []float64
	for i := range l.blocks {
		if b := &l.blocks[i]; b.Step == step && b.Arm == arm {
			times = append(times, b.MeasuredSeconds)
		}
	}
	return stats.Mean(times)
}

// longestCurve are the steps of the curve that has the most of them; of several the first.
func (l loadStage) longestCurve() []int {
	var longest []int
	for _, c := range l.curves {
		if len(c.Steps) > len(longest) {
			longest = c.Steps
		}
	}
	return longest
}

// throughputs are generated tokens of good requests per second of measured time, one a step; NaN where a count is missing.
func (l loadStage) throughputs(steps []int, arm swap.Arm) []float64 {
	out := make([]float64, len(steps))
	for k, step := range steps {
		tokens, seconds := 0., 0.
		for i := range l.blocks {
			b := &l.blocks[i]
			if b.Step != step || b.Arm != arm {
				continue
			}
			seconds += b.MeasuredSeconds
			for i, n := range b.Requests.PerRequest(swap.MetricOutputTokens) {
				if b.Requests.Outcome(i).Good() {
					tokens += n
				}
			}
		}
		out[k] = tokens / seconds
	}
	return out
}

// errorRates are those of an arm's blocks that have a finished request, and over all of them.
func (l loadStage) errorRates(arm swap.Arm) (blocks []float64, all float64) {
	failed, finished := 0, 0
	for i := range l.blocks {
		b := &l.blocks[i]
		if b.Arm != arm {
			continue
		}
		bad, over := 0, 0
		for k := range b.Requests.Len() {
			switch outcome := b.Requests.Outcome(k); {
			case outcome == swap.Abandoned:
			case outcome.Good():
				over++
			default:
				over++
				bad++
			}
		}
		if over > 0 {
			blocks = append(blocks, float64(bad)/float64(over))
		}
		failed, finished = failed+bad, finished+over
	}
	return blocks, float64(failed) / float64(finished)
}
