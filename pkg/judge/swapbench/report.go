package swapbench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
)

// JSON is the table with all counts.
func (t *Table) JSON() ([]byte, error) {
	b, err := json.MarshalIndent(t, "", "  ")
	return append(b, '\n'), err
}

var columns = []string{"scenario", "effect", "gates", "rule", "reps", "samples", "pass", "fail (95 %)", "open", "right", "more blocks"}

func (r *Row) cells() []string {
	low, high := r.interval(r.Fail)
	return []string{
		r.Scenario, fmt.Sprintf("%+.3g", r.Effect), r.Judged, r.Contestant, strconv.Itoa(r.Repetitions), orDash(r.Samples),
		r.percent(r.Pass), fmt.Sprintf("%s (%.1f-%.1f)", r.percent(r.Fail), 100*low, 100*high), r.percent(r.Inconclusive),
		r.percent(r.ReasonHeld), orDash(r.NeedBlocks),
	}
}

func (r *Row) percent(n int) string {
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(r.Repetitions))
}

var checkColumns = []string{"line", "scenario", "reps", "share (95 %)", "held"}

func (c *Check) cells() []string {
	held := "yes"
	if !c.Held {
		held = "NO"
	}
	return []string{string(c.Line), c.Scenario, strconv.Itoa(c.Repetitions), c.share(), held}
}

func (c *Check) share() string {
	return fmt.Sprintf("%.2f %% (%.2f-%.2f)", 100*c.Share, 100*c.Low, 100*c.High)
}

func (t *Table) cells() (rows, checks [][]string) {
	for i := range t.Rows {
		rows = append(rows, t.Rows[i].cells())
	}
	for i := range t.Checks {
		checks = append(checks, t.Checks[i].cells())
	}
	return rows, checks
}

// Text is the table for a terminal.
func (t *Table) Text() []byte {
	var b bytes.Buffer
	rows, checks := t.cells()
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, cells := range append(append(append([][]string{columns}, rows...), nil, checkColumns), checks...) {
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	_ = w.Flush()
	return b.Bytes()
}
