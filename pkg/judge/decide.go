package judge

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Decide judges every gate and the evidence itself: fail if any gate fails, else inconclusive if a gate or a check of the
// evidence says so, else pass. Where the load client cannot be believed, everything is inconclusive. Reasons are ordered by
// how much they explain. Gates and settings must be complete, with every default filled in.
func Decide(evidence Evidence) swap.Comparison {
	comparison := swap.Comparison{EvidenceSHA256: evidence.EvidenceSHA256}
	if fault := faultOf(evidence); fault != "" {
		comparison.Decision = swap.Inconclusive
		comparison.Reasons = []swap.Reason{{Code: swap.ReasonNotDecided, Subject: "gates", Message: fault}}
		return comparison
	}
	p := pairUp(evidence.Blocks)
	p.few = tooFewBecause(evidence.Ends)
	p.pools = &pools{made: map[poolKey]func() pooled{}}
	p.prepare(evidence.Gates)
	checked := check(evidence, p)
	shifts := shiftsOf(p)
	comparison.Gates, comparison.Findings = judgeGates(evidence, p)
	comparison.Findings = append(checked.findings, comparison.Findings...)
	flagUnlikeWork(comparison.Gates, shifts.AnswerLength)
	for _, s := range checked.spoiled {
		s.withhold(comparison.Gates)
	}
	conclude(&comparison, checked, shifts)
	return comparison
}

// faultOf says why the evidence cannot be judged at all, or nothing.
func faultOf(e Evidence) string {
	if len(e.Gates) == 0 {
		return "there is no gate to judge, so nothing was compared"
	}
	s := e.Settings
	if !(s.Level >= .5 && s.Level < 1) || s.Resamples < 2 || s.MinBlocks < 4 || s.MinTail < 1 {
		return "the judge's settings are incomplete: level, resamples, min_blocks and min_tail are needed"
	}
	if !(e.RunToRun >= 0) || math.IsInf(e.RunToRun, 1) {
		return fmt.Sprintf("the noise between runs is %v; it must be a number of at least 0", e.RunToRun)
	}
	for _, gate := range e.Gates {
		if !complete(gate) {
			return fmt.Sprintf("the gate %s is incomplete: it needs a known metric, a margin (or a limit and no margin) above 0 and a direction",
				gate.Name())
		}
	}
	return ""
}

func complete(g swap.Gate) bool {
	_, spokenOf := spoken[g.Metric]
	oneWay := g.Better == swap.LowerIsBetter || g.Better == swap.HigherIsBetter
	if g.HasLimit() {
		return spokenOf && oneWay && g.Limit > 0 && g.Margin == 0
	}
	return spokenOf && (oneWay || g.Better == swap.Either) && g.Margin > 0
}

func judgeGates(e Evidence, p pairs) ([]swap.GateResult, []swap.Finding) {
	gates := make([]measured, len(e.Gates))
	failP := make([]float64, len(e.Gates))
	each(len(gates), func(i int) {
		gates[i] = measure(e.Gates[i], p, e.Settings)
		gates[i].widen(e.RunToRun)
		gates[i].self.recorded = e.Recorded
		gates[i].compareBaselineToItself(len(e.Gates))
		failP[i] = gates[i].failP()
	})
	findings := runToRunFindings(e)
	for i := range gates {
		findings = append(findings, gates[i].lackingFindings()...)
	}
	results := make([]swap.GateResult, len(gates))
	for i, adjusted := range stats.Holm(failP) {
		results[i] = gates[i].settle(adjusted, len(gates), e.Settings)
	}
	return results, findings
}

// flagUnlikeWork adds to the gates on whole answers that the arms' answers differ in length.
func flagUnlikeWork(gates []swap.GateResult, length swap.Value) {
	if !lengthsDiffer(length) {
		return
	}
	for i := range gates {
		g := gates[i].Gate
		if !g.HasLimit() && (g.Metric == swap.MetricE2E || g.Metric == swap.MetricThroughput) {
			gates[i].Reason.Message += "; the answers differ in length by " + percentChange(length)
		}
	}
}

// conclude decides overall and orders the reasons. Regressions inside the margin qualify a pass and explain nothing else.
func conclude(c *swap.Comparison, checked checks, shifts Shifts) {
	byDecision := map[swap.Decision][]swap.Reason{}
	var regressions []swap.Reason
	for _, gate := range c.Gates {
		if checked.spoils(gate.Reason.Code) {
			continue // the checks say it once for all gates
		}
		byDecision[gate.Decision] = append(byDecision[gate.Decision], gate.Reason)
		if gate.Regressed {
			regressions = append(regressions, gate.Reason)
		}
	}
	failed := byDecision[swap.Fail]
	if len(failed) > 0 {
		cause := swap.Reason{Code: swap.ReasonGateFailed, Subject: string(swap.Candidate), Message: Suspect(c.Gates, shifts)}
		failed = append([]swap.Reason{cause}, failed...)
	}
	failed = append(checked.failures, failed...)
	switch {
	case len(failed) > 0 && !checked.unbelievable:
		c.Decision, c.Reasons = swap.Fail, failed
	case len(failed)+len(checked.reasons)+len(byDecision[swap.Inconclusive]) > 0:
		c.Decision = swap.Inconclusive
	default:
		c.Decision = swap.Pass
	}
	c.Reasons = append(c.Reasons, checked.reasons...)
	c.Reasons = append(c.Reasons, byDecision[swap.Inconclusive]...)
	if c.Decision == swap.Pass {
		c.Reasons = append(c.Reasons, regressions...)
	}
}
