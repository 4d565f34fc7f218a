package swapbench

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Markdown is the table for a document: how our judge held its lines, its verdicts in each scenario, and the rules compared.
func (t *Table) Markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Made by `swapgate bench judge` of %s with seed %d and %d resamples.\n", cmp.Or(t.Version, "an unnamed version"), t.Seed,
		t.Resamples)
	b.WriteString("\n## Acceptance lines\n\nThe worst scenario of each line; \"repetitions\" are those of that scenario.\n\n")
	markdown(&b, summaryColumns, t.summary())
	b.WriteString("\n## Our judge\n\n")
	markdown(&b, ourColumns, t.ours())
	b.WriteString("\n## Rules compared\n\nShare of repetitions in which a rule fails the candidate, or rolls it back.\n\n")
	header, rows := t.compared()
	markdown(&b, header, rows)
	return b.Bytes()
}

func markdown(b *bytes.Buffer, header []string, rows [][]string) {
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(header, " | "), strings.Repeat("---|", len(header)))
	for _, cells := range rows {
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
}

var summaryColumns = []string{"line", "held in", "worst scenario", "repetitions", "share (95 %)"}

// summary is a row for each line: in how many scenarios it held, and the one that came closest to breaking it.
func (t *Table) summary() [][]string {
	byLine := map[Line][]Check{}
	for _, c := range t.Checks {
		byLine[c.Line] = append(byLine[c.Line], c)
	}
	var rows [][]string
	for _, line := range lines {
		checks := byLine[line]
		if len(checks) == 0 {
			continue
		}
		held, worst := 0, checks[0]
		for _, c := range checks {
			if c.Held {
				held++
			}
			if c.worse(worst) {
				worst = c
			}
		}
		rows = append(rows, []string{
			string(line), fmt.Sprintf("%d of %d", held, len(checks)), worst.Scenario, strconv.Itoa(worst.Repetitions), worst.share(),
		})
	}
	return rows
}

var ourColumns = []string{
	"scenario", "effect", "gates", "requests an arm", "repetitions", "pass", "fail", "open", "right (95 %)", "more blocks",
}

// ours is a row for each scenario, with what our judge said.
func (t *Table) ours() [][]string {
	var rows [][]string
	for i := range t.Rows {
		if r := &t.Rows[i]; r.Contestant == Ours {
			low, high := r.interval(r.ReasonHeld)
			rows = append(rows, []string{
				r.Scenario, fmt.Sprintf("%+.3g", r.Effect), r.Judged, orDash(r.Samples), strconv.Itoa(r.Repetitions), r.percent(r.Pass),
				r.percent(r.Fail), r.percent(r.Inconclusive), fmt.Sprintf("%s (%.1f-%.1f)", r.percent(r.ReasonHeld), 100*low, 100*high),
				orDash(r.NeedBlocks),
			})
		}
	}
	return rows
}

func orDash(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

// compared is a row for each scenario that other rules saw, a column for each contestant.
func (t *Table) compared() (header []string, rows [][]string) {
	header = []string{"scenario", "right is", "repetitions"}
	var names, order []string
	byScenario := map[string][]*Row{}
	for i := range t.Rows {
		r := &t.Rows[i]
		if !slices.Contains(names, r.Contestant) {
			names = append(names, r.Contestant)
		}
		if byScenario[r.Scenario] == nil {
			order = append(order, r.Scenario)
		}
		byScenario[r.Scenario] = append(byScenario[r.Scenario], r)
	}
	for _, scenario := range order {
		if seen := byScenario[scenario]; len(seen) > 1 {
			rows = append(rows, comparison(seen, names))
		}
	}
	return append(header, names...), rows
}

// comparison is a scenario's row, its contestants in the order of the names.
func comparison(seen []*Row, names []string) []string {
	repetitions := strconv.Itoa(seen[0].Repetitions)
	if rules := seen[1].Repetitions; rules != seen[0].Repetitions {
		repetitions = fmt.Sprintf("%s, rules %d", repetitions, rules)
	}
	cells := []string{seen[0].Scenario, seen[0].Wanted, repetitions}
	for _, name := range names {
		at := slices.IndexFunc(seen, func(r *Row) bool { return r.Contestant == name })
		if at < 0 {
			cells = append(cells, "-")
			continue
		}
		cells = append(cells, seen[at].percent(seen[at].Fail))
	}
	return cells
}
