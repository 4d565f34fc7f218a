package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

func checkRollout(r *reporter, ro swap.Rollout) {
	checkRoute(r, ro.Route)
	weights := at("rollout", "weights")
	for i, w := range ro.Weights {
		switch {
		case w < 1 || w > 100:
			r.value(weights.child(i), "must be a percentage from 1 to 100, got %d", w)
		case i > 0 && w <= ro.Weights[i-1]:
			r.valueUsing(weights.child(i), []path{weights.child(i - 1)},
				"must be higher than the weight before it (%d), got %d", ro.Weights[i-1], w)
		}
	}
	if last := len(ro.Weights) - 1; ro.Weights[last] != 100 {
		r.value(weights, "must end with 100, got %d: the rollout ends with all traffic on the candidate", ro.Weights[last])
	}
	checkSteps(r, ro)
	checkDecay(r, ro)
	checkPrometheus(r, ro.Prometheus)
	checkApprovals(r, ro)
}

func checkApprovals(r *reporter, ro swap.Rollout) {
	p := at("rollout", "approve_at")
	for i, w := range ro.ApproveAt {
		if !slices.Contains(ro.Weights, w) {
			r.valueUsing(p.child(i), []path{at("rollout", "weights")}, "must be one of rollout.weights (%s), got %d",
				list(ro.Weights), w)
		}
		if slices.Contains(ro.ApproveAt[:i], w) {
			r.value(p.child(i), "%d is listed twice", w)
		}
	}
}

func list(weights []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(weights), " ", ", "), "[]")
}
