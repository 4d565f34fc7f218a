package drill

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

var (
	canary = swap.Weights{Baseline: 80, Candidate: 20}
	noon   = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
)

func at(ms int, w swap.Weights, version int64) sample {
	return sample{at: noon.Add(time.Duration(ms) * time.Millisecond), state: state{Weights: w, Version: version}}
}

// promoted is a run that kept every promise: one window of a second at 20 %, judged, then promoted.
func promoted() evidence {
	return evidence{
		fault: Fault{Name: "none", Ends: undisturbed}, struck: true, final: swap.Weights{Candidate: 100},
		seen: []sample{
			at(-100, swap.AllBaseline, 1), at(100, canary, 2), at(500, canary, 2), at(900, canary, 2), at(1100, swap.Weights{Candidate: 100}, 3),
		},
		verdict: swap.Verdict{Verdict: swap.Pass, Rollout: &swap.RolloutResult{Windows: []swap.Window{{
			Index: 1, Weights: canary, Started: noon, Ended: noon.Add(time.Second), Decision: swap.WindowDecision{Action: swap.ActionPromote},
		}}}},
	}
}

func TestPromisesKeptAndBroken(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*evidence)
		says   string
	}{
		{"kept", func(*evidence) {}, ""},
		{"left on the candidate after a fail", func(e *evidence) {
			e.verdict.Verdict, e.fault.Ends = swap.Fail, putBack
		}, `baseline 0 / candidate 100 where the verdict is "fail"`},
		{"cut off and put back", func(e *evidence) {
			e.verdict.Verdict, e.fault.Ends, e.final = "", nil, swap.AllBaseline
		}, ""},
		{"cut off and left between", func(e *evidence) {
			e.verdict.Verdict, e.fault.Ends, e.final = "", nil, canary
		}, "baseline 80 / candidate 20"},
		{"a verdict that the fault does not allow", func(e *evidence) { e.fault.Ends = putBack }, "the verdict is pass"},
		{"any verdict where the fault came too late", func(e *evidence) { e.fault.Ends, e.struck = putBack, false }, ""},
		{"a history that does not replay", func(e *evidence) { e.replay = errors.New("nondeterminism") }, "does not replay: nondeterminism"},
		{"other weights in a judged window", func(e *evidence) {
			e.seen[2].Weights = swap.Weights{Baseline: 50, Candidate: 50}
		}, "the gateway had 50 %"},
		{"weights that were changed and changed back", func(e *evidence) { e.seen[3].Version = 4 }, "version 4"},
		{"other weights in a window that was not judged", func(e *evidence) {
			e.seen[2].Weights = swap.AllBaseline
			e.verdict.Rollout.Windows[0].Decision.Reason = []swap.Reason{{Code: swap.ReasonShareMismatch}}
		}, ""},
		{"the guard's own brake", func(e *evidence) {
			w := &e.verdict.Rollout.Windows[0]
			w.GuardFired, w.Brake = &swap.Reason{}, &swap.Restored{At: noon.Add(700 * time.Millisecond), TookMS: 5}
			e.seen[3] = at(900, swap.AllBaseline, 3)
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := promoted()
			c.change(&e)
			broken := e.broken()
			if c.says == "" {
				require.Empty(t, broken)
				return
			}
			require.Len(t, broken, 1)
			require.Contains(t, broken[0], c.says)
		})
	}
}

func TestBackAfter(t *testing.T) {
	e := evidence{seen: []sample{at(0, canary, 2), at(40, canary, 2), at(50, swap.AllBaseline, 3)}}
	got, ok := e.backAfter(noon.Add(10 * time.Millisecond)).Get()
	require.True(t, ok)
	require.InDelta(t, 40, got, 0)
	require.False(t, e.backAfter(noon.Add(time.Minute)).Valid())
}

func TestASeedPicksTheSameAndEveryFaultOnceARound(t *testing.T) {
	for round := range 3 {
		names := map[string]bool{}
		for place := range Faults {
			run := round*len(Faults) + place + 1
			fault, when := pick(Faults, 1, run)
			again, whenAgain := pick(Faults, 1, run)
			require.Equal(t, []string{fault.Name, when.name}, []string{again.Name, whenAgain.name})
			names[fault.Name] = true
		}
		require.Len(t, names, len(Faults))
	}
	first, _ := pick(Faults, 1, 1)
	second, _ := pick(Faults, 1, len(Faults)+1)
	third, _ := pick(Faults, 2, 1)
	require.False(t, first.Name == second.Name && second.Name == third.Name, "rounds and seeds differ")
}
