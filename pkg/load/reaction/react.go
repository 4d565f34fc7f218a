package reaction

import (
	"slices"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/load/capacity"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Evidence is what a reaction is read from.
type Evidence struct {
	Settings swap.Reaction
	// Level is the confidence of each one-sided bound.
	Level float64
	// Steps are all steps of the load, Results those that were run.
	Steps   []swap.Step
	Results []swap.StepResult
	Blocks  []judge.Block
	// Capacity is that of the same load.
	Capacity []swap.Capacity
}

// Apply adds the reaction to a comparison whose capacity is known, and a finding where the candidate reaches a limit. The decision
// stays as it is. Where no reaction is asked for, nothing is added.
func Apply(c *swap.Comparison, spec swap.Spec, results []swap.StepResult, blocks []judge.Block) {
	if spec.Load.Reaction == nil {
		return
	}
	r := React(Evidence{
		Settings: *spec.Load.Reaction, Level: spec.Judge.Level, Steps: spec.Load.Steps, Results: results, Blocks: blocks, Capacity: c.Capacity,
	})
	c.Reaction = &r
	if f, reached := finding(r); reached {
		c.Findings = append(c.Findings, f)
	}
}

// React holds each step and arm against the three limits.
func React(e Evidence) swap.ReactionResult {
	w := weightsOf(e.Settings)
	r := swap.ReactionResult{
		Scenario: e.Settings.Scenario, Level: swap.Of(e.Level), Steps: []swap.StepReaction{}, Recommended: []swap.RecommendedStep{},
		Weights: swap.ReactionWeights{Sensitivity: w.Sensitivity, Knee: w.Knee, Cost: w.Cost},
	}
	curves := capacity.FromSteps(e.Steps, e.Results)
	for _, result := range e.Results {
		if result.Step < 1 || result.Step > len(e.Steps) {
			continue
		}
		s := swap.StepReaction{Step: result.Step, Label: result.Label}
		for _, arm := range swap.Arms {
			a := s.Arms.Ptr(arm)
			*a = e.signals(result.Step, arm, curves)
			weigh(a, w)
		}
		r.Steps = append(r.Steps, s)
	}
	for _, c := range curves {
		if len(c.Steps) > 1 {
			r.Recommended = append(r.Recommended, recommend(c, r.Steps))
		}
	}
	return r
}

func (e Evidence) signals(step int, arm swap.Arm, curves []capacity.Curve) swap.ArmReaction {
	set := e.Settings
	prices := swap.Prices{}
	if set.PricePerHour != nil {
		prices = *set.PricePerHour
	}
	price := swap.PerArm[float64](prices).Get(arm)
	load, bend := e.bendOf(step, arm, curves)
	return swap.ArmReaction{
		Sensitivity: sensitivity(onAxis(e.Steps, step, arm, e.Blocks), set.SlopeMSPerToken, e.Level),
		Knee:        atKnee(load, bend),
		Cost:        cost(ratesOf(step, arm, e.Blocks), price, set.CostPer1kTokens, e.Level),
	}
}

// bendOf is the load of a step and the bend of its curve; nil where there is none.
func (e Evidence) bendOf(step int, arm swap.Arm, curves []capacity.Curve) (load float64, bend *swap.Bend) {
	for _, curve := range curves {
		at := slices.Index(curve.Steps, step)
		if at < 0 {
			continue
		}
		for _, c := range e.Capacity {
			if slices.Equal(c.Steps, curve.Steps) {
				bend = c.Arms.Get(arm).Bend
			}
		}
		return curve.Arms.Get(arm)[at].Load, bend
	}
	return 0, nil
}
