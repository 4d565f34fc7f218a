package rollout

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Next says what to do after window w, which was observed at the weight of state. The plan is complete, with every default
// filled in.
func Next(plan swap.Rollout, state State, w swap.Window) swap.WindowDecision {
	decision, _ := decide(plan, state, w)
	return decision
}

// After is the state once Next has decided window w.
func (s State) After(plan swap.Rollout, w swap.Window) State {
	_, next := decide(plan, s, w)
	return next
}

func decide(plan swap.Rollout, state State, w swap.Window) (swap.WindowDecision, State) {
	next := state.observed(w)
	if reason := reasonToRollBack(plan.Guard, state, next, w); reason != nil {
		return swap.WindowDecision{Action: swap.ActionRollback, Reason: []swap.Reason{*reason}}, next
	}
	if reason := undecided(plan, w); reason != nil {
		return extend(plan, next, *reason)
	}
	return count(plan, next)
}

// observed adds a window's requests to the state.
func (s State) observed(w swap.Window) State {
	for _, arm := range swap.Arms {
		*s.Totals.Ptr(arm) = s.Totals.Get(arm).plus(countsOf(w.Arms.Get(arm)))
	}
	if base := w.Arms.Baseline; base.Requests >= minLatencyRequests {
		s.Reference = &base
	}
	return s
}

func reasonToRollBack(g swap.Guard, before, after State, w swap.Window) *swap.Reason {
	if w.GuardFired != nil {
		return w.GuardFired
	}
	if w.ReadBack != w.Weights {
		return &swap.Reason{Code: swap.ReasonShareMismatch, Subject: "route", Message: fmt.Sprintf(
			"the gateway reports weights %s, but %s were set: something else moves the traffic", text(w.ReadBack), text(w.Weights))}
	}
	if reason := GuardFired(g, before.BaselineFor(w.Arms.Baseline), w.Arms.Candidate); reason != nil {
		return reason
	}
	return risenErrors(g, after.Totals.Baseline, after.Totals.Candidate, "over all windows so far")
}

func text(w swap.Weights) string { return fmt.Sprintf("%d/%d", w.Baseline, w.Candidate) }

// extend repeats a window that decided nothing, or stops when it was repeated often enough.
func extend(plan swap.Rollout, state State, reason swap.Reason) (swap.WindowDecision, State) {
	if state.Extensions >= plan.MaxExtensions {
		stop := swap.Reason{Code: swap.ReasonWindowNotDecided, Subject: "rollout", Message: fmt.Sprintf(
			"stopped at %d %% because a window still decided nothing after %d repetitions", state.Weight(plan), state.Extensions)}
		return swap.WindowDecision{Action: swap.ActionStop, Reason: []swap.Reason{stop, reason}}, state
	}
	state.Extensions++
	return swap.WindowDecision{Action: swap.ActionHold, Weight: state.Weight(plan), Reason: []swap.Reason{reason}}, state
}

// count counts a quiet window and moves on when the weight has had enough of them.
func count(plan swap.Rollout, state State) (swap.WindowDecision, State) {
	state.Windows++
	switch {
	case state.Windows < plan.WindowsPerWeight:
		return swap.WindowDecision{Action: swap.ActionHold, Weight: state.Weight(plan)}, state
	case state.Index == len(plan.Weights)-1:
		return swap.WindowDecision{Action: swap.ActionPromote, Weight: state.Weight(plan)}, state
	}
	state.Index, state.Windows, state.Extensions = state.Index+1, 0, 0
	return swap.WindowDecision{Action: swap.ActionAdvance, Weight: state.Weight(plan)}, state
}
