package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

// jitterPart is what the unusually slow first tokens of both arms look like; it is empty where that is not known.
type jitterPart struct{ Lines []jitterLine }

type jitterLine struct{ Arm, Line, Detail string }

func newJitterPart(v swap.Verdict) (part jitterPart) {
	if v.Jitter == nil {
		return part
	}
	for _, arm := range swap.Arms {
		part.Lines = append(part.Lines, newJitterLine(arm, v.Jitter.Arms.Get(arm)))
	}
	return part
}

func newJitterLine(arm swap.Arm, j swap.ArmJitter) jitterLine {
	line := fmt.Sprintf("%s of %s first tokens are outliers: %s (95 %% interval %s to %s)", phrase.Count(j.Outliers), phrase.Count(j.Requests),
		phrase.Quantity(j.OutlierShare, "fraction"), phrase.Quantity(j.ShareLow, "fraction"), phrase.Quantity(j.ShareHigh, "fraction"))
	details := make([]string, 0, len(j.Labels)+len(j.Clusters)+1)
	for _, l := range j.Labels {
		details = append(details, sentence(jitterWords(l)))
	}
	details = append(details, sentence(clustersWords(j)))
	for _, c := range j.Clusters {
		details = append(details, sentence(clusterWords(c)))
	}
	return jitterLine{Arm: string(arm), Line: line, Detail: strings.TrimSpace(strings.Join(details, " "))}
}

// clustersWords says how many clusters there are, and in which axes.
func clustersWords(j swap.ArmJitter) string {
	message := phrase.Clean(j.ClustersMessage)
	if len(j.Axes) == 0 {
		return message
	}
	names := make([]string, len(j.Axes))
	for i, a := range j.Axes {
		names[i] = phrase.Clean(strings.ReplaceAll(string(a), "_", " "))
	}
	return message + ", by " + strings.Join(names, ", ")
}

// clusterWords are the medians of a cluster that are known.
func clusterWords(c swap.JitterCluster) string {
	said := phrase.Count(c.Count) + " are alike"
	before := ": "
	for _, m := range []struct {
		name, unit string
		value      swap.Value
	}{
		{"TTFT", "ms", c.TTFTms},
		{"since the one before", "s", c.GapSeconds},
		{"TPOT", "ms", c.TPOTms},
		{"E2E", "ms", c.E2Ems},
		{"queue", "ms", c.QueueMS},
		{"sent late", "ms", c.ClientLateMS},
		{"prompt", "tokens", c.PromptTokens},
		{"into the step", "s", c.StepSeconds},
	} {
		if m.value.Valid() {
			said += before + m.name + " " + phrase.Quantity(m.value, m.unit)
			before = ", "
		}
	}
	return said
}

// jitterNotes are what the candidate has and the baseline has not, and a line for each arm; none where there is no outlier.
func jitterNotes(v swap.Verdict) (notes []phrase.Note) {
	if v.Jitter == nil || v.Jitter.Arms.Baseline.Outliers+v.Jitter.Arms.Candidate.Outliers == 0 {
		return nil
	}
	for _, f := range v.Findings {
		if f.Subject == jitterSubject {
			notes = append(notes, phrase.Note{About: "New", Says: sentence(f.Message) + " To do: " + phrase.Clean(f.Next)})
		}
	}
	for _, arm := range swap.Arms {
		j := v.Jitter.Arms.Get(arm)
		kinds := make([]string, len(j.Labels))
		for i, l := range j.Labels {
			kinds[i] = kindWords(l, " ")
		}
		says := fmt.Sprintf("%s of %s (%s)", phrase.Count(j.Outliers), phrase.Count(j.Requests), phrase.Quantity(j.OutlierShare, "fraction"))
		if len(kinds) > 0 {
			says += ": " + strings.Join(kinds, "; ")
		}
		notes = append(notes, phrase.Note{About: string(arm), Says: says})
	}
	return notes
}

// jitterSubject is what the finding of the jitter that only the candidate has is about.
const jitterSubject = "jitter"

func mdJitter(b *bytes.Buffer, v swap.Verdict) {
	notes := jitterNotes(v)
	if len(notes) == 0 {
		return
	}
	b.WriteString("Unusually slow first tokens (this decided nothing):\n\n")
	for _, n := range notes {
		fmt.Fprintf(b, "- **%s** %s\n", mdText(n.About), mdText(phrase.Clip(n.Says, 500)))
	}
	b.WriteString("\n")
}

// kindWords is such as "periodic 62, every 30 s", with something between the kind and its count.
func kindWords(l swap.JitterLabel, between string) string {
	said := jitterKind(l.Kind) + between + phrase.Count(l.Count)
	if l.PeriodSeconds.Valid() {
		said += ", every " + phrase.Quantity(l.PeriodSeconds, "s")
	}
	return said
}

func jitterWords(l swap.JitterLabel) string {
	said := kindWords(l, ": ")
	if len(l.Examples) > 0 {
		e := l.Examples[0]
		said += fmt.Sprintf(", such as request %d of block %d in step %d with %s", e.Seq, e.Block, e.Step, phrase.Quantity(e.TTFTms, "ms"))
	}
	return said
}

func jitterKind(k swap.JitterKind) string {
	switch k {
	case swap.JitterColdStart:
		return "cold start"
	case swap.JitterPeriodic:
		return "periodic"
	case swap.JitterGlitch:
		return "single glitch"
	case swap.JitterUnexplained:
		return "unexplained"
	}
	return orNA(string(k))
}
