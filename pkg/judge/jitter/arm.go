package jitter

import (
	"cmp"
	"slices"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// mostExamples are named of each kind and cluster.
	mostExamples = 5
	// normal95 is the quantile of the normal distribution for a two-sided interval of 95 %.
	normal95 = 1.959963984540054
)

var kinds = [...]swap.JitterKind{swap.JitterColdStart, swap.JitterPeriodic, swap.JitterGlitch, swap.JitterUnexplained}

// ofArm labels the outliers of each step by the step's own fence: a step of more load is slower without jitter.
func ofArm(blocks []block, arm swap.Arm) swap.ArmJitter {
	steps := map[int][]block{}
	for _, b := range blocks {
		if b.arm == arm && len(b.requests) > 0 {
			steps[b.step] = append(steps[b.step], b)
		}
	}
	var found tail
	for _, step := range sortedKeys(steps) {
		found.addStep(step, steps[step])
	}
	j := swap.ArmJitter{Requests: int(stats.Sum(found.totals)), Outliers: len(found.slow)}
	j.OutlierShare, j.ShareLow, j.ShareHigh = found.share(func(slow) bool { return true })
	j.Labels = found.labels()
	j.Axes, j.Clusters, j.ClustersMessage = clusters(found.slow)
	return j
}

// tail are the outliers of an arm, with the requests of each of its blocks.
type tail struct {
	slow    []slow
	periods []float64
	// blocks is the place among the blocks of each outlier; totals are the requests of each block and strata their steps.
	blocks []int
	totals []float64
	strata stats.Strata
}

func (t *tail) addStep(step int, blocks []block) {
	above, began := fence(blocks), blocks[0].requests[0].sent
	for _, b := range blocks {
		began = min(began, b.requests[0].sent)
	}
	for _, b := range blocks {
		outliers, period := b.label(above)
		for _, s := range outliers {
			s.in = seconds(s.sent - began)
			t.slow, t.blocks = append(t.slow, s), append(t.blocks, len(t.totals))
		}
		if period > 0 {
			t.periods = append(t.periods, period)
		}
		t.totals, t.strata = append(t.totals, float64(len(b.requests))), append(t.strata, step)
	}
}

func sortedKeys(m map[int][]block) []int {
	var keys []int
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// share is that of the requests that are outliers of a sort, with Wilson's interval over the effective number of requests, as error
// rates have.
func (t *tail) share(of func(slow) bool) (value, low, high swap.Value) {
	counts := make([]float64, len(t.totals))
	for i, s := range t.slow {
		if of(s) {
			counts[t.blocks[i]]++
		}
	}
	p := stats.Proportion{Successes: stats.Sum(counts), Trials: stats.Sum(t.totals)}
	if p.Trials == 0 {
		return swap.Absent(), swap.Absent(), swap.Absent()
	}
	l, h := p.Deflated(stats.DesignEffect(counts, t.totals, t.strata.MergeSingles())).Wilson(normal95)
	return swap.Of(p.Share()), swap.Of(l), swap.Of(h)
}

func (t *tail) labels() []swap.JitterLabel {
	var all []swap.JitterLabel
	for _, kind := range kinds {
		of := slices.DeleteFunc(slices.Clone(t.slow), func(s slow) bool { return s.kind != kind })
		if len(of) == 0 {
			continue
		}
		l := swap.JitterLabel{Kind: kind, Count: len(of), Share: swap.Of(float64(len(of)) / float64(len(t.slow))), Examples: examples(of)}
		l.Rate, l.RateLow, l.RateHigh = t.share(func(s slow) bool { return s.kind == kind })
		if kind == swap.JitterPeriodic {
			l.PeriodSeconds = median(t.periods)
		}
		all = append(all, l)
	}
	return all
}

func examples(of []slow) []swap.RequestPlace {
	slowest := slices.Clone(of)
	slices.SortStableFunc(slowest, func(a, b slow) int { return cmp.Compare(b.ttft, a.ttft) })
	var places []swap.RequestPlace
	for _, s := range slowest[:min(mostExamples, len(slowest))] {
		places = append(places, swap.RequestPlace{
			Step: s.step, Block: s.block, Seq: int(s.seq), TTFTms: swap.Of(s.ttft),
		})
	}
	return places
}

func median(values []float64) swap.Value {
	if len(values) == 0 {
		return swap.Absent()
	}
	sorted := slices.Sorted(slices.Values(values))
	return swap.Of(stats.Quantile(sorted, .5))
}
