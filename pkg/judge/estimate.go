package judge

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Shows is what a comparison can show. One of unlike loads can show only that the candidate is good enough, where it carried more,
// or only that it is not, where it carried less.
type Shows int

// The kinds of comparisons.
const (
	ShowsBoth Shows = iota
	ShowsPass
	ShowsFail
)

// Estimate is a gate's statistic on both arms with what is known of its error from elsewhere than blocks, such as from the summaries
// of another tool.
type Estimate struct {
	Gate  swap.Gate
	Shows Shows
	// Values are in the gate's unit, NaN where there is none.
	Values swap.PerArm[float64]
	// LogErrors are the standard errors of the logarithms of the values, and Effective how many independent requests they rest on.
	// Error rates need neither.
	LogErrors, Effective swap.PerArm[float64]
	// Outcomes counts the requests of each arm; those of error rates are divided by DesignEffect.
	Outcomes     swap.PerArm[swap.OutcomeCounts]
	DesignEffect float64
	// Refusal says why the gate is not judged, and its code; nil where it is.
	Refusal *swap.Reason
}

// DecideEstimates judges gates by the same algebra as Decide: bounds by Student's t, a pass by the bound, a fail that stands after
// Holm's correction over all estimates that can show one. The errors of the arms and runToRun, a standard deviation on the
// logarithmic scale, add in quadrature, with the degrees of freedom of Welch and Satterthwaite; runToRun is known and has none. Failed
// requests are not in the latencies of summaries, so that an arm with more of them than its statistic can bear is not judged by those.
func DecideEstimates(estimates []Estimate, settings swap.Judge, runToRun float64) []swap.GateResult {
	all := make([]measured, len(estimates))
	var failP []float64
	for i := range estimates {
		all[i] = estimates[i].measured(runToRun)
		if estimates[i].Shows != ShowsPass {
			failP = append(failP, all[i].failP())
		}
	}
	adjusted := stats.Holm(failP)
	results := make([]swap.GateResult, len(all))
	for i, next := 0, 0; i < len(all); i++ {
		p := 1.0
		if estimates[i].Shows != ShowsPass {
			p = adjusted[next]
			next++
		}
		results[i] = all[i].settle(p, len(all), settings)
		if all[i].refusal != nil {
			all[i].showChange(&results[i])
		}
	}
	return results
}

// showChange adds to a refused gate what its values changed by.
func (m *measured) showChange(r *swap.GateResult) {
	r.Change = m.readable(m.difference(m.values.Baseline, m.values.Candidate))
	if r.Change.Valid() {
		r.Reason.Message = fmt.Sprintf("%s %s, without bounds: %s", shortName(m.gate), changeText(m.gate, r.Change), r.Reason.Message)
	}
}

// Conclude decides overall from gates that DecideEstimates judged. Each withheld reason forbids a pass.
func Conclude(gates []swap.GateResult, shifts Shifts, withheld []swap.Reason) swap.Comparison {
	c := swap.Comparison{Gates: gates}
	conclude(&c, checks{reasons: withheld}, shifts)
	return c
}

func (e *Estimate) measured(runToRun float64) measured {
	m := measured{
		gate: e.Gate, values: e.Values, outcomes: e.Outcomes, designEffect: e.DesignEffect, se: math.NaN(), unstableP: 1,
		passless: e.Shows == ShowsFail, refusal: e.Refusal,
	}
	for _, arm := range swap.Arms {
		outcomes := e.Outcomes.Get(arm)
		*m.n.Ptr(arm) = outcomes.Total() - outcomes[swap.Abandoned]
		*m.failed.Ptr(arm) = outcomes.Failed()
	}
	m.refuseFailures()
	switch {
	case m.refusal != nil:
	case e.Gate.Metric == swap.MetricErrorRate:
		m.estimateErrorRate(runToRun)
	default:
		m.estimate(e, runToRun)
	}
	return m
}

// refuseFailures refuses a statistic of answers where so many requests failed that they would move it.
func (m *measured) refuseFailures() {
	if m.refusal != nil || m.gate.Metric == swap.MetricErrorRate || m.gate.Metric == swap.MetricThroughput {
		return
	}
	share := partialShare
	if q, isQuantile := m.gate.Stat.Quantile(); isQuantile {
		share = min(share, partialTail*min(q, 1-q))
	}
	for _, arm := range m.arms() {
		if failed, n := m.failed.Get(arm), m.n.Get(arm); float64(failed) > share*float64(n) {
			m.refuse(swap.ReasonPartialData, fmt.Sprintf(
				"%s is not judged, because %d of %d requests of the %s failed and the summary leaves them out, more than the %s %% tolerated",
				shortName(m.gate), failed, n, arm, percent(share)), 0)
			return
		}
	}
}

func (m *measured) estimate(e *Estimate, runToRun float64) {
	m.theta = m.difference(m.values.Baseline, m.values.Candidate)
	if math.IsNaN(m.theta) || math.IsInf(m.theta, 0) {
		m.refuse(swap.ReasonNoData, incomparable(*m), 0)
		return
	}
	if !m.gate.HasLimit() {
		m.noise = m.noiseOf(runToRun)
	}
	variance, spread := m.noise*m.noise, 0.0
	for _, arm := range m.arms() {
		se := e.LogErrors.Get(arm)
		if !m.gate.LogScale() {
			se *= m.values.Get(arm)
		}
		variance += se * se
		spread += se * se * se * se / max(1, e.Effective.Get(arm)-1)
	}
	m.se, m.df = math.Sqrt(variance), math.Inf(1)
	if spread > 0 {
		m.df = variance * variance / spread
	}
	m.interval = ofSummary{studentInterval{theta: m.theta, se: m.se, df: m.df}}
}

// estimateErrorRate takes the counts for those of independent requests once they are divided by the design effect.
func (m *measured) estimateErrorRate(runToRun float64) {
	if m.refuseRatio(); m.refusal != nil {
		return
	}
	deflated := func(arm swap.Arm) stats.Proportion {
		return stats.Proportion{Successes: float64(m.failed.Get(arm)), Trials: float64(m.n.Get(arm))}.Deflated(m.designEffect)
	}
	score := scoreInterval{base: deflated(swap.Baseline), cand: deflated(swap.Candidate), df: math.Inf(1)}
	if m.gate.HasLimit() {
		score.base = exactly(m.gate.Limit)
	}
	m.df, m.theta = score.df, m.difference(m.values.Baseline, m.values.Candidate)
	m.se, m.interval = score.standardError(), ofSummary{score}
	m.widen(runToRun)
}

// ofSummary is an interval whose spread was told by summaries.
type ofSummary struct{ interval }

func (ofSummary) method() swap.Method { return swap.MethodSummary }
