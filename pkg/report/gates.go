package report

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/report/chart"
	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

type gateSection struct {
	Rows    []gateRow
	Level   string
	Missing string
}

type gateRow struct {
	Title, Name                string
	Baseline, Candidate        string
	Change, Bounds, Margin     string
	Evidence, Sentence, Remark string
	Badge                      badge
	Forest                     figure
}

func newGateSection(v swap.Verdict, ids *figureIDs) gateSection {
	if len(v.Gates) == 0 {
		return gateSection{Missing: unmeasured(v, "gate was judged")}
	}
	intervals := make([]chart.Interval, len(v.Gates))
	for i, g := range v.Gates {
		intervals[i] = inMargins(g)
	}
	reach := chart.Reach(intervals)
	s := gateSection{Level: phrase.Level(v.Gates[0])}
	for i, g := range v.Gates {
		title := phrase.Gate(g.Gate)
		desc := fmt.Sprintf("Change %s, bounds %s, %s.", phrase.Change(g), phrase.Bounds(g), phrase.Tolerance(g))
		c := chart.Forest(title+" against its margin", desc, forestSize, reach, intervals[i])
		row := newGateRow(g)
		row.Forest = ids.figure("", c)
		row.Forest.Missing = ""
		s.Rows = append(s.Rows, row)
	}
	return s
}

var forestSize = chart.Size{Width: 180, Height: 30}

func newGateRow(g swap.GateResult) gateRow {
	return gateRow{
		Title: phrase.Gate(g.Gate), Name: phrase.Clean(g.Name),
		Baseline: phrase.Quantity(g.Baseline, g.Unit), Candidate: phrase.Quantity(g.Candidate, g.Unit),
		Change: phrase.Change(g), Bounds: phrase.Bounds(g), Margin: phrase.Margin(g),
		Evidence: phrase.Evidence(g), Sentence: phrase.Sentence(g), Remark: remark(g),
		Badge: newBadge(g.Decision),
	}
}

// remark is what a reader should know beside the decision.
func remark(g swap.GateResult) string {
	switch {
	case g.Regressed:
		return "worse, inside the margin"
	case g.Decision == swap.Inconclusive && g.NeedBlocks > 0:
		return fmt.Sprintf("needs about %s blocks", phrase.Count(g.NeedBlocks))
	}
	return ""
}

// inMargins expresses a gate's interval in units of its margin, signed so that worse is positive. Against an SLO the limit is the
// unit, and the candidate's own value is drawn: 1 is at the limit.
func inMargins(g swap.GateResult) chart.Interval {
	unit, from := g.Gate.Margin, 0.
	if g.Gate.HasLimit() {
		unit, from = g.Gate.Limit, 1
	}
	scale := func(v swap.Value) swap.Value {
		f, ok := v.Get()
		if !ok || unit <= 0 {
			return swap.Absent()
		}
		if g.Gate.Better == swap.HigherIsBetter {
			f = -f
		}
		return swap.Of(from + f/unit)
	}
	i := chart.Interval{
		Change: scale(g.Change), Low: scale(g.Low), High: scale(g.High),
		TwoSided: g.Gate.Better == swap.Either, Decision: g.Decision,
	}
	if g.Gate.Better == swap.HigherIsBetter {
		i.Low, i.High = i.High, i.Low
	}
	return i
}
