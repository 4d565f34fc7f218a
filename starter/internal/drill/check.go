package drill

import (
	"fmt"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// evidence is what is known of a run after its end.
type evidence struct {
	fault   Fault
	struck  bool
	verdict swap.Verdict
	// final is what the gateway said after the end, and seen all that it said while the run went on.
	final  swap.Weights
	seen   []sample
	replay error
}

// broken are the promises that the run did not keep.
func (e evidence) broken() (broken []string) {
	add := func(format string, args ...any) { broken = append(broken, fmt.Sprintf(format, args...)) }
	want := swap.AllBaseline
	if e.verdict.Verdict == swap.Pass {
		want = swap.Weights{Candidate: 100}
	}
	if e.final != want {
		add("traffic ended at baseline %d / candidate %d where the verdict is %q", e.final.Baseline, e.final.Candidate, e.verdict.Verdict)
	}
	if e.struck && len(e.fault.Ends) > 0 && !e.fault.allows(e.verdict.Verdict) {
		add("the verdict is %s: %s", e.verdict.Verdict, e.verdict.Summary)
	}
	if e.replay != nil {
		add("the history does not replay: %v", e.replay)
	}
	if e.verdict.Rollout != nil {
		for _, w := range e.verdict.Rollout.Windows {
			if s := e.strayIn(w); s != nil {
				add("window %d was judged at %d %% on the candidate, but the gateway had %d %% (version %d) at %s",
					w.Index, w.Weights.Candidate, s.Candidate, s.Version, s.at.Format("15:04:05.000"))
			}
		}
	}
	return broken
}

// strayIn finds a time in a judged window at which the gateway had other weights, or had been written to.
func (e evidence) strayIn(w swap.Window) *sample {
	if !judged(w) {
		return nil
	}
	end := w.Ended
	if w.Brake != nil {
		end = w.Brake.At.Add(-time.Duration(w.Brake.TookMS*float64(time.Millisecond)) - sampleEvery)
	}
	var first *sample
	for i := range e.seen {
		s := &e.seen[i]
		if s.at.Before(w.Started.Add(sampleEvery)) || s.at.After(end) {
			continue
		}
		if first == nil {
			first = s
		}
		if s.Weights != w.Weights || s.Version != first.Version {
			return s
		}
	}
	return nil
}

// judged reports whether a window's numbers led to its decision: not where the share was found to be wrong, or nothing decided.
func judged(w swap.Window) bool {
	for _, r := range w.Decision.Reason {
		switch r.Code {
		case swap.ReasonShareMismatch, swap.ReasonWindowNotDecided, swap.ReasonLowN:
			return false
		}
	}
	return true
}

// backAfter is how long after a time the gateway first had all traffic on the baseline; absent where it never had, or had already.
func (e evidence) backAfter(since time.Time) swap.Value {
	for _, s := range e.seen {
		if s.at.Before(since) {
			continue
		}
		if s.Weights == swap.AllBaseline {
			return swap.Of(float64(s.at.Sub(since)) / float64(time.Millisecond))
		}
	}
	return swap.Absent()
}
