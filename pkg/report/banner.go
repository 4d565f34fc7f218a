package report

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

// badge is a decision as a word and a sign.
type badge struct {
	// Class is the decision, or "unknown": it names the look and the sign.
	Class string
	Word  string
}

type banner struct {
	Badge   badge
	Target  string
	Summary string
	Reasons []reason
	Facts   []fact
	Links   []link
}

type reason struct{ Code, Sentence string }

// fact is a name with a value, and a remark where one is needed.
type fact struct {
	Name, Value string
	// Code says that the value is an identifier, to be set in a fixed width.
	Code bool
}

type link struct{ Text, URL string }

func newBadge(d swap.Decision) badge {
	word := phrase.Word(d)
	return badge{Class: strings.ToLower(word), Word: word}
}

func title(v swap.Verdict) string { return phrase.Word(v.Verdict) + ": " + target(v) }

func target(v swap.Verdict) string {
	if t := phrase.Clean(v.Target); t != "" {
		return t
	}
	return "unnamed target"
}

func newBanner(v swap.Verdict) banner {
	b := banner{Badge: newBadge(v.Verdict), Target: target(v), Summary: phrase.Summary(v), Links: links(v)}
	for _, r := range v.Reasons {
		b.Reasons = append(b.Reasons, reason{Code: phrase.Clean(r.Code), Sentence: phrase.Reason(r)})
	}
	b.Facts = []fact{
		{Name: "Baseline", Value: phrase.Model(v.Arms.Baseline)},
		{Name: "Candidate", Value: phrase.Model(v.Arms.Candidate)},
		{Name: "Traffic at the end", Value: traffic(v.FinalWeights)},
		{Name: "Started", Value: moment(v.Provenance.Started)},
		{Name: "Took", Value: took(v)},
		{Name: "Last stage", Value: stageName(v.Stage)},
	}
	return b
}

func traffic(w *swap.Weights) string {
	if w == nil {
		return "n/a: no gateway was read back"
	}
	return fmt.Sprintf("%d %% baseline, %d %% candidate", w.Baseline, w.Candidate)
}

func took(v swap.Verdict) string {
	if v.Provenance.Started.IsZero() || v.Provenance.Ended.IsZero() {
		return phrase.NA
	}
	return phrase.Duration(v.Provenance.Ended.Sub(v.Provenance.Started))
}

func stageName(s swap.Stage) string {
	if s == "" {
		return phrase.NA
	}
	return strings.ReplaceAll(phrase.Clean(string(s)), "_", " ")
}

// links are the addresses that people can follow from the verdict; only http and https count.
func links(v swap.Verdict) []link {
	var ls []link
	for _, l := range []link{{"Report", v.Artifacts.ReportURL}, {"Temporal run", v.Artifacts.TemporalURL}} {
		if u, err := url.Parse(l.URL); err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" {
			ls = append(ls, link{Text: l.Text, URL: u.String()})
		}
	}
	return ls
}
