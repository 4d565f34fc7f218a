package reporttest

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/swap"
)

// reaction is a candidate that keeps three limits up to the step before the last, where the knee is reached. The baseline has no
// price.
func reaction(steps []swap.StepResult) *swap.ReactionResult {
	r := &swap.ReactionResult{
		Scenario: swap.ScenarioFinance, Weights: swap.ReactionWeights{Sensitivity: .55, Knee: .3, Cost: .15}, Level: swap.Of(.95),
	}
	recommended := swap.RecommendedStep{}
	for i, s := range steps {
		load := float64(i+1) / float64(len(steps))
		arms := swap.PerArm[swap.ArmReaction]{Baseline: reacted(load), Candidate: reacted(load)}
		arms.Baseline.Cost = swap.ReactionSignal{State: swap.LimitAbsent, Message: "no price per hour is configured"}
		arms.Baseline.Rank = swap.Absent()
		r.Steps = append(r.Steps, swap.StepReaction{Step: s.Step, Label: s.Label, Arms: arms})
		recommended.Steps = append(recommended.Steps, s.Step)
		if load < 1 {
			recommended.Step = s.Step
			recommended.Message = s.Label + " is the highest step at which the candidate keeps every limit that is known; " +
				steps[len(steps)-1].Label + " reaches a limit"
		}
	}
	r.Recommended = []swap.RecommendedStep{recommended}
	return r
}

func reacted(load float64) swap.ArmReaction {
	a := swap.ArmReaction{
		State: swap.LimitKept, Utilisation: swap.Of(max(load, .7)), Rank: swap.Of(.55*.7 + .3*load + .15*.4), Classic: swap.Of(0),
		Sensitivity: swap.ReactionSignal{
			State: swap.LimitKept, Value: swap.Of(.56), Limit: swap.Of(.8), Utilisation: swap.Of(.7), Low: swap.Of(.55), High: swap.Of(.9),
			Message: "the P99 of TTFT grows by 0.56 ms per token of the prompt (0.44 to 0.72); the limit is 0.8",
		},
		Knee: swap.ReactionSignal{
			State: swap.LimitKept, Value: swap.Of(load), Limit: swap.Of(1), Utilisation: swap.Of(load), Low: swap.Of(load), High: swap.Of(load),
			Message: fmt.Sprintf("the load is %.3g times that of the knee", load),
		},
		Cost: swap.ReactionSignal{
			State: swap.LimitKept, Value: swap.Of(.0048), Limit: swap.Of(.012), Utilisation: swap.Of(.4), Low: swap.Of(.39), High: swap.Of(.42),
			Message: "1,000 tokens cost 0.0048 (0.00468 to 0.00504) at 694 tokens/s; the limit is 0.012",
		},
	}
	if load >= 1 {
		a.State, a.Knee.State, a.Classic = swap.LimitReached, swap.LimitReached, swap.Of(.3)
	}
	return a
}
