package swapbench

import (
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Trial is the evidence of one repetition. What the rules read of it is sorted once for all of them: none depends on the order of
// requests within a block. It is not safe for concurrent use.
type Trial struct {
	Evidence judge.Evidence
	sorted   map[swap.Metric]*samples
}

// samples are the values of a metric in ascending order: of requests, or of blocks for throughput and error rate.
type samples struct {
	all swap.PerArm[[]float64]
	// blocks are the candidate's, in the order of time.
	blocks [][]float64
}

func (t *Trial) samples(metric swap.Metric) *samples {
	s, known := t.sorted[metric]
	if !known {
		s = samplesOf(t.Evidence.Blocks, metric)
		if t.sorted == nil {
			t.sorted = map[swap.Metric]*samples{}
		}
		t.sorted[metric] = s
	}
	return s
}

func samplesOf(blocks []judge.Block, metric swap.Metric) *samples {
	s := &samples{}
	for i := range blocks {
		values := valuesOf(&blocks[i], metric)
		slices.Sort(values)
		arm := s.all.Ptr(blocks[i].Arm)
		*arm = append(*arm, values...)
		if blocks[i].Arm == swap.Candidate {
			s.blocks = append(s.blocks, values)
		}
	}
	slices.Sort(s.all.Baseline)
	slices.Sort(s.all.Candidate)
	return s
}

// valuesOf are a block's values of a metric, which the caller may change.
func valuesOf(b *judge.Block, metric swap.Metric) []float64 {
	switch metric {
	case swap.MetricThroughput:
		if rate, known := b.TokensPerSecond(); known {
			return []float64{rate}
		}
		return nil
	case swap.MetricErrorRate:
		if total := b.Outcomes.Total(); total > 0 {
			return []float64{float64(b.Outcomes.Failed()) / float64(total)}
		}
		return nil
	}
	return slices.DeleteFunc(slices.Clone(b.Requests.PerRequest(metric)), math.IsNaN)
}

// level is the statistic of a gate on sorted values: its quantile, or the mean.
func level(stat swap.Stat, sorted []float64) float64 {
	if p, ok := stat.Quantile(); ok {
		return stats.Quantile(sorted, p)
	}
	return stats.Sum(sorted) / float64(len(sorted))
}
