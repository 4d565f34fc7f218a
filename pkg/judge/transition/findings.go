package transition

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Findings says to people what a swap did to its clients. subject names the swap, such as "swap 1 to the candidate".
func Findings(subject string, s swap.ModelSwap, t swap.Transition) []swap.Finding {
	note := func(severity swap.Severity, next, format string, args ...any) swap.Finding {
		return swap.Finding{Severity: severity, Subject: subject, Message: fmt.Sprintf(format, args...), Next: next}
	}
	took := fmt.Sprintf("From the call to the proof it took %.1f s.", s.Served.Sub(s.Asked).Seconds())
	if t.Stall != nil {
		took += fmt.Sprintf(" The longest time without a token for any stream was %.0f ms, and %s ms before the swap.",
			t.Stall.DurationMS, t.Before.LongestGapMS)
	}
	out := []swap.Finding{note(swap.Harmless, "", "%s", took)}
	if e := t.Errors; e != nil {
		out = append(out, note(swap.Notable, "Let clients retry, or swap when there is no load.",
			"%d requests failed between %.1f s and %.1f s after the call.", e.Count, e.FromMS/1e3, e.ToMS/1e3))
	}
	if lost := t.Spanning.Outcomes.Failed(); lost > 0 {
		out = append(out, note(swap.Notable, "", "%d of %d requests that were in flight at the call were lost.", lost, t.Spanning.Requests))
	}
	for _, r := range t.Recovery {
		if at, back := r.AfterMS.Get(); !back || at > 0 {
			out = append(out, note(swap.Notable, "", "%s", r.Message))
		}
	}
	return out
}
