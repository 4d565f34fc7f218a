package judge

import (
	"cmp"
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/swap"
)

// explain is the one sentence that goes with a gate's decision.
func explain(m measured, r swap.GateResult) string {
	switch {
	case m.gate.HasLimit():
		return explainLimit(m, r)
	case r.Decision == swap.Fail:
		return explainFailure(m, r)
	}
	conclusion := "pass"
	switch {
	case r.Regressed:
		conclusion = "pass, worse than the baseline but within the margin"
	case r.Reason.Code == swap.ReasonSelfCompare:
		conclusion = "not decided, because " + m.self.sentence(m)
	case r.Reason.Code == swap.ReasonUnstable:
		conclusion = "not decided, because the difference changed between the first and the second half of the steps"
	case r.Decision == swap.Inconclusive && r.NeedBlocks > 0:
		conclusion = fmt.Sprintf("not decided, about %d blocks would decide", r.NeedBlocks)
	case r.Decision == swap.Inconclusive && m.noRoom(r.Level):
		conclusion = noiseTakesAll
	case r.Decision == swap.Inconclusive && r.Method == swap.MethodSummary:
		conclusion = "not decided"
	case r.Decision == swap.Inconclusive:
		conclusion = "not decided, and more blocks are unlikely to make it pass"
	}
	return fmt.Sprintf("%s %s (%s), %s: %s; %s",
		shortName(m.gate), changeOrFailure(m, r), boundsText(r), marginText(m.gate), conclusion, basisText(m, r))
}

func changeOrFailure(m measured, r swap.GateResult) string {
	if r.Change.Valid() {
		return changeText(m.gate, r.Change)
	}
	return fmt.Sprintf("%s against the baseline's %s", valueText(m, swap.Candidate), valueText(m, swap.Baseline))
}

func explainFailure(m measured, r swap.GateResult) string {
	evidence := fmt.Sprintf("%s, %s; %s", boundsText(r), marginText(m.gate), basisText(m, r))
	switch {
	case m.gate.Metric == swap.MetricErrorRate:
		return fmt.Sprintf("candidate fails %s of its requests, the baseline %s, mostly with %s (difference %s; %s)",
			valueText(m, swap.Candidate), valueText(m, swap.Baseline), dominant(m.outcomes.Candidate),
			changeText(m.gate, r.Change), evidence)
	case math.IsInf(m.values.Candidate, 1):
		return fmt.Sprintf("candidate's %s is a failed request, the baseline's %s: %d of its %d requests failed, mostly with %s (%s; %s)",
			longName(m.gate), valueText(m, swap.Baseline), m.failed.Candidate, m.n.Candidate, dominant(m.outcomes.Candidate),
			marginText(m.gate), basisText(m, r))
	case m.gate.Metric == swap.MetricThroughput && m.n.Candidate == 0:
		return fmt.Sprintf("candidate generated nothing, the baseline %s (%s)", valueText(m, swap.Baseline), evidence)
	}
	return fmt.Sprintf("candidate's %s is %s than the baseline's (%s against %s; %s)",
		longName(m.gate), howMuch(m, r), valueText(m, swap.Candidate), valueText(m, swap.Baseline), evidence)
}

// howMuch is such as "38 % higher".
func howMuch(m measured, r swap.GateResult) string {
	factor, decimals, unit := scale(m.gate)
	direction := "higher"
	if m.theta < 0 {
		direction = "lower"
	}
	size := math.Abs(r.Change.Or(0)) * factor
	if size >= 10 {
		decimals = 0
	}
	return fmt.Sprintf("%.*f %s %s", decimals, size, unit, direction)
}

func tooFewBlocks(m measured, settings swap.Judge) string {
	return fmt.Sprintf("%s was measured in %s of blocks, fewer than the %d needed: %s",
		shortName(m.gate), counted(m.pairs, "pair"), settings.MinBlocks, cmp.Or(m.few, "hold the steps longer"))
}

func shortTail(m measured, tail float64, settings swap.Judge) string {
	return fmt.Sprintf("%s rests on %s per arm, %.0f beyond it, fewer than the %d needed: %s",
		shortName(m.gate), counted(m.least(), "request"), math.Floor(tail), settings.MinTail, cmp.Or(m.few, "send more requests"))
}

func noData(m measured, arm swap.Arm) string {
	name, n := spoken[m.gate.Metric].long, m.outcomes.Get(arm).Total()
	switch {
	case n == 0:
		return fmt.Sprintf("%s has no measured request, so there is no %s", arm, name)
	case m.outcomes.Get(arm).Failed() == n:
		return fmt.Sprintf("%s failed all of its %d requests, mostly with %s, so there is no %s",
			arm, n, dominant(m.outcomes.Get(arm)), name)
	}
	if m.gate.Metric == swap.MetricQuality {
		return fmt.Sprintf("%s answered, but none of its answers has a score: %s", arm, scorePrompts)
	}
	if l := m.lacks.Get(arm); l.atOnce > 0 {
		return fmt.Sprintf("%s has no %s, because %s: %s", arm, name, l.sentence(arm, m.gate.Metric), nextOfLacking(l))
	}
	text := fmt.Sprintf("%s answered, but none of its answers has a %s", arm, name)
	if restsOnTokens(m.gate.Metric) {
		text += "; the server may not report token usage"
	}
	return text
}

func incomparable(m measured) string {
	if math.IsInf(m.values.Baseline, 1) {
		return fmt.Sprintf("%s is a failed request on both arms (mostly %s on the baseline), so there is nothing to compare",
			shortName(m.gate), dominant(m.outcomes.Baseline))
	}
	return fmt.Sprintf("%s has no ratio: the baseline's is %s and the candidate's %s; use an absolute margin",
		shortName(m.gate), valueText(m, swap.Baseline), valueText(m, swap.Candidate))
}
