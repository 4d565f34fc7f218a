// Package readout says in words what a window of a rollout showed.
package readout

import (
	"fmt"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Line says in one line what a window showed, for people who watch a run.
func Line(w swap.Window) string {
	said := []string{fmt.Sprintf("%d at %d %%: %s", w.Index, w.Weights.Candidate, w.Decision.Action)}
	if w.Waiting {
		said[0] = fmt.Sprintf("%d at %d %%: watched while a person is waited for", w.Index, w.Weights.Candidate)
	}
	for _, more := range []string{StepLine(w.Step), ClosestLine(w.Closest), DecayLine(w.Decay)} {
		if more != "" {
			said = append(said, more)
		}
	}
	for _, r := range w.Decision.Reason {
		said = append(said, r.Message)
	}
	return strings.Join(said, "; ")
}

// StepLine says how far a weight has come and what it can see; empty where that is not known.
func StepLine(s *swap.WindowStep) string {
	if s == nil {
		return ""
	}
	line := fmt.Sprintf("%d requests of the candidate", s.Requests.Candidate)
	if s.Needed > 0 {
		line = fmt.Sprintf("%d of %d requests of the candidate", s.Requests.Candidate, s.Needed)
	}
	if rise, ok := s.Sees.Get(); ok {
		return line + ", which show a rise of P99 by " + percent(rise)
	}
	return line + ", of which no latency of both arms was seen"
}

// ClosestLine names the gate that is closest to an alarm of the guard; empty where there is none.
func ClosestLine(g *swap.GuardReading) string {
	if g == nil {
		return ""
	}
	return fmt.Sprintf("closest to an alarm: %s, p = %s after %d slices", g.Gate, g.P, g.Slices)
}

// DecayLine says what the rule of decay makes of a window; empty without one.
func DecayLine(d *swap.DecayReading) string {
	if d == nil {
		return ""
	}
	name, what := "aci: level", "TTFT P95 over the baseline's"
	if d.Rule == swap.DecayAlpha {
		name, what = "classic_alpha: α", "fall over three windows"
	}
	line := fmt.Sprintf("%s %.3g", name, d.Coefficient)
	switch {
	case d.Alarm:
		line += fmt.Sprintf(", ALARM: %s %s, above %s", what, d.Value, d.Threshold)
	case d.Threshold.Valid():
		line += fmt.Sprintf(", %s %s, limit %s", what, d.Value, d.Threshold)
	case d.Value.Valid():
		line += fmt.Sprintf(", %s %s", what, d.Value)
	}
	if d.Note != "" {
		line += " (" + d.Note + ")"
	}
	return line
}

func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }
