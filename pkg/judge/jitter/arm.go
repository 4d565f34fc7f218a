package jitter

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/stats/outlier"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// mostExamples are named of each kind and cluster.
	mostExamples = 5
	// normal95 is the quantile of the normal distribution for a two-sided interval of 95 %.
	normal95 = 1.959963984540054
	// leastGap keeps the logarithm of a gap finite: 1 ms.
	leastGap = 1e-3
	// mostClustered bounds the work of clustering; the slowest are clustered.
	mostClustered = 2000
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
	var found []slow
	var periods, counts, totals []float64
	var strata stats.Strata
	for _, step := range sortedKeys(steps) {
		above := fence(steps[step])
		for _, b := range steps[step] {
			outliers, period := b.label(above)
			found = append(found, outliers...)
			if period > 0 {
				periods = append(periods, period)
			}
			counts, totals = append(counts, float64(len(outliers))), append(totals, float64(len(b.requests)))
			strata = append(strata, step)
		}
	}
	j := swap.ArmJitter{Requests: int(stats.Sum(totals)), Outliers: len(found)}
	j.OutlierShare, j.ShareLow, j.ShareHigh = share(counts, totals, strata)
	j.Labels = labels(found, periods)
	j.Clusters, j.ClustersMessage = clusters(found)
	return j
}

func sortedKeys(m map[int][]block) []int {
	var keys []int
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// share has Wilson's interval over the effective number of requests, as error rates have.
func share(counts, totals []float64, strata stats.Strata) (value, low, high swap.Value) {
	p := stats.Proportion{Successes: stats.Sum(counts), Trials: stats.Sum(totals)}
	if p.Trials == 0 {
		return swap.Absent(), swap.Absent(), swap.Absent()
	}
	l, h := p.Deflated(stats.DesignEffect(counts, totals, strata.MergeSingles())).Wilson(normal95)
	return swap.Of(p.Share()), swap.Of(l), swap.Of(h)
}

func labels(found []slow, periods []float64) []swap.JitterLabel {
	var all []swap.JitterLabel
	for _, kind := range kinds {
		of := slices.DeleteFunc(slices.Clone(found), func(s slow) bool { return s.kind != kind })
		if len(of) == 0 {
			continue
		}
		l := swap.JitterLabel{Kind: kind, Count: len(of), Share: swap.Of(float64(len(of)) / float64(len(found))), Examples: examples(of)}
		if kind == swap.JitterPeriodic {
			l.PeriodSeconds = median(periods)
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

// clusters groups the outliers by the logarithms of their latency and of the gap before them. The raw record tells neither the
// round-trip time nor the GPU of a request, so that no such axis is there.
func clusters(found []slow) (groups []swap.JitterCluster, message string) {
	if len(found) > mostClustered {
		found = slices.Clone(found)
		slices.SortStableFunc(found, func(a, b slow) int { return cmp.Compare(b.ttft, a.ttft) })
		found = found[:mostClustered]
	}
	points := make([][]float64, len(found))
	for i, s := range found {
		points[i] = []float64{math.Log(s.ttft), math.Log(max(s.gap, leastGap))}
	}
	c, err := outlier.Cluster(points)
	switch {
	case errors.Is(err, outlier.ErrInsufficient):
		return nil, fmt.Sprintf("%d outliers are insufficient for clusters", len(found))
	case err != nil:
		return nil, "clusters could not be told: " + err.Error()
	}
	for k := range c.Clusters {
		var of []slow
		var ttft, gaps []float64
		for i, label := range c.Labels {
			if label == k {
				of, ttft, gaps = append(of, found[i]), append(ttft, found[i].ttft), append(gaps, found[i].gap)
			}
		}
		groups = append(groups, swap.JitterCluster{Count: len(of), TTFTms: median(ttft), GapSeconds: median(gaps), Examples: examples(of)})
	}
	noun := "clusters"
	if c.Clusters == 1 {
		noun = "cluster"
	}
	return groups, fmt.Sprintf("%d %s in %d outliers", c.Clusters, noun, len(found))
}

func median(values []float64) swap.Value {
	if len(values) == 0 {
		return swap.Absent()
	}
	sorted := slices.Sorted(slices.Values(values))
	return swap.Of(stats.Quantile(sorted, .5))
}
