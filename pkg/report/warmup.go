package report

import (
	"fmt"
	"time"

	"github.com/swapgate/swapgate/pkg/report/chart"
	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

// warmUpSection shows both arms from their first request to steady state.
type warmUpSection struct {
	Figure  figure
	Phases  []phaseRow
	Rows    []warmUpRow
	Missing string
}

type warmUpRow struct {
	Arm, Requests, Failed, Ratio, Settled, Took string
	Stable                                      bool
}

// phaseRow is the TTFT of both arms in one phase of their life.
type phaseRow struct{ Phase, Remark, Baseline, Candidate, Change string }

func newWarmUpSection(d Data, ids *figureIDs) warmUpSection {
	v := d.Verdict
	if v.WarmUp == nil {
		return warmUpSection{Missing: unmeasured(v, "warm-up was finished")}
	}
	var s warmUpSection
	var cold, hot swap.PerArm[swap.Value]
	for _, arm := range swap.Arms {
		w := v.WarmUp.Get(arm)
		*cold.Ptr(arm), *hot.Ptr(arm) = w.ColdTTFTms, w.HotTTFTms
		s.Rows = append(s.Rows, newWarmUpRow(arm, w))
	}
	s.Phases = []phaseRow{
		newPhaseRow("Cold start", "the first request", cold), newPhaseRow("Hot start", "median at the end of the warm-up", hot),
	}
	for i, step := range v.Steps {
		s.Phases = append(s.Phases, newPhaseRow("Steady state, "+phrase.Step(step.Step, step.Label), steadyRemark(d, i), step.TTFTP50ms))
	}
	s.Figure = phaseFigure(v.Steps, cold, hot, ids)
	return s
}

// phaseFigure shows the lightest load for steady state, which comes closest to that of the warm-up.
func phaseFigure(steps []swap.StepResult, cold, hot swap.PerArm[swap.Value], ids *figureIDs) figure {
	heading, labels, phases := "TTFT in ms, cold and hot start", []string{"cold start", "hot start"}, []swap.PerArm[swap.Value]{cold, hot}
	if len(steps) > 0 {
		heading = "TTFT in ms: cold start, hot start and steady state in " + phrase.Step(steps[0].Step, steps[0].Label)
		labels, phases = append(labels, "steady state"), append(phases, steps[0].TTFTP50ms)
	}
	var arms swap.PerArm[[]swap.Value]
	for _, phase := range phases {
		for _, arm := range swap.Arms {
			*arms.Ptr(arm) = append(arms.Get(arm), phase.Get(arm))
		}
	}
	return ids.figure(heading, chart.Levels("TTFT from cold start to steady state",
		"Time to first token of the first request, its median once warm, and its median under load, for both arms. The table has the numbers.",
		columnSize, labels, arms))
}

func newPhaseRow(phase, remark string, ttft swap.PerArm[swap.Value]) phaseRow {
	row := phaseRow{
		Phase: phase, Remark: remark, Change: phrase.NA,
		Baseline: phrase.Quantity(ttft.Baseline, "ms"), Candidate: phrase.Quantity(ttft.Candidate, "ms"),
	}
	baseline, known := ttft.Baseline.Get()
	if candidate, ok := ttft.Candidate.Get(); ok && known && baseline > 0 {
		row.Change = phrase.Ratio(swap.Of(candidate/baseline - 1))
	}
	return row
}

// steadyRemark says how long each arm took to settle, where that is known.
func steadyRemark(d Data, step int) string {
	if step >= len(d.Steps) {
		return "median"
	}
	arms := d.Steps[step].Arms
	if !arms.Baseline.Unsteady.Valid() && !arms.Candidate.Unsteady.Valid() {
		return "median"
	}
	return fmt.Sprintf("median; steady after %s / %s requests",
		phrase.Quantity(arms.Baseline.Unsteady, ""), phrase.Quantity(arms.Candidate.Unsteady, ""))
}

func newWarmUpRow(arm swap.Arm, w swap.WarmUpResult) warmUpRow {
	row := warmUpRow{
		Arm: string(arm), Requests: phrase.Count(w.Requests), Failed: phrase.Count(w.Outcomes.Failed()),
		Ratio: phrase.NA, Took: phrase.Duration(time.Duration(w.TookMS) * time.Millisecond), Stable: w.Stable, Settled: phrase.Clean(w.Ended),
	}
	cold, hasCold := w.ColdTTFTms.Get()
	hot, hasHot := w.HotTTFTms.Get()
	if hasCold && hasHot && hot > 0 {
		row.Ratio = phrase.Quantity(swap.Of(cold/hot), "×")
	}
	return row
}
