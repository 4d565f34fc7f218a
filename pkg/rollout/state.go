package rollout

import "github.com/swapgate/swapgate/pkg/swap"

// State is where a rollout stands between two windows. Its zero value is the start. It survives JSON.
type State struct {
	// Index of the weight being observed, in the plan's Weights.
	Index int `json:"index"`
	// Windows that counted at this weight.
	Windows int `json:"windows"`
	// Extensions are the windows at this weight that decided nothing.
	Extensions int `json:"extensions"`
	// Totals are requests and failures over all windows so far.
	Totals swap.PerArm[Counts] `json:"totals"`
	// Reference is the baseline in the last window in which it had enough requests; the candidate is held to it once
	// the baseline serves too little.
	Reference *swap.WindowStats `json:"reference,omitempty"`
}

// Counts are requests and how many of them failed; abandoned requests are in neither.
type Counts struct {
	Requests int `json:"requests"`
	Failed   int `json:"failed"`
}

// Weight is the candidate's weight being observed, in percent.
func (s State) Weight(plan swap.Rollout) int { return plan.Weights[s.Index] }
