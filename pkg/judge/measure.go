package judge

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// measured is a gate's statistic on both arms and what is known of their difference. Either refusal or interval is set.
type measured struct {
	gate     swap.Gate
	values   swap.PerArm[float64]
	n        swap.PerArm[int]
	failed   swap.PerArm[int]
	lacks    swap.PerArm[lacking]
	outcomes swap.PerArm[swap.OutcomeCounts]
	pairs    int
	// few says why there are few requests, where that is known.
	few string
	// theta is the difference on the gate's scale, se its standard error and df the degrees of freedom behind it.
	theta, se    float64
	df           float64
	interval     interval
	designEffect float64
	// noise is what runs differ by, on the gate's scale; 0 where both arms were measured in one.
	noise float64
	// unstableP is the p-value against "the difference did not change between the halves of the steps".
	unstableP float64
	// passless is set where a good difference shows nothing, because the candidate carried less load.
	passless   bool
	self       selfComparison
	refusal    *swap.Reason
	needBlocks int
}

// measure computes one gate: first its values on both arms, then, where the sample allows, what they say of the
// difference.
func measure(gate swap.Gate, p pairs, settings swap.Judge) measured {
	m := measured{gate: gate, pairs: len(p.list), few: p.few, designEffect: math.NaN(), se: math.NaN(), unstableP: 1}
	for _, arm := range swap.Arms {
		_, *m.outcomes.Ptr(arm) = failures(p, arm)
	}
	var infer func()
	switch _, isQuantile := gate.Stat.Quantile(); {
	case gate.Metric == swap.MetricErrorRate:
		infer = m.errorRate(p)
	case gate.Metric == swap.MetricThroughput:
		infer = m.throughput(p, settings)
	case gate.Metric == swap.MetricQuality:
		infer = m.quality(p, settings)
	case isQuantile:
		infer = m.quantile(p, settings)
	default:
		infer = m.mean(p, settings)
	}
	if m.refusal == nil && m.pairs < settings.MinBlocks {
		m.refuse(swap.ReasonLowN, tooFewBlocks(m, settings), settings.MinBlocks)
	}
	if m.refusal == nil {
		infer()
	}
	return m
}

func (m *measured) refuse(code, message string, needBlocks int) {
	m.refusal = &swap.Reason{Code: code, Subject: m.gate.Name(), Message: message}
	m.needBlocks = needBlocks
}

// quantile compares a quantile of the pooled requests.
func (m *measured) quantile(p pairs, settings swap.Judge) func() {
	q, _ := m.gate.Stat.Quantile()
	arms := swap.PerArm[pooled]{Baseline: p.pool(swap.Baseline, m.gate.Metric), Candidate: p.pool(swap.Candidate, m.gate.Metric)}
	for _, arm := range swap.Arms {
		pool := arms.Get(arm)
		*m.values.Ptr(arm) = stats.Quantile(pool.Sorted(), q)
		m.count(arm, pool.n, pool.failed, pool.lacks)
	}
	m.refusePartial()
	if tail := float64(m.least()) * min(q, 1-q); m.refusal == nil && tail < float64(settings.MinTail) {
		need := math.Ceil(float64(m.pairs) * float64(settings.MinTail) / tail)
		m.refuse(swap.ReasonLowN, shortTail(*m, tail, settings), max(int(need), settings.MinBlocks))
	}
	return func() { m.compareQuantiles(p, settings, arms) }
}

// compareQuantiles takes degrees of freedom and design effect from the shares of requests above the quantile, whose
// spread over blocks is to first order that of the quantile.
func (m *measured) compareQuantiles(p pairs, settings swap.Judge, arms swap.PerArm[pooled]) {
	q, _ := m.gate.Stat.Quantile()
	if m.gate.HasLimit() {
		m.quantileAgainstLimit(p, arms.Candidate, q)
		return
	}
	var above swap.PerArm[blockSums]
	for _, arm := range swap.Arms {
		*above.Ptr(arm) = arms.Get(arm).above(m.values.Get(arm))
	}
	m.spread(above, p, false)
	m.self = newSelfComparison(above.Baseline, p, func(weights []float64) float64 { return arms.Baseline.Quantile(weights, q) })
	m.bootstrap(p, settings, func(weights []float64) float64 {
		return m.difference(arms.Baseline.Quantile(weights, q), arms.Candidate.Quantile(weights, q))
	})
}

// spread fills the degrees of freedom, and the design effect of the worse arm where the sums are counts.
func (m *measured) spread(counts swap.PerArm[blockSums], p pairs, relative bool) {
	m.df = degreesOfFreedom(counts, p, relative, m.arms())
	for _, arm := range m.arms() {
		c := counts.Get(arm)
		m.designEffect = larger(m.designEffect, stats.DesignEffect(c.num, c.den, p.strata))
	}
}

// mean compares the mean per request, a failed request counting as the slowest answer of either arm.
func (m *measured) mean(p pairs, settings swap.Judge) func() {
	var arms swap.PerArm[samples]
	for _, arm := range swap.Arms {
		s := collect(p, arm, m.gate.Metric)
		*arms.Ptr(arm) = s
		m.count(arm, s.n, s.failed, s.lacks)
	}
	m.refusePartial()
	worst := worstAnswered(arms)
	return m.ratios(p, settings, swap.PerArm[blockSums]{Baseline: arms.Baseline.sums(worst), Candidate: arms.Candidate.sums(worst)})
}

// throughput compares generated tokens of good requests per second of measured time.
func (m *measured) throughput(p pairs, settings swap.Judge) func() {
	var sums swap.PerArm[blockSums]
	for _, arm := range swap.Arms {
		s, lacks := throughput(p, arm)
		*sums.Ptr(arm), *m.lacks.Ptr(arm), *m.n.Ptr(arm) = s, lacks, lacks.answers-lacks.total()
		if m.needs(arm) && m.n.Get(arm) == 0 && (arm == swap.Baseline || lacks.total() > 0) {
			m.refuse(swap.ReasonNoData, noData(*m, arm), 0)
		}
	}
	m.refusePartial()
	infer := m.ratios(p, settings, sums)
	if m.refusal != nil && m.refusal.Code == swap.ReasonPartialData {
		m.withholdPartialSums()
	}
	return infer
}

// ratios compares Σnum/Σden; the bootstrap weighs whole blocks in both sums alike.
func (m *measured) ratios(p pairs, settings swap.Judge, sums swap.PerArm[blockSums]) func() {
	m.values.Baseline, m.values.Candidate = sums.Baseline.ratio(), sums.Candidate.ratio()
	return func() {
		m.df = degreesOfFreedom(sums, p, m.gate.LogScale(), m.arms())
		m.self = newSelfComparison(sums.Baseline, p, sums.Baseline.weighted)
		m.bootstrap(p, settings, func(weights []float64) float64 {
			return m.difference(sums.Baseline.weighted(weights), sums.Candidate.weighted(weights))
		})
	}
}

// errorRate compares the shares of finished requests that failed.
func (m *measured) errorRate(p pairs) func() {
	var counts swap.PerArm[blockSums]
	for _, arm := range swap.Arms {
		c, _ := failures(p, arm)
		*counts.Ptr(arm), *m.values.Ptr(arm) = c, c.ratio()
		*m.n.Ptr(arm), *m.failed.Ptr(arm) = int(stats.Sum(c.den)), int(stats.Sum(c.num))
		if m.needs(arm) && m.n.Get(arm) == 0 {
			m.refuse(swap.ReasonNoData, noData(*m, arm), 0)
		}
	}
	m.refuseRatio()
	return func() {
		m.spread(counts, p, false)
		m.self = newSelfComparison(counts.Baseline, p, counts.Baseline.weighted)
		deflated := func(arm swap.Arm) stats.Proportion {
			c := counts.Get(arm)
			counted := stats.Proportion{Successes: stats.Sum(c.num), Trials: stats.Sum(c.den)}
			return counted.Deflated(stats.DesignEffect(c.num, c.den, p.strata))
		}
		score := scoreInterval{base: deflated(swap.Baseline), cand: deflated(swap.Candidate), df: m.df}
		if m.gate.HasLimit() {
			score.base = exactly(m.gate.Limit)
		}
		m.interval, m.theta = score, m.difference(m.values.Baseline, m.values.Candidate)
		m.se = score.standardError()
	}
}

// refuseRatio refuses the ratio of two shares.
func (m *measured) refuseRatio() {
	if m.gate.LogScale() {
		m.refuse(swap.ReasonNotDecided, fmt.Sprintf("%s is compared as a difference: give its margin with unit absolute", m.gate.Metric), 0)
	}
}

// larger is the larger of two numbers, either of which may be NaN.
func larger(a, b float64) float64 {
	if a > b || math.IsNaN(b) {
		return a
	}
	return b
}

// count notes how many values a per-request metric has on an arm, and refuses where that leaves nothing to compare.
func (m *measured) count(arm swap.Arm, n, failed int, lacks lacking) {
	*m.n.Ptr(arm), *m.failed.Ptr(arm), *m.lacks.Ptr(arm) = n, failed, lacks
	if !m.needs(arm) {
		return
	}
	onlyFailures := failed == n
	if n == 0 || onlyFailures && (arm == swap.Baseline || lacks.total() > 0) {
		m.refuse(swap.ReasonNoData, noData(*m, arm), 0)
	}
}

// bootstrap fills the difference, its interval, and the test for a change between the halves of the steps.
func (m *measured) bootstrap(p pairs, settings swap.Judge, statistic func(weights []float64) float64) {
	m.theta = m.difference(m.values.Baseline, m.values.Candidate)
	if math.IsNaN(m.theta) {
		m.refuse(swap.ReasonNoData, incomparable(*m), 0)
		return
	}
	halves := newHalves(p, settings.Resamples)
	replicates := stats.Bootstrap(p.strata, settings.Resamples, settings.Seed, func(weights []float64) float64 {
		halves.observe(weights, statistic)
		return statistic(weights)
	})
	m.se = stats.StandardDeviation(replicates)
	if math.IsNaN(m.se) || math.IsInf(m.theta, 0) {
		m.se, m.interval = math.NaN(), newPercentileInterval(replicates)
		return
	}
	m.interval = newWiderInterval(studentInterval{theta: m.theta, se: m.se, df: m.df}, replicates)
	if !m.gate.HasLimit() {
		m.unstableP = halves.changedP(m.df, statistic)
	}
}

// difference is candidate against baseline, or against the limit, on the gate's scale: a log-ratio, or a difference.
func (m *measured) difference(base, cand float64) float64 {
	if m.gate.HasLimit() {
		base = m.gate.Limit
	}
	if m.gate.LogScale() {
		return math.Log(cand / base)
	}
	return cand - base
}
