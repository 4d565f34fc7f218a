package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

// What a comment shows at most; the report has the rest.
const (
	maxReasons   = 10
	maxGates     = 50
	maxLoadNotes = 10
)

// Markdown is the verdict for a comment on a pull request: verdict, reasons, gates, traffic and links.
func Markdown(v swap.Verdict) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "### %s %s: %s\n\n", phrase.Symbol(v.Verdict), phrase.Word(v.Verdict), mdText(target(v)))
	fmt.Fprintf(&b, "**%s**\n\n", mdText(phrase.Summary(v)))
	mdReasons(&b, v.Reasons)
	mdGates(&b, v.Gates)
	mdLoad(&b, phrase.LoadNotes(v))
	mdJitter(&b, v)
	mdReaction(&b, v.Reaction)
	mdOpinions(&b, v)
	mdDifferences(&b, v)
	mdFacts(&b, v)
	return b.Bytes()
}

func mdReasons(b *bytes.Buffer, reasons []swap.Reason) {
	if len(reasons) == 0 {
		return
	}
	for i, r := range reasons {
		if i == maxReasons {
			fmt.Fprintf(b, "- and %d more\n", len(reasons)-i)
			break
		}
		// The bold code in front keeps the sentence from starting a list or a heading of its own.
		fmt.Fprintf(b, "- **%s** %s\n", mdText(orNA(r.Code)), mdText(phrase.Clip(phrase.Reason(r), 500)))
	}
	b.WriteString("\n")
}

func mdGates(b *bytes.Buffer, gates []swap.GateResult) {
	if len(gates) == 0 {
		b.WriteString("No gate was judged.\n\n")
		return
	}
	b.WriteString("| Gate | Baseline | Candidate | Change | Bounds | Margin | Decision |\n")
	b.WriteString("| :--- | ---: | ---: | ---: | :---: | ---: | :--- |\n")
	for i, g := range gates {
		if i == maxGates {
			fmt.Fprintf(b, "\nand %d more gates\n", len(gates)-i)
			break
		}
		row := []string{
			phrase.Gate(g.Gate), phrase.Quantity(g.Baseline, g.Unit), phrase.Quantity(g.Candidate, g.Unit),
			phrase.Change(g), phrase.Bounds(g), phrase.Margin(g), decided(g),
		}
		for k := range row {
			row[k] = mdText(row[k])
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
	}
	b.WriteString("\n")
}

// mdLoad lists what did not go as planned in the load stage, and what was found there.
func mdLoad(b *bytes.Buffer, notes []phrase.Note) {
	for i, n := range notes {
		if i == maxLoadNotes {
			fmt.Fprintf(b, "- and %d more\n", len(notes)-i)
			break
		}
		fmt.Fprintf(b, "- **%s** %s\n", mdText(n.About), mdText(phrase.Clip(n.Says, 500)))
	}
	if len(notes) > 0 {
		b.WriteString("\n")
	}
}

// decided is a gate's decision with its sign and, where there is one, a remark.
func decided(g swap.GateResult) string {
	s := phrase.Symbol(g.Decision) + " " + strings.ToLower(phrase.Word(g.Decision))
	if r := remark(g); r != "" {
		s += " (" + r + ")"
	}
	return s
}

func mdFacts(b *bytes.Buffer, v swap.Verdict) {
	fmt.Fprintf(b, "Baseline %s, candidate %s. Traffic: %s. Run %s took %s.\n",
		mdText(phrase.Model(v.Arms.Baseline)), mdText(phrase.Model(v.Arms.Candidate)), mdText(traffic(v.FinalWeights)),
		mdCode(orNA(v.Provenance.RunID)), mdText(took(v)))
	var at []string
	for _, l := range links(v) {
		at = append(at, mdLink(l))
	}
	if len(at) > 0 {
		fmt.Fprintf(b, "\n%s\n", strings.Join(at, " · "))
	}
}
