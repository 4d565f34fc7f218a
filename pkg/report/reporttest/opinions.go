package reporttest

import (
	"github.com/swapgate/swapgate/pkg/judge/classic"
	"github.com/swapgate/swapgate/pkg/swap"
)

// opinions are what older rules say of a candidate whose P99 of TTFT changed: one fires or not by that, one always does so by
// chance, and one cannot tell.
func opinions(change float64) []swap.Opinion {
	gate := swap.Opinion{
		Rule: swap.RuleFivePercent, Subject: "ttft_p99", Says: swap.SaysSilent, Value: swap.Of(change), Threshold: swap.Of(.05),
		Message:  "it rises by " + swap.Of(100*change).String() + " %; the rule blocks a rise of more than 5 %",
		Weakness: classic.FivePercent{}.Weakness(),
	}
	if change > .05 {
		gate.Says = swap.SaysFires
	}
	return []swap.Opinion{
		gate,
		{
			Rule: swap.RuleKSAdaptive, Subject: "ttft", Says: swap.SaysFires, Value: swap.Of(.081), Threshold: swap.Of(.043),
			Message: "the distributions of single requests are 0.081 apart; its threshold is 0.043", Weakness: classic.KSAdaptive{}.Weakness(),
		},
		{
			Rule: swap.RuleHybrid, Subject: "ttft_p99", Says: swap.SaysCannotTell,
			Message:  "the level needs 30 values in a row, and there are 6 of the baseline and 6 of the candidate",
			Weakness: classic.Hybrid{}.Weakness(),
		},
	}
}
