package swapbench

import (
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Contestant is a rule that turns evidence into a verdict. Codes are the reason codes that it gives; only our judge has any.
type Contestant struct {
	Name   string
	Decide func(judge.Evidence) Answer
}

// Answer is a contestant's verdict.
type Answer struct {
	Decision swap.Decision
	Codes    []string
	// NeedBlocks is the number of blocks an arm that would decide what is open; 0 where not known.
	NeedBlocks int
}

// Ours is the name of our judge among the contestants.
const Ours = "swapgate"

// Contestants are our judge and the rules that others use, each in its own words on the same requests.
func Contestants() []Contestant {
	all := []Contestant{{Ours, ours}}
	for _, r := range rules() {
		all = append(all, Contestant{r.name, r.decide})
	}
	return all
}

func ours(e judge.Evidence) Answer {
	verdict := judge.Decide(e)
	a := Answer{Decision: verdict.Decision}
	for _, reason := range verdict.Reasons {
		a.Codes = append(a.Codes, reason.Code)
	}
	for i := range verdict.Gates {
		a.NeedBlocks = max(a.NeedBlocks, verdict.Gates[i].NeedBlocks)
	}
	return a
}

// rule fails a gate, or not, by the values of both arms. It never says that it does not know, but where an arm has no values.
type rule struct {
	name  string
	fires func(swap.Gate, samples) bool
}

// samples are the values of a gate's metric: of requests, or of blocks for throughput and error rate.
type samples struct {
	all    swap.PerArm[[]float64]
	blocks [][]float64 // of the candidate, in the order of time
}

func (r rule) decide(e judge.Evidence) Answer {
	answer := Answer{Decision: swap.Pass}
	for _, gate := range e.Gates {
		s := samplesOf(e.Blocks, gate.Metric)
		switch {
		case len(s.all.Baseline) == 0 || len(s.all.Candidate) == 0:
			if answer.Decision == swap.Pass {
				answer.Decision = swap.Inconclusive
			}
		case r.fires(gate, s):
			answer.Decision = swap.Fail
			return answer
		}
	}
	return answer
}

func samplesOf(blocks []judge.Block, metric swap.Metric) samples {
	var s samples
	for i := range blocks {
		values := valuesOf(&blocks[i], metric)
		arm := s.all.Ptr(blocks[i].Arm)
		*arm = append(*arm, values...)
		if blocks[i].Arm == swap.Candidate {
			s.blocks = append(s.blocks, values)
		}
	}
	return s
}

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

// level is the statistic of a gate: its quantile, or the mean.
func level(stat swap.Stat, values []float64) float64 {
	if p, ok := stat.Quantile(); ok {
		return stats.Quantile(slices.Sorted(slices.Values(values)), p)
	}
	return stats.Sum(values) / float64(len(values))
}

// worsening of the candidate's level against the baseline's: positive for worse, relative, or absolute where the margin is.
func worsening(gate swap.Gate, base, cand float64) float64 {
	change := cand - base
	if gate.Unit == swap.Relative {
		change /= base
	}
	switch gate.Better {
	case swap.HigherIsBetter:
		return -change
	case swap.Either:
		return math.Abs(change)
	}
	return change
}
