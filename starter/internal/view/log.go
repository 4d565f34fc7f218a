package view

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/starter/internal/control"
)

// quiet is the longest silence of a log: pipelines kill jobs that print nothing.
const quiet = time.Minute

// Log writes a line for each change of a run, for pipelines and other places without a terminal.
type Log struct {
	w    io.Writer
	last control.Observation
	// spoken is when the last line was written.
	spoken time.Time
}

// NewLog writes plain lines to w.
func NewLog(w io.Writer) *Log { return &Log{w: w} }

// Show writes what changed since the last observation, or one line of progress after a minute of silence.
func (l *Log) Show(o control.Observation, now time.Time) {
	lines := changes(l.last, o)
	if len(lines) == 0 && now.Sub(l.spoken) >= quiet {
		lines = []string{stillText(o, now)}
	}
	for _, line := range lines {
		// A closed log must not end the run that it describes.
		_, _ = fmt.Fprintf(l.w, "%s  %s\n", clock(now.Sub(o.Execution.Started)), line)
		l.spoken = now
	}
	if o.Status == nil {
		o.Status = l.last.Status
	}
	l.last = o
}

func clock(d time.Duration) string {
	s := int(max(d, 0).Seconds())
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}

// changes says what is new in next.
func changes(prev, next control.Observation) []string {
	var lines []string
	if next.Status != nil {
		var before swap.Status
		if prev.Status != nil {
			before = *prev.Status
		}
		lines = statusChanges(before, *next.Status)
	}
	if next.Queued != "" && prev.Queued == "" {
		lines = append(lines, "queued: "+next.Queued)
	}
	for _, p := range next.Problems {
		if !slices.Contains(prev.Problems, p) {
			lines = append(lines, "! "+p)
		}
	}
	if len(prev.Problems) > 0 && len(next.Problems) == 0 {
		lines = append(lines, "the problem is gone")
	}
	return lines
}

func statusChanges(prev, next swap.Status) []string {
	var lines []string
	for _, st := range next.Stages {
		was := stateOf(prev, st.Stage)
		if st.State == was || st.State == "pending" {
			continue
		}
		lines = append(lines, withNote(fmt.Sprintf("%s: %s", st.Stage, st.State), st.Note))
	}
	if next.StepsDone > prev.StepsDone {
		lines = append(lines, fmt.Sprintf("load: %d of %d steps done", next.StepsDone, next.Steps))
	}
	if next.Windows > prev.Windows {
		lines = append(lines, fmt.Sprintf("rollout: %d windows seen", next.Windows))
	}
	if next.Weights != nil && (prev.Weights == nil || *next.Weights != *prev.Weights) {
		lines = append(lines, trafficText(next.Weights))
	}
	if next.Now != "" && next.Now != prev.Now {
		lines = append(lines, "now: "+next.Now)
	}
	if next.Waiting != "" && next.Waiting != prev.Waiting {
		lines = append(lines, "waiting: "+next.Waiting)
	}
	if next.Verdict != "" && next.Verdict != prev.Verdict {
		lines = append(lines, "verdict: "+string(next.Verdict))
	}
	return lines
}

func stateOf(s swap.Status, stage swap.Stage) string {
	for _, st := range s.Stages {
		if st.Stage == stage {
			return st.State
		}
	}
	return ""
}

func withNote(line, note string) string {
	if note == "" {
		return line
	}
	return line + ", " + note
}

// stillText is a sign of life.
func stillText(o control.Observation, now time.Time) string {
	line := "still running"
	if o.Status != nil {
		line = "still in " + string(o.Status.Stage)
		if left := leftText(*o.Status, now); left != "" {
			line += ", " + left
		}
	}
	if o.Queued != "" {
		line += "; " + o.Queued
	}
	for _, p := range o.Execution.Pending {
		if text := progressText(p); text != "" {
			line += "; " + text
		}
	}
	return line
}
