package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/starter/internal/control"
)

// stageNote says what is known of a running stage beyond its name: load steps, rollout windows.
func stageNote(s swap.Status, st swap.StageState) string {
	if st.Note != "" || st.State != "running" {
		return st.Note
	}
	switch st.Stage {
	case swap.StageLoad:
		if s.Steps > 0 {
			return fmt.Sprintf("%d of %d steps done", s.StepsDone, s.Steps)
		}
	case swap.StageRollout:
		if s.Windows > 0 {
			return fmt.Sprintf("%d windows seen", s.Windows)
		}
	default:
	}
	return ""
}

// progressText is an activity's heartbeat on one line.
func progressText(p control.PendingActivity) string {
	h := p.Progress
	if h == nil {
		return ""
	}
	parts := []string{h.What}
	if h.Total > 0 {
		parts = append(parts, fmt.Sprintf("%d/%d", h.Done, h.Total))
	}
	if h.Achieved.Valid() {
		parts = append(parts, fmt.Sprintf("%s of %s req/s", h.Achieved, h.Offered))
	}
	if h.Requests > 0 {
		parts = append(parts, fmt.Sprintf("%d requests, %d failed", h.Requests, h.Failed))
	}
	if h.TTFTP95ms.Valid() {
		parts = append(parts, fmt.Sprintf("TTFT P95 %s ms", h.TTFTP95ms))
	}
	if h.Problem != "" {
		problem := h.Problem
		if h.Pending > 0 {
			problem = fmt.Sprintf("%d uploads wait: %s", h.Pending, problem)
		}
		parts = append(parts, problem)
	}
	if h.Note != "" {
		parts = append(parts, h.Note)
	}
	if h.ETA != "" {
		parts = append(parts, h.ETA+" left")
	}
	return strings.Join(parts, ", ")
}

func trafficText(w *swap.Weights) string {
	if w == nil {
		return ""
	}
	return fmt.Sprintf("traffic: baseline %d %%, candidate %d %%", w.Baseline, w.Candidate)
}

// leftText estimates the time to the planned end; empty where there is none or it is past.
func leftText(s swap.Status, now time.Time) string {
	left := s.PlannedEnd.Sub(now)
	if s.PlannedEnd.IsZero() || left <= 0 {
		return ""
	}
	return "about " + short(left) + " left"
}

func took(st swap.StageState, now time.Time) string {
	if st.Started == nil {
		return ""
	}
	end := now
	if st.Ended != nil {
		end = *st.Ended
	}
	return short(end.Sub(*st.Started))
}

// short rounds a duration for a person: seconds below an hour, minutes above.
func short(d time.Duration) string {
	if d >= time.Hour {
		d = d.Round(time.Minute)
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return d.Round(time.Second).String()
}
