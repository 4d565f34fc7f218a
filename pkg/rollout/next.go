package rollout

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Plan is what a rollout is held to, with every default filled in.
type Plan struct {
	swap.Rollout
	// Gates are those of the whole run, of which the guard watches what it can.
	Gates []swap.Gate
	// Waiting says that a person is waited for: nothing advances, and nothing stops for lack of evidence.
	Waiting bool
}

// Evidence is what a window showed beside its sums.
type Evidence struct {
	// Probes are the requests of the window.
	Probes []rawlog.Record
	// Online has one entry a query of the plan: the values of both arms, of equal lengths, in the order of time. NaN stands for none.
	Online []swap.PerArm[[]float64]
	// Feedback is of windows whose events are all there now.
	Feedback []swap.WindowFeedback
}

// Next judges window w, which was observed at the weight of state, and says what to do after it. It returns the window with what the
// rollout makes of it, and the next state.
func Next(plan Plan, state State, w swap.Window, ev Evidence) (swap.Window, State) {
	w.Waiting = plan.Waiting
	next := state.observed(w)
	if reason := reasonToRollBack(plan.Guard, state, next, w); reason != nil {
		w.Decision = rollBack(*reason)
		return w, next
	}
	if reason := wrongShare(w); reason != nil {
		w.Decision, next = undecided(plan, next, *reason)
		return w, next
	}
	next, w = next.read(plan, w, state.BaselineFor(w.Arms.Baseline), ev)
	if reason := firstOf(next.Watch.alarm(plan), decayed(w.Decay)); reason != nil {
		w.Decision = rollBack(*reason)
		return w, next
	}
	if reason := tooFew(plan.Rollout, w); reason != nil {
		w.Decision, next = undecided(plan, next, *reason)
		return w, next
	}
	w.Decision, next = quiet(plan, next)
	return w, next
}

func rollBack(reason swap.Reason) swap.WindowDecision {
	return swap.WindowDecision{Action: swap.ActionRollback, Reason: []swap.Reason{reason}}
}

func firstOf(reasons ...*swap.Reason) *swap.Reason {
	for _, r := range reasons {
		if r != nil {
			return r
		}
	}
	return nil
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

// read takes up what a window with the right shares shows of each metric.
func (s State) read(plan Plan, w swap.Window, base swap.WindowStats, ev Evidence) (State, swap.Window) {
	if !plan.Waiting {
		s = s.atWeight(w)
		w.Step = &swap.WindowStep{
			Requests: s.Seen, Needed: stepAt(plan.Rollout, w.Weights.Candidate).MinRequests, Sees: Sees(s.Latencies),
		}
	}
	s.Watch = s.Watch.observe(plan, w, ev)
	w.Closest = s.Watch.closest(plan)
	s.Decay, w.Decay = s.Decay.observe(plan.Decay, w, base, ev.Feedback)
	return s, w
}

// atWeight adds the requests of a window to those of its weight.
func (s State) atWeight(w swap.Window) State {
	for _, arm := range swap.Arms {
		stats := w.Arms.Get(arm)
		*s.Seen.Ptr(arm) += seen(stats)
		*s.Latencies.Ptr(arm) += stats.Requests
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

func hold(plan Plan, state State, reasons ...swap.Reason) swap.WindowDecision {
	return swap.WindowDecision{Action: swap.ActionHold, Weight: state.Weight(plan.Rollout), Reason: reasons}
}

// undecided repeats a window that decided nothing, or stops when it was repeated often enough.
func undecided(plan Plan, state State, reason swap.Reason) (swap.WindowDecision, State) {
	switch {
	case plan.Waiting:
		return hold(plan, state, reason), state
	case state.Extensions >= plan.MaxExtensions:
		stop := swap.Reason{Code: swap.ReasonWindowNotDecided, Subject: "rollout", Message: fmt.Sprintf(
			"stopped at %d %% because a window still decided nothing after %d repetitions", state.Weight(plan.Rollout), state.Extensions)}
		return swap.WindowDecision{Action: swap.ActionStop, Reason: []swap.Reason{stop, reason}}, state
	}
	state.Extensions++
	return hold(plan, state, reason), state
}

// quiet counts a quiet window and moves on when the weight has seen enough.
func quiet(plan Plan, state State) (swap.WindowDecision, State) {
	if plan.Waiting {
		return hold(plan, state), state
	}
	state.Windows++
	if reason := notEnough(plan.Rollout, state); reason != nil || state.Windows < plan.WindowsPerWeight {
		decision := hold(plan, state)
		if reason != nil {
			decision.Reason = []swap.Reason{*reason}
		}
		return decision, state
	}
	if state.Index == len(plan.Weights)-1 {
		return swap.WindowDecision{Action: swap.ActionPromote, Weight: state.Weight(plan.Rollout)}, state
	}
	return swap.WindowDecision{Action: swap.ActionAdvance, Weight: plan.Weights[state.Index+1]}, state.advanced()
}

// advanced is the start of the next weight.
func (s State) advanced() State {
	s.Index, s.Windows, s.Extensions = s.Index+1, 0, 0
	s.Seen, s.Latencies = swap.PerArm[int]{}, swap.PerArm[int]{}
	return s
}
