package classic

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/swap"
)

// blockingWeight is the sum of weights from which on Weights blocks.
const blockingWeight = 0.5

// Weights add up three signals, each of which is there or not, and block from 0.5 on.
type Weights struct {
	// Sensitivity is that of P99 to the length of the prompt, Knee that throughput has reached its knee, Cost that of tokens.
	Sensitivity, Knee, Cost float64
}

// Signals are the three signals.
type Signals struct{ Sensitivity, Knee, Cost bool }

// FinanceWeights are 0.55, 0.30 and 0.15.
func FinanceWeights() Weights { return Weights{.55, .30, .15} }

// ContentWeights are 0.25, 0.50 and 0.25.
func ContentWeights() Weights { return Weights{.25, .50, .25} }

// Name is classic_weights.
func (Weights) Name() swap.RuleName { return "classic_weights" }

// Weakness is one sentence.
func (Weights) Weakness() string {
	return "how far a signal is beyond its limit does not count, and weights hide vetoes: with .55/.30/.15 the first signal alone decides " +
		"and the other two never do"
}

// Read sums the weights of the signals that are there.
func (w Weights) Read(s Signals) Reading {
	sum := 0.0
	for _, part := range []struct {
		is     bool
		weight float64
	}{{s.Sensitivity, w.Sensitivity}, {s.Knee, w.Knee}, {s.Cost, w.Cost}} {
		if part.is {
			sum += part.weight
		}
	}
	return Reading{Fires: sum >= blockingWeight, Value: sum, Threshold: blockingWeight}
}

// Reach says of each signal what it can do.
func (w Weights) Reach() Reach {
	all := Signals{true, true, true}
	if !w.Read(all).Fires {
		return never("all three signals together weigh %.2f, less than the %.2f from which on it blocks: raise a weight",
			w.Read(all).Value, blockingWeight)
	}
	r := Reach{}
	for _, name := range w.idle() {
		r.Noise += fmt.Sprintf("the signal %s never decides; ", name)
	}
	return r
}

// idle names the signals that never make a difference, whatever the other two say.
func (w Weights) idle() []string {
	signals := []struct {
		name string
		set  func(*Signals, bool)
	}{
		{"sensitivity", func(s *Signals, v bool) { s.Sensitivity = v }},
		{"knee", func(s *Signals, v bool) { s.Knee = v }},
		{"cost", func(s *Signals, v bool) { s.Cost = v }},
	}
	var names []string
	for _, signal := range signals {
		decides := false
		for k := range 8 {
			with := Signals{k&1 > 0, k&2 > 0, k&4 > 0}
			without := with
			signal.set(&with, true)
			signal.set(&without, false)
			decides = decides || w.Read(with).Fires != w.Read(without).Fires
		}
		if !decides {
			names = append(names, signal.name)
		}
	}
	return names
}

// Utilisation is how much of each margin is used: the worsening over the margin, θ/δ. It is what swapgate uses in place of the
// signals.
type Utilisation struct{ Sensitivity, Knee, Cost float64 }

// Blocks reports whether a margin is used up.
func (u Utilisation) Blocks() bool { return max(u.Sensitivity, u.Knee, u.Cost) >= 1 }

// Rank is the weighted sum, for putting candidates in an order. It decides nothing.
func (u Utilisation) Rank(w Weights) float64 {
	return w.Sensitivity*u.Sensitivity + w.Knee*u.Knee + w.Cost*u.Cost
}
