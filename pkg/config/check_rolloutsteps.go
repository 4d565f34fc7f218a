package config

import (
	"fmt"
	"slices"

	"github.com/swapgate/swapgate/pkg/judge/classic"
	"github.com/swapgate/swapgate/pkg/rollout"
	"github.com/swapgate/swapgate/pkg/swap"
)

// leastAtWeight is how long each weight below 100 is held unless the plan says otherwise: the guard needs eight slices of half a
// minute before it can fire.
const leastAtWeight = "5m"

// stepsByWeight is an entry for each weight of the plan below 100.
func stepsByWeight(group *node) any {
	steps := []any{}
	if weights := group.fields["weights"]; weights != nil {
		for _, item := range weights.items {
			w, _ := item.scalar.(int64)
			if sees := rollout.DefaultSees(int(w)); w >= 1 && sees > 0 {
				steps = append(steps, map[string]any{"weight": w, "sees": sees, "min_time": leastAtWeight})
			}
		}
	}
	return steps
}

// requestsToSee is how many requests of the candidate a step needs to see what it shall.
func requestsToSee(step *node) any {
	sees := step.fields["sees"]
	if sees == nil {
		return nil
	}
	rise, isFraction := sees.scalar.(float64)
	if whole, isWhole := sees.scalar.(int64); isWhole {
		rise, isFraction = float64(whole), true
	}
	n, ok := rollout.Needed(int(step.integer("weight")), rise)
	if !isFraction || !ok {
		return nil
	}
	return int64(n)
}

func checkSteps(r *reporter, ro swap.Rollout) {
	seen := map[int]bool{}
	for i, s := range ro.Steps {
		p := at("rollout", "steps", i)
		weight := p.child("weight")
		if !slices.Contains(ro.Weights, s.Weight) {
			r.valueUsing(weight, []path{at("rollout", "weights")}, "must be one of rollout.weights (%s), got %d", list(ro.Weights), s.Weight)
		}
		if seen[s.Weight] {
			r.value(weight, "%d is listed twice", s.Weight)
		}
		seen[s.Weight] = true
		checkSees(r, p, s)
	}
}

func checkSees(r *reporter, p path, s swap.RolloutStep) {
	if s.Sees == 0 {
		return
	}
	n, ok := rollout.Needed(s.Weight, s.Sees)
	if !ok {
		r.valueUsing(p.child("sees"), []path{p.child("weight")},
			"says nothing at %d %%: a weight must leave the baseline traffic to compare with; write min_requests", s.Weight)
		return
	}
	if s.MinRequests < n {
		r.valueUsing(p.child("min_requests"), []path{p.child("sees"), p.child("weight")},
			"is too few for sees: %v at %d %% needs %d requests of the candidate, got %d; delete one of the two", s.Sees, s.Weight, n, s.MinRequests)
	}
}

// checkDecay reports options that do not belong to the rule, that it lacks, or with which it can never ask for a rollback.
func checkDecay(r *reporter, ro swap.Rollout) {
	d, p := ro.Decay, at("rollout", "decay")
	if d.Rule != swap.DecayAlpha {
		for _, option := range []givenField{
			{"delta_unit", d.DeltaUnit != ""},
			{"drop_semantics", d.DropSemantics != ""},
			{"error_rise_unit", d.ErrorRiseUnit != ""},
			{"start", d.Start != 0},
			{"allow_unreachable", d.AllowUnreachable},
		} {
			if option.given {
				r.valueUsing(p.child(option.name), []path{p.child("rule")}, "does not belong to %s; delete it", d.Rule)
			}
		}
		return
	}
	rule := rollout.Classic(d)
	plan := decayPlan(ro)
	faults := rule.Check(plan)
	for _, fault := range faults {
		r.valueUsing(p.child(fault.Field), []path{p.child("rule")}, "%s", fault.Message)
	}
	if len(faults) == 0 && !d.AllowUnreachable && plan.Windows < classic.AlphaNeedsWindows {
		r.valueUsing(p, []path{at("rollout", "weights"), at("rollout", "steps")}, "can never ask for a rollback: it compares three windows with "+
			"the one before, and the rollout has %d; write windows_per_weight, or allow_unreachable: true", plan.Windows)
	}
}

// plannedConversion is the share of requests that convert, for what noise does to the classic rule.
const plannedConversion = .3

// decayPlan is what is known of a rollout before it begins.
func decayPlan(ro swap.Rollout) classic.AlphaPlan {
	return classic.AlphaPlan{
		Requests: float64(ro.MinRequests), Conversion: plannedConversion, Windows: max(1, int(ro.Duration()/max(1, ro.Window.Std()))),
	}
}

// decayWarnings say where the classic rule fires on noise, as far as the plan knows the number of requests. Every request is taken to
// report whether it converted, three in ten doing so.
func decayWarnings(spec swap.Spec) []PlanWarning {
	if spec.Rollout == nil || spec.Rollout.Decay.Rule != swap.DecayAlpha {
		return nil
	}
	reach := rollout.Classic(spec.Rollout.Decay).Reach(decayPlan(*spec.Rollout))
	if reach.Noise == "" {
		return nil
	}
	return []PlanWarning{{Field: "rollout.decay", Message: "classic_alpha rolls back on noise: " + reach.Noise}}
}

// stepWarnings say how long the probes alone take to bring the requests that a weight has to see.
func stepWarnings(spec swap.Spec) []PlanWarning {
	if spec.Rollout == nil {
		return nil
	}
	ro := *spec.Rollout
	var out []PlanWarning
	for i, s := range ro.Steps {
		rate := ro.ProbeRate * float64(s.Weight) / 100
		message := fmt.Sprintf("%d requests of the candidate are needed at %d %%", s.MinRequests, s.Weight)
		switch {
		case s.MinRequests == 0:
			continue
		case rate == 0:
			message += "; without probes, all of them are live requests that the gateway must count"
		default:
			wait := roundedUp(float64(s.MinRequests)/rate, ro.Window)
			if wait <= max(s.MinTime, swap.Duration(ro.WindowsPerWeight)*ro.Window) {
				continue
			}
			message += fmt.Sprintf("; the probes alone bring them in about %s, live requests that the gateway counts sooner", short(wait.Std()))
		}
		out = append(out, PlanWarning{Field: at("rollout", "steps", i).String(), Message: message})
	}
	return out
}

// roundedUp is a time in whole windows.
func roundedUp(seconds float64, window swap.Duration) swap.Duration {
	windows := swap.Duration(seconds / max(window.Seconds(), 1e-9))
	return (windows + 1) * window
}
