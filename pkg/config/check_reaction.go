package config

import (
	"math"

	"github.com/swapgate/swapgate/pkg/swap"
)

// weightSlack is how far weights that are written with a few decimals may miss 1.
const weightSlack = 1e-6

func checkReaction(r *reporter, spec swap.Spec) {
	reaction, p := spec.Load.Reaction, at("load", "reaction")
	if reaction == nil {
		return
	}
	if spec.Workload.API.Unit() != swap.UnitTokens {
		r.valueUsing(p, []path{at("workload", "api")}, "has no meaning for api %s, whose answers are not tokens; delete it", spec.Workload.API)
	}
	if prices := reaction.PricePerHour; prices != nil && *prices == (swap.Prices{}) {
		r.value(p.child("price_per_hour"), "needs baseline, candidate or both; or delete it")
	}
	w := reaction.Weights
	if w == nil {
		return
	}
	if reaction.Scenario != "" {
		r.value(p.child("scenario"), "cannot be given together with weights; delete one of them")
	}
	if sum := w.Sensitivity + w.Knee + w.Cost; math.Abs(sum-1) > weightSlack {
		weights := p.child("weights")
		r.valueUsing(weights, []path{weights.child("sensitivity"), weights.child("knee"), weights.child("cost")},
			"sensitivity, knee and cost must sum to 1, got %.4g", sum)
	}
}
