package swapbench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
)

// JSON is the table with all counts.
func (t *Table) JSON() ([]byte, error) {
	b, err := json.MarshalIndent(t, "", "  ")
	return append(b, '\n'), err
}

var columns = []string{"scenario", "effect", "rule", "reps", "pass", "fail (95 %)", "open", "right", "need blocks"}

func (r *Row) cells() []string {
	percent := func(n int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(r.Repetitions)) }
	low, high := r.interval(r.Fail)
	need := "-"
	if r.Asked > 0 {
		need = fmt.Sprintf("%.0f", float64(r.NeedBlocks)/float64(r.Asked))
	}
	return []string{
		r.Scenario, fmt.Sprintf("%+.3g", r.Effect), r.Contestant, fmt.Sprint(r.Repetitions), percent(r.Pass),
		fmt.Sprintf("%s (%.1f-%.1f)", percent(r.Fail), 100*low, 100*high), percent(r.Inconclusive), percent(r.ReasonHeld), need,
	}
}

var checkColumns = []string{"line", "scenario", "share", "95 %", "held"}

func (c *Check) cells() []string {
	held := "yes"
	if !c.Held {
		held = "NO"
	}
	return []string{
		string(c.Line), c.Scenario, fmt.Sprintf("%.2f %%", 100*c.Share), fmt.Sprintf("%.2f-%.2f", 100*c.Low, 100*c.High), held,
	}
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

// Markdown is the table for a document.
func (t *Table) Markdown() []byte {
	var b bytes.Buffer
	rows, checks := t.cells()
	fmt.Fprintf(&b, "# SwapBench\n\nMade by `swapgate bench judge` with seed %d and %d resamples; `--quick` has 199 of them, and our judge alone."+
		"\n\n## Acceptance lines\n\n", t.Seed, t.Resamples)
	markdown(&b, checkColumns, checks)
	b.WriteString("\n## All rules\n\n\"right\" is the share of verdicts that the label accepts, for a data-quality fault with the required " +
		"reason.\n\n")
	markdown(&b, columns, rows)
	return b.Bytes()
}

func markdown(b *bytes.Buffer, header []string, rows [][]string) {
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(header, " | "), strings.Repeat("---|", len(header)))
	for _, cells := range rows {
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
}
