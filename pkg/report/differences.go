package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

// differencePart says how the two servers differ. It is empty where they were not compared.
type differencePart struct {
	Rows []differenceRow
	// Same and Unknown are lists in words; empty where there is none.
	Same, Unknown string
}

type differenceRow struct{ Severity, Rule, Baseline, Candidate, Reason, Next string }

func newDifferencePart(v swap.Verdict) differencePart {
	c := v.Compatibility
	if c == nil {
		return differencePart{}
	}
	part := differencePart{Same: ruleList(c.Same), Unknown: ruleList(c.Unknown)}
	for _, severity := range []swap.Severity{swap.Blocking, swap.Notable, swap.Harmless} {
		for _, d := range c.Differences {
			if knownSeverity(d.Severity) == severity {
				part.Rows = append(part.Rows, newDifferenceRow(d))
			}
		}
	}
	return part
}

func newDifferenceRow(d swap.Difference) differenceRow {
	row := differenceRow{
		Severity: string(knownSeverity(d.Severity)), Rule: ruleName(d.Rule), Baseline: orNA(d.Baseline), Candidate: orNA(d.Candidate),
		Reason: phrase.Clean(d.Reason), Next: phrase.Clean(d.Next),
	}
	if d.Accepted {
		row.Severity += ", accepted"
	}
	return row
}

func (r differenceRow) sentence() string {
	return fmt.Sprintf("%s → %s (%s). %s", r.Baseline, r.Candidate, r.Severity, r.Reason)
}

func knownSeverity(s swap.Severity) swap.Severity {
	if s == swap.Blocking || s == swap.Harmless {
		return s
	}
	return swap.Notable
}

// ruleName is a rule's name in words.
func ruleName(r swap.CompatRule) string {
	return strings.ReplaceAll(phrase.Clean(string(r)), "_", " ")
}

func ruleList(rules []swap.CompatRule) string {
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = ruleName(r)
	}
	return strings.Join(names, ", ")
}

// maxDifferences is what a comment shows at most.
const maxDifferences = 20

func mdDifferences(b *bytes.Buffer, v swap.Verdict) {
	part := newDifferencePart(v)
	if len(part.Rows) == 0 {
		return
	}
	b.WriteString("How the servers differ:\n\n")
	for i, r := range part.Rows {
		if i == maxDifferences {
			fmt.Fprintf(b, "- and %d more\n", len(part.Rows)-i)
			break
		}
		fmt.Fprintf(b, "- **%s** %s\n", mdText(r.Rule), mdText(phrase.Clip(r.sentence(), 500)))
	}
	b.WriteString("\n")
}

// differences are how the servers differ, each in a sentence.
func (t *terminal) differences(part differencePart) {
	if len(part.Rows) == 0 {
		return
	}
	t.heading("How the servers differ")
	for _, r := range part.Rows {
		t.wrap("  • ", "    ", r.Rule+": "+r.sentence())
	}
}
