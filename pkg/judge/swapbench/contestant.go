package swapbench

import (
	"math"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Contestant is a rule that turns evidence into a verdict. Codes are the reason codes that it gives; only our judge has any.
type Contestant struct {
	Name   string
	Decide func(*Trial) Answer
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

func ours(t *Trial) Answer {
	verdict := judge.Decide(t.Evidence)
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
	fires func(swap.Gate, *samples) bool
}

func (r rule) decide(t *Trial) Answer {
	answer := Answer{Decision: swap.Pass}
	for _, gate := range t.Evidence.Gates {
		s := t.samples(gate.Metric)
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
