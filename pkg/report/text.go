package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	defaultWidth = 80
	leastWidth   = 30
)

// Text is the verdict for a terminal of the given width in columns; 0 or less stands for 80. With colour it uses the eight
// basic ANSI colours; without, no escape sequence at all.
func Text(v swap.Verdict, width int, colour bool) []byte {
	if width <= 0 {
		width = defaultWidth
	}
	t := &terminal{width: max(width, leastWidth), colour: colour}
	decision := t.paint(tint(v.Verdict)+bold, phrase.Symbol(v.Verdict)+" "+phrase.Word(v.Verdict))
	t.line(decision + "  " + t.paint(bold, phrase.Clip(target(v), t.width-16)))
	t.wrap("  ", "  ", phrase.Summary(v))
	t.reasons(v.Reasons)
	t.gates(v.Gates, v.Reasons)
	t.notes("Load", phrase.LoadNotes(v))
	t.notes("Slow first tokens (decided nothing)", jitterNotes(v))
	t.opinions(opinions(v))
	t.differences(newDifferencePart(v))
	t.facts(v)
	return t.out.Bytes()
}

// ANSI attributes.
const (
	bold   = "1;"
	dim    = "2;"
	red    = "31;"
	green  = "32;"
	yellow = "33;"
	purple = "35;"
)

func tint(d swap.Decision) string {
	switch d {
	case swap.Pass:
		return green
	case swap.Fail:
		return red
	case swap.Inconclusive:
		return yellow
	}
	return purple
}

type terminal struct {
	out    bytes.Buffer
	width  int
	colour bool
}

func (t *terminal) paint(attributes, s string) string {
	if !t.colour || s == "" {
		return s
	}
	return "\x1b[" + strings.TrimSuffix(attributes, ";") + "m" + s + "\x1b[0m"
}

func (t *terminal) line(s string) {
	t.out.WriteString(s)
	t.out.WriteByte('\n')
}

func (t *terminal) heading(s string) {
	t.line("")
	t.line(t.paint(bold, s))
}

// wrap writes text in lines that fit, the first one behind a prefix of its own.
func (t *terminal) wrap(first, rest, text string) {
	prefix := first
	for _, l := range wrapped(text, t.width-len([]rune(rest))) {
		t.line(prefix + l)
		prefix = rest
	}
}

func (t *terminal) reasons(reasons []swap.Reason) {
	if len(reasons) == 0 {
		return
	}
	t.heading("Reasons")
	for _, r := range reasons {
		text := phrase.Reason(r)
		if code := phrase.Clean(r.Code); code != "" && text != code {
			text += " [" + code + "]"
		}
		t.wrap("  • ", "    ", text)
	}
}

func (t *terminal) gates(gates []swap.GateResult, told []swap.Reason) {
	t.heading("Gates")
	if len(gates) == 0 {
		t.line("  none was judged")
		return
	}
	if lines := gateTable(gates); fits(lines, t.width-2) {
		t.line("  " + t.paint(dim, lines[0]))
		for i, g := range gates {
			t.line("  " + t.paint(tint(g.Decision), lines[i+1]))
		}
	} else {
		t.gateList(gates)
	}
	for _, g := range gates {
		if (g.Decision != swap.Pass || g.Regressed) && !slices.ContainsFunc(told, about(g)) {
			t.wrap("  "+phrase.Symbol(g.Decision)+" ", "    ", phrase.Reason(swap.Reason{Subject: phrase.Gate(g.Gate), Message: phrase.Sentence(g)}))
		}
	}
}

// about finds the reason of a verdict that says why a gate was decided as it was. That the load client cannot be believed is
// said once for all gates.
func about(g swap.GateResult) func(swap.Reason) bool {
	return func(r swap.Reason) bool {
		return r.Code == g.Reason.Code && (r.Subject == g.Name && g.Name != "" || r.Code == swap.ReasonInstrument)
	}
}

// notes are a section of its own, where there is anything to say.
func (t *terminal) notes(heading string, notes []phrase.Note) {
	if len(notes) == 0 {
		return
	}
	t.heading(heading)
	for _, n := range notes {
		t.wrap("  • ", "    ", n.About+": "+n.Says)
	}
}

// opinions are what older rules said, each in one line.
func (t *terminal) opinions(rows []opinionRow) {
	if len(rows) == 0 {
		return
	}
	t.heading("Opinions (decided nothing)")
	for _, o := range rows {
		t.line("  • " + phrase.Clip(fmt.Sprintf("%s %s: %s", o.about(), o.Says, o.Message), t.width-4))
	}
}

// gateList is the table of gates for a narrow terminal.
func (t *terminal) gateList(gates []swap.GateResult) {
	for _, g := range gates {
		t.line("  " + t.paint(tint(g.Decision), phrase.Symbol(g.Decision)+" "+phrase.Clip(phrase.Gate(g.Gate), t.width-4)))
		t.wrap("    ", "    ", fmt.Sprintf("%s, %s %s, %s", phrase.FromTo(g), phrase.Change(g), phrase.Interval(g), phrase.Tolerance(g)))
	}
}

func gateTable(gates []swap.GateResult) []string {
	rows := [][]string{{"", "Gate", "Baseline → cand.", "Change", "Bounds", "Margin"}}
	for _, g := range gates {
		rows = append(rows, []string{
			phrase.Symbol(g.Decision), phrase.Gate(g.Gate), phrase.FromTo(g), phrase.Change(g), phrase.Interval(g), phrase.Margin(g),
		})
	}
	return table(rows)
}

func (t *terminal) facts(v swap.Verdict) {
	t.heading("Run")
	t.fact("baseline", phrase.Model(v.Arms.Baseline))
	t.fact("candidate", phrase.Model(v.Arms.Candidate))
	t.fact("traffic", traffic(v.FinalWeights))
	t.fact("started", moment(v.Provenance.Started))
	t.fact("took", took(v))
	t.whole("run", orNA(v.Provenance.RunID))
	for _, l := range links(v) {
		t.whole(strings.ToLower(l.Text), phrase.Clean(l.URL))
	}
}

const factName = "  %-12s "

func (t *terminal) fact(name, value string) {
	t.wrap(fmt.Sprintf(factName, name), strings.Repeat(" ", 15), value)
}

// whole writes a value that people copy, on one line however long it is.
func (t *terminal) whole(name, value string) { t.line(fmt.Sprintf(factName, name) + value) }
