package drift

import (
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/baseline/registry"
	"github.com/swapgate/swapgate/pkg/swap"
)

// kept says whether a registered block tells the gate's statistic.
func kept(g swap.Gate) bool {
	switch g.Metric {
	case swap.MetricErrorRate, swap.MetricThroughput:
		return true
	case swap.MetricOutputTokens:
		return g.Stat == swap.StatMean || keptQuantile(g.Stat)
	case swap.MetricQuality:
		return false
	case swap.MetricTTFT, swap.MetricTTFTScheduled, swap.MetricTPOT, swap.MetricE2E:
	}
	return keptQuantile(g.Stat)
}

func keptQuantile(s swap.Stat) bool {
	return s == swap.StatP50 || s == swap.StatP95 || s == swap.StatP99
}

// valuesOf are the gate's statistic in the blocks of each level. A quantile that falls on failures is +Inf; what a block cannot
// tell, such as tokens that the server does not count, is NaN. Blocks without any request are passed over.
func valuesOf(g swap.Gate, levels []registry.Level) [][]float64 {
	values := make([][]float64, len(levels))
	for i, l := range levels {
		for _, b := range l.Blocks {
			if b.Requests > 0 {
				values[i] = append(values[i], valueOf(g, b))
			}
		}
	}
	return values
}

// scheduledOf are valuesOf by pairs. The two blocks of a pair follow each other and run one schedule, which the seed of the
// workload, the step and the number of the pair give: it is the same in every run with the same work hash.
func scheduledOf(g swap.Gate, levels []registry.Level) []Scheduled {
	values := make([]Scheduled, len(levels))
	for i, l := range levels {
		values[i] = Scheduled{}
		for _, b := range l.Blocks {
			if pair := (b.Block + 1) / 2; b.Requests > 0 {
				values[i][pair] = append(values[i][pair], valueOf(g, b))
			}
		}
	}
	return values
}

// givenBySchedule says whether the schedule gives the statistic, as long as the server keeps up: the tokens of an open loop are
// those of the requests that happen to arrive in a block.
func givenBySchedule(g swap.Gate, levels []registry.Level) bool {
	return (g.Metric == swap.MetricThroughput || g.Metric == swap.MetricOutputTokens) &&
		slices.ContainsFunc(levels, func(l registry.Level) bool { return l.Load.Rate > 0 && l.Load.Concurrency == 0 && l.Load.KVShare == 0 })
}

func valueOf(g swap.Gate, b registry.Block) float64 {
	tokens := b.Tokens.Or(math.NaN())
	switch {
	case g.Metric == swap.MetricThroughput:
		return tokens / b.Seconds
	case g.Metric == swap.MetricOutputTokens && g.Stat == swap.StatMean:
		return tokens / float64(b.Requests-b.Failed)
	}
	for _, m := range b.Metrics {
		if m.Metric != g.Metric {
			continue
		}
		absent := math.NaN()
		if b.Failed > 0 && m.N > 0 {
			absent = math.Inf(1)
		}
		return quantileOf(g.Stat, m).Or(absent)
	}
	return math.NaN()
}

func quantileOf(s swap.Stat, m registry.BlockMetrics) swap.Value {
	switch s {
	case swap.StatP50:
		return m.P50
	case swap.StatP95:
		return m.P95
	case swap.StatP99:
		return m.P99
	case swap.StatP90, swap.StatMean, swap.StatRate:
	}
	return swap.Absent()
}

// sharesOf are the failures of all blocks of all levels.
func sharesOf(levels []registry.Level) Shares {
	var s Shares
	for _, l := range levels {
		for _, b := range l.Blocks {
			if b.Requests > 0 {
				s.Failed, s.Finished = append(s.Failed, float64(b.Failed)), append(s.Finished, float64(b.Requests))
			}
		}
	}
	return s
}

// align gives the levels of both sides that have the same load, in the order of steps.
func align(then, now []registry.Level) (before, after []registry.Level) {
	for _, l := range now {
		for _, old := range then {
			if old.Step == l.Step && old.Label == l.Label {
				before, after = append(before, old), append(after, l)
			}
		}
	}
	return before, after
}

// Merge adds the blocks of the second measurement to those of the first, level by level. Only the numbers of blocks are merged.
func Merge(first, second []registry.Level) []registry.Level {
	merged := make([]registry.Level, len(first))
	for i, l := range first {
		merged[i] = registry.Level{Step: l.Step, Label: l.Label, Load: l.Load}
		merged[i].Blocks = append(merged[i].Blocks, l.Blocks...)
		for _, other := range second {
			if other.Step == l.Step {
				merged[i].Blocks = append(merged[i].Blocks, other.Blocks...)
			}
		}
	}
	return merged
}

// LevelIn is the gate's level in one run with its standard error by blocks: geometric and of the logarithm for a relative margin.
// ok is false where the run does not tell.
func LevelIn(g swap.Gate, levels []registry.Level) (value, deviation float64, ok bool) {
	if !kept(g) {
		return 0, 0, false
	}
	if g.Metric == swap.MetricErrorRate {
		p, has := sharesOf(levels).proportion()
		return p.Share(), math.Sqrt(p.Share() * (1 - p.Share()) / p.Trials), has
	}
	values := valuesOf(g, levels)
	l, ok := levelOf(values, values, g.Unit != swap.Absolute)
	if g.Unit != swap.Absolute {
		l.mean = math.Exp(l.mean)
	}
	return l.mean, math.Sqrt(l.variance), ok
}
