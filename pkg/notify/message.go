package notify

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/slack-go/slack"

	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Slack's limits, in characters; what is longer is cut at a word.
const (
	maxHeader  = 150
	maxSection = 3000
	maxField   = 2000
	maxText    = 4000
)

// What one message shows; the report has the rest.
const (
	maxReasons    = 3
	maxLoadNotes  = 4
	maxFields     = 8
	maxReasonText = 700
	maxNoteText   = 450
	maxName       = 200
)

// Message is the verdict in Block Kit: header, summary, up to three reasons, up to eight key numbers, up to four notes on the
// load stage, links and context. It is valid for any verdict: every text is within Slack's limits and free of mentions.
func Message(v swap.Verdict) []slack.Block {
	blocks := []slack.Block{
		slack.NewHeaderBlock(slack.NewTextBlockObject(slack.PlainTextType, headline(v), false, false)),
		section(mrkdwn(phrase.Summary(v), maxSection)),
	}
	if said := reasons(v.Reasons); said != "" {
		blocks = append(blocks, section(said))
	}
	blocks = append(blocks, slack.NewSectionBlock(nil, fields(v), nil))
	if said := loadNotes(phrase.LoadNotes(v)); said != "" {
		blocks = append(blocks, section(said))
	}
	if addresses := links(v); addresses != "" {
		blocks = append(blocks, section(addresses))
	}
	return append(blocks, slack.NewContextBlock("", text(contextLine(v))))
}

// Fallback is the message as one line of plain text, for notifications and screen readers.
func Fallback(v swap.Verdict) string {
	return mrkdwn(headline(v)+". "+phrase.Summary(v), maxText)
}

// headline is a verdict in a line that fits a header.
func headline(v swap.Verdict) string {
	target := phrase.Clean(v.Target)
	if target == "" {
		target = "unnamed target"
	}
	return phrase.Clip(unmention(phrase.Symbol(v.Verdict)+" "+phrase.Word(v.Verdict)+": "+target), maxHeader)
}

// section and text take mrkdwn that is escaped and within the limits. They are verbatim: Slack links nothing by itself.
func section(mrkdwn string) *slack.SectionBlock { return slack.NewSectionBlock(text(mrkdwn), nil, nil) }

func text(mrkdwn string) *slack.TextBlockObject {
	return slack.NewTextBlockObject(slack.MarkdownType, mrkdwn, false, true)
}

func reasons(all []swap.Reason) string {
	var lines []string
	for _, r := range all[:min(maxReasons, len(all))] {
		lines = append(lines, "• "+mrkdwn(phrase.Reason(r), maxReasonText))
	}
	if more := len(all) - maxReasons; more > 0 {
		lines = append(lines, fmt.Sprintf("• and %d more in the report", more))
	}
	return strings.Join(lines, "\n")
}

func loadNotes(all []phrase.Note) string {
	var lines []string
	for _, n := range all[:min(maxLoadNotes, len(all))] {
		lines = append(lines, "• *"+bold(mrkdwn(n.About, maxName))+"* "+mrkdwn(n.Says, maxNoteText))
	}
	if more := len(all) - maxLoadNotes; more > 0 {
		lines = append(lines, fmt.Sprintf("• and %d more in the report", more))
	}
	return strings.Join(lines, "\n")
}

// fields are the arms, the traffic and the gates: those that did not pass first.
func fields(v swap.Verdict) []*slack.TextBlockObject {
	fs := []*slack.TextBlockObject{
		field("Baseline", phrase.Model(v.Arms.Baseline)), field("Candidate", phrase.Model(v.Arms.Candidate)),
	}
	if w := v.FinalWeights; w != nil {
		fs = append(fs, field("Traffic at the end", fmt.Sprintf("%d %% baseline, %d %% candidate", w.Baseline, w.Candidate)))
	}
	for _, passed := range []bool{false, true} {
		for _, g := range v.Gates {
			if len(fs) < maxFields && (g.Decision == swap.Pass) == passed {
				value := fmt.Sprintf("%s (%s), %s", phrase.FromTo(g), phrase.Change(g), phrase.Tolerance(g))
				fs = append(fs, field(phrase.Symbol(g.Decision)+" "+phrase.Gate(g.Gate), value))
			}
		}
	}
	return fs
}

func field(name, value string) *slack.TextBlockObject {
	return text("*" + bold(mrkdwn(name, maxName)) + "*\n" + mrkdwn(value, maxField-maxName-16))
}

// bold keeps an asterisk in a name from ending the bold face.
func bold(s string) string { return strings.ReplaceAll(s, "*", "∗") }

func links(v swap.Verdict) string {
	var ls []string
	for _, l := range []struct{ text, address string }{
		{"Report", v.Artifacts.ReportURL}, {"Temporal run", v.Artifacts.TemporalURL},
	} {
		if address := webAddress(l.address); address != "" {
			ls = append(ls, "<"+address+"|"+l.text+">")
		}
	}
	return strings.Join(ls, "  ·  ")
}

// maxAddress leaves room for both links in one section.
const maxAddress = 1400

// webAddress is the address in a form that cannot end Slack's link markup, or nothing unless it is http or https.
func webAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return ""
	}
	s := strings.NewReplacer("<", "%3C", ">", "%3E", "|", "%7C", "&", "&amp;").Replace(u.String())
	if len(s) > maxAddress {
		return ""
	}
	return s
}

func contextLine(v swap.Verdict) string {
	p := v.Provenance
	parts := []string{"run " + orNA(p.RunID)}
	if p.RequestedBy != "" {
		parts = append(parts, "requested by "+orNA(p.RequestedBy))
	}
	if !p.Started.IsZero() && !p.Ended.Before(p.Started) {
		parts = append(parts, "took "+phrase.Duration(p.Ended.Sub(p.Started)))
	}
	return strings.Join(parts, "  ·  ")
}

func orNA(s string) string {
	if s = mrkdwn(s, maxName); s == "" {
		return phrase.NA
	}
	return s
}
