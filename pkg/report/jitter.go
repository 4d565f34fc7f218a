package report

import (
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
	details := make([]string, 0, len(j.Labels)+1)
	for _, l := range j.Labels {
		details = append(details, sentence(jitterWords(l)))
	}
	details = append(details, sentence(j.ClustersMessage))
	return jitterLine{Arm: string(arm), Line: line, Detail: strings.TrimSpace(strings.Join(details, " "))}
}

func jitterWords(l swap.JitterLabel) string {
	said := jitterKind(l.Kind) + ": " + phrase.Count(l.Count)
	if l.PeriodSeconds.Valid() {
		said += ", every " + phrase.Quantity(l.PeriodSeconds, "s")
	}
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
