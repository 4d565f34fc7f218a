package view

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/starter/internal/control"
)

var marks = map[string]string{"pending": "·", "running": "▸", "done": "✓", "failed": "✗", "skipped": "–"}

// Render draws an observation as the lines of a board.
func Render(o control.Observation, now time.Time) []string {
	var lines []string
	if o.Status == nil {
		lines = append(lines, fmt.Sprintf("%s  %s  %s", o.Execution.WorkflowID, o.Execution.State, short(now.Sub(o.Execution.Started))))
	} else {
		lines = append(lines, headline(*o.Status, now))
		for _, st := range o.Status.Stages {
			lines = append(lines, stageLine(*o.Status, st, now))
		}
	}
	for _, p := range o.Execution.Pending {
		if text := progressText(p); text != "" {
			lines = append(lines, "    "+text)
		}
	}
	if o.Queued != "" {
		lines = append(lines, "    "+o.Queued)
	}
	if o.Status != nil {
		lines = append(lines, notes(*o.Status, o.Execution.State != control.Running)...)
	}
	for _, p := range o.Problems {
		lines = append(lines, "! "+p)
	}
	return lines
}

func headline(s swap.Status, now time.Time) string {
	parts := []string{s.Target, short(now.Sub(s.Started))}
	if s.Verdict != "" {
		parts = append(parts, "verdict: "+string(s.Verdict))
	} else if left := leftText(s, now); left != "" {
		parts = append(parts, left)
	}
	return strings.Join(parts, "  ")
}

func stageLine(s swap.Status, st swap.StageState, now time.Time) string {
	mark := marks[st.State]
	if mark == "" {
		mark = "?"
	}
	line := fmt.Sprintf("  %s %-9s  %7s  %s", mark, st.Stage, took(st, now), stageNote(s, st))
	return strings.TrimRight(line, " ")
}

func notes(s swap.Status, closed bool) []string {
	var lines []string
	if t := trafficText(s.Weights); t != "" {
		if closed {
			t = "when the run ended, " + t
		}
		lines = append(lines, t)
	}
	for _, r := range s.Reasons {
		lines = append(lines, fmt.Sprintf("%s: %s", r.Code, r.Message))
	}
	if s.Now != "" {
		lines = append(lines, "now: "+s.Now)
	}
	if s.Waiting != "" {
		lines = append(lines, "waiting: "+s.Waiting)
	}
	return lines
}

// Board redraws a run in place on a terminal.
type Board struct {
	w io.Writer
	// size returns the terminal's width and height in characters.
	size  func() (width, height int)
	drawn int
}

// NewBoard draws on a terminal of which size returns the width and height in characters.
func NewBoard(w io.Writer, size func() (width, height int)) *Board { return &Board{w: w, size: size} }

// Show draws the observation over the last one. Lines are wrapped here and not by the terminal, so that their number is
// known; where the terminal is too low for all, the last ones stay.
func (b *Board) Show(o control.Observation, now time.Time) {
	width, height := b.size()
	var lines []string
	for _, l := range Render(o, now) {
		lines = append(lines, wrap(printable(l), width)...)
	}
	lines = lines[max(len(lines)-max(height-1, 1), 0):]
	var out strings.Builder
	if b.drawn > 0 {
		fmt.Fprintf(&out, "\x1b[%dA", b.drawn)
	}
	for _, l := range lines {
		out.WriteString("\r\x1b[K" + l + "\n")
	}
	out.WriteString("\x1b[J")
	b.drawn = len(lines)
	// A terminal that cannot be written to loses the picture, never the run.
	_, _ = io.WriteString(b.w, out.String())
}

// printable drops control characters, which could move the cursor.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, line)
}

// wrap breaks a line at spaces into lines of at most width characters; a longer word is broken anywhere.
func wrap(line string, width int) []string {
	const indent = "    "
	width = max(width, 2*len(indent))
	var lines []string
	for rest := []rune(line); ; {
		if len(rest) <= width {
			return append(lines, string(rest))
		}
		at := width
		for i := width; i > len(indent); i-- {
			if rest[i] == ' ' {
				at = i
				break
			}
		}
		lines = append(lines, string(rest[:at]))
		rest = []rune(indent + strings.TrimLeft(string(rest[at:]), " "))
	}
}
