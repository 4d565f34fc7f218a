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
	// Totals are the requests of all windows so far.
	Totals swap.PerArm[Counts] `json:"totals"`
	// Reference is the baseline in the last window in which it had enough requests for its latency to be judged. The
	// candidate is held to it once the baseline serves too little.
	Reference *swap.WindowStats `json:"reference,omitempty"`
	// Seen are the requests of each arm at this weight, live ones included; Latencies are those whose latency is known.
	Seen      swap.PerArm[int] `json:"seen,omitzero"`
	Latencies swap.PerArm[int] `json:"latencies,omitzero"`
	// Watch is what the guard has seen in all windows, Decay what the rule of decay remembers.
	Watch Watch `json:"watch,omitzero"`
	Decay Decay `json:"decay,omitzero"`
}

// Counts are finished requests and how many of them failed; abandoned requests are in neither.
type Counts struct {
	Requests int `json:"requests"`
	Failed   int `json:"failed"`
}

// Weight is the candidate's weight being observed, in percent.
func (s State) Weight(plan swap.Rollout) int { return plan.Weights[s.Index] }

// BaselineFor is what the candidate is held to in a window in which the baseline showed base: base itself, or the last
// window in which the baseline had enough requests. Use it for GuardFired while a window runs.
func (s State) BaselineFor(base swap.WindowStats) swap.WindowStats {
	if s.Reference == nil || base.Requests >= minLatencyRequests {
		return base
	}
	return *s.Reference
}

func countsOf(w swap.WindowStats) Counts {
	return Counts{Requests: w.Outcomes.Total() - w.Outcomes[swap.Abandoned], Failed: w.Outcomes.Failed()}
}

func (c Counts) plus(other Counts) Counts {
	return Counts{Requests: c.Requests + other.Requests, Failed: c.Failed + other.Failed}
}

// rate is the share of failed requests; 0 where there was none.
func (c Counts) rate() float64 {
	if c.Requests == 0 {
		return 0
	}
	return float64(c.Failed) / float64(c.Requests)
}
