package rollout

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func plan() Plan {
	return Plan{Rollout: swap.Rollout{
		Weights: []int{1, 10, 50, 100}, Window: swap.Duration(time.Minute), WindowsPerWeight: 2, MaxExtensions: 1,
		ProbeRate: 7, MinRequests: 100, Guard: limits(),
	}}
}

func limits() swap.Guard {
	return swap.Guard{ErrorRateRise: .05, ErrorMinRequests: 40, LatencyRatio: 3, ConsecutiveFailures: 10}
}

func arm(good, failed int, ttft float64) swap.WindowStats {
	w := swap.WindowStats{Requests: good + failed, Outcomes: swap.OutcomeCounts{swap.OK: good}}
	if failed > 0 {
		w.Outcomes[swap.HTTP5xx] = failed
	}
	if good > 0 {
		w.TTFTP95ms = swap.Of(ttft)
	}
	return w
}

// calm is a window of 300 probes in which nothing went wrong.
func calm(weight int) swap.Window {
	cand := 3 * weight
	weights := swap.Weights{Baseline: 100 - weight, Candidate: weight}
	return swap.Window{
		Weights: weights, ReadBack: weights,
		Arms: swap.PerArm[swap.WindowStats]{Baseline: arm(300-cand, 0, 100), Candidate: arm(cand, 0, 110)},
	}
}

func with(w swap.Window, change func(*swap.Window)) swap.Window {
	change(&w)
	return w
}

func TestNext(t *testing.T) {
	for _, c := range []struct {
		name   string
		state  State
		window swap.Window
		action swap.Action
		weight int
		code   string
		says   string
	}{
		{"first quiet window at a small weight", State{}, calm(1), swap.ActionHold, 1, "", ""},
		{"last quiet window advances", State{Windows: 1}, calm(1), swap.ActionAdvance, 10, "", ""},
		{"a middle weight advances", State{Index: 2, Windows: 1}, calm(50), swap.ActionAdvance, 100, "", ""},
		{"all traffic, one more window", State{Index: 3}, calm(100), swap.ActionHold, 100, "", ""},
		{"all traffic, done", State{Index: 3, Windows: 1}, calm(100), swap.ActionPromote, 100, "", ""},
		{
			"a small weight may see no candidate request",
			State{Windows: 1},
			with(calm(1), func(w *swap.Window) { w.Arms.Candidate = swap.WindowStats{} }), swap.ActionAdvance, 10, "", "",
		},
		{
			"guard fired while the window ran", State{Windows: 1}, with(calm(1), func(w *swap.Window) {
				w.GuardFired = &swap.Reason{Code: swap.ReasonGuardErrors, Message: "seen live"}
				w.ReadBack = swap.AllBaseline
			}), swap.ActionRollback, 0, swap.ReasonGuardErrors, "seen live",
		},
		{
			"somebody moved the weights",
			State{Index: 1},
			with(calm(10), func(w *swap.Window) { w.ReadBack = swap.Weights{Baseline: 80, Candidate: 20} }),
			swap.ActionRollback, 0, swap.ReasonShareMismatch, "reports weights 80/20, but 90/10 were set",
		},
		{
			"errors in the window",
			State{Index: 2},
			with(calm(50), func(w *swap.Window) { w.Arms.Candidate = arm(140, 10, 110) }),
			swap.ActionRollback, 0, swap.ReasonGuardErrors, "failed 6.7 % of 150 requests",
		},
		{
			"errors that add up over small windows",
			State{Totals: swap.PerArm[Counts]{Baseline: Counts{2000, 0}, Candidate: Counts{38, 3}}},
			calm(1),
			swap.ActionRollback, 0, swap.ReasonGuardErrors, "over all windows",
		},
		{
			"latency",
			State{Index: 2},
			with(calm(50), func(w *swap.Window) { w.Arms.Candidate = arm(150, 0, 301) }),
			swap.ActionRollback, 0, swap.ReasonGuardLatency, "over 3 times the baseline's 100 ms",
		},
		{
			"latency at all traffic against the last baseline",
			State{Index: 3, Reference: new(arm(100, 0, 30))},
			calm(100),
			swap.ActionRollback, 0, swap.ReasonGuardLatency, "the baseline's 30 ms",
		},
		{
			"weights that somebody changed and changed back",
			State{Index: 2},
			with(calm(50), func(w *swap.Window) { w.Rewritten = true }),
			swap.ActionHold, 50, swap.ReasonShareMismatch, "put them back",
		},
		{
			"weights not honoured", State{Index: 2}, with(calm(50), func(w *swap.Window) {
				w.Arms = swap.PerArm[swap.WindowStats]{Baseline: arm(200, 0, 100), Candidate: arm(100, 0, 100)}
			}), swap.ActionHold, 50, swap.ReasonShareMismatch, "33.3 % where 50 % was set",
		},
		{
			"weights not honoured by the gateway's counters", State{Index: 2}, with(calm(50), func(w *swap.Window) {
				w.Arms.Baseline.GatewayRequests, w.Arms.Candidate.GatewayRequests = swap.Of(9000), swap.Of(1000)
			}), swap.ActionHold, 50, swap.ReasonShareMismatch, "10.0 % where 50 % was set",
		},
		{
			"baseline still served at all traffic",
			State{Index: 3},
			with(calm(100), func(w *swap.Window) { w.Arms.Baseline = arm(20, 0, 100) }),
			swap.ActionHold, 100, swap.ReasonShareMismatch, "where 100 % was set",
		},
		{
			"a stray request is no mismatch",
			State{Index: 3, Windows: 1},
			with(calm(100), func(w *swap.Window) { w.Arms.Baseline = arm(2, 0, 100) }), swap.ActionPromote, 100, "", "",
		},
		{
			"probes without an arm",
			State{},
			with(calm(1), func(w *swap.Window) { w.Unattributed = 30 }),
			swap.ActionHold, 1, swap.ReasonWindowNotDecided, "did not name the arm of 30 of 330",
		},
		{"no traffic", State{}, with(calm(1), func(w *swap.Window) {
			w.Arms = swap.PerArm[swap.WindowStats]{}
		}), swap.ActionHold, 1, swap.ReasonLowN, "only 0 requests"},
		{"too few overall", State{}, with(calm(1), func(w *swap.Window) {
			w.Arms = swap.PerArm[swap.WindowStats]{Baseline: arm(98, 0, 100), Candidate: arm(1, 0, 100)}
		}), swap.ActionHold, 1, swap.ReasonLowN, "only 99 requests"},
		{"a candidate with a fair share needs its requests", State{Index: 2}, with(calm(50), func(w *swap.Window) {
			w.Arms = swap.PerArm[swap.WindowStats]{Baseline: arm(60, 0, 100), Candidate: arm(50, 0, 100)}
		}), swap.ActionHold, 50, swap.ReasonLowN, "(baseline)"},
		{
			"undecided for too long stops",
			State{Extensions: 1},
			with(calm(1), func(w *swap.Window) { w.Unattributed = 30 }),
			swap.ActionStop, 0, swap.ReasonWindowNotDecided, "after 1 repetitions",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, _ := Next(plan(), c.state, c.window, Evidence{})
			got := w.Decision
			require.Equal(t, c.action, got.Action, "%v", got.Reason)
			require.Equal(t, c.weight, got.Weight)
			if c.code == "" {
				require.Empty(t, got.Reason)
				return
			}
			require.Equal(t, c.code, got.Reason[0].Code)
			require.Contains(t, got.Reason[0].Message, c.says)
		})
	}
}

func TestAQuietRolloutVisitsEveryWeightAndPromotes(t *testing.T) {
	var visited []int
	state := State{}
	for {
		w, next := Next(plan(), state, calm(state.Weight(plan().Rollout)), Evidence{})
		visited = append(visited, w.Weights.Candidate)
		state = overJSON(t, next)
		if w.Decision.Action == swap.ActionPromote {
			break
		}
		require.Equal(t, state.Weight(plan().Rollout), w.Decision.Weight)
	}
	require.Equal(t, []int{1, 1, 10, 10, 50, 50, 100, 100}, visited)
	require.Equal(t, Counts{Requests: 2 * 3 * 161}, state.Totals.Candidate)
	require.Equal(t, 150, state.Reference.Requests)
}

func overJSON(t *testing.T, s State) State {
	t.Helper()
	b, err := json.Marshal(s)
	require.NoError(t, err)
	var back State
	require.NoError(t, json.Unmarshal(b, &back))
	require.Equal(t, s, back)
	return back
}

func TestAnExtensionDoesNotCountAndAnAdvanceForgetsIt(t *testing.T) {
	bad := with(calm(1), func(w *swap.Window) { w.Unattributed = 50 })
	_, state := Next(plan(), State{Windows: 1}, bad, Evidence{})
	require.Equal(t, 1, state.Windows)
	require.Equal(t, 1, state.Extensions)
	_, state = Next(plan(), state, calm(1), Evidence{})
	require.Equal(t, State{Index: 1, Totals: state.Totals, Reference: state.Reference, Watch: state.Watch}, state)
}

func TestARolloutAlwaysEndsAndNeverSkipsAWeight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plan()
		state := State{}
		limit := len(p.Weights)*(p.WindowsPerWeight+p.MaxExtensions) + 1
		for step := 0; ; step++ {
			if step > limit {
				t.Fatalf("no end after %d windows", step)
			}
			weight := state.Weight(p.Rollout)
			w := calm(weight)
			w.Unattributed = rapid.SampledFrom([]int{0, 0, 0, 100}).Draw(t, "unattributed")
			if rapid.IntRange(0, 9).Draw(t, "errors") == 0 {
				w.Arms.Candidate.LongestFailureRun = 10
			}
			judged, next := Next(p, state, w, Evidence{})
			decision := judged.Decision
			switch decision.Action {
			case swap.ActionHold:
				if decision.Weight != weight {
					t.Fatalf("hold moved from %d to %d", weight, decision.Weight)
				}
			case swap.ActionAdvance:
				if next.Index != state.Index+1 {
					t.Fatalf("advance from %d to %d", state.Index, next.Index)
				}
			case swap.ActionRollback, swap.ActionStop:
				if decision.Weight != 0 || len(decision.Reason) == 0 {
					t.Fatalf("%s leaves weight %d or has no reason", decision.Action, decision.Weight)
				}
				return
			case swap.ActionPromote:
				if weight != 100 {
					t.Fatalf("promoted at %d %%", weight)
				}
				return
			}
			state = next
		}
	})
}

// Without probes the gateway's own counters say whether a window saw enough.
func TestLiveTrafficAloneCanAdvance(t *testing.T) {
	plan := Plan{Rollout: swap.Rollout{Weights: []int{50, 100}, WindowsPerWeight: 1, MinRequests: 50, MaxExtensions: 1}}
	action := func(w swap.Window) swap.Action {
		judged, _ := Next(plan, State{}, w, Evidence{})
		return judged.Decision.Action
	}
	w := swap.Window{Weights: swap.Weights{Baseline: 50, Candidate: 50}, ReadBack: swap.Weights{Baseline: 50, Candidate: 50}}
	require.Equal(t, swap.ActionHold, action(w), "nobody came")
	w.Arms.Baseline.GatewayRequests, w.Arms.Candidate.GatewayRequests = swap.Of(60), swap.Of(60)
	require.Equal(t, swap.ActionAdvance, action(w))
}
