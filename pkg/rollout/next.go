// Package rollout decides how live traffic moves to the candidate.
package rollout

import "github.com/swapgate/swapgate/pkg/swap"

// Next says what to do after window w.
func Next(plan swap.Rollout, state State, w swap.Window) swap.WindowDecision {
	decision, _ := judge(plan, state, w)
	return decision
}

// After is the state once window w has been decided by Next.
func (s State) After(plan swap.Rollout, w swap.Window) State {
	_, next := judge(plan, s, w)
	return next
}

func judge(plan swap.Rollout, state State, w swap.Window) (swap.WindowDecision, State) {
	return swap.WindowDecision{Action: swap.ActionStop}, state
}

// GuardFired says why the guard fires on what one window has shown so far, or nil. It may be asked at any time while a
// window is still running.
func GuardFired(g swap.Guard, base, cand swap.WindowStats) *swap.Reason { return nil }
