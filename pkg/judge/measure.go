package judge

import (
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
	missing  swap.PerArm[int]
	outcomes swap.PerArm[swap.OutcomeCounts]
	pairs    int
	// theta is the difference on the gate's scale and se its standard error.
	theta, se    float64
	interval     interval
	designEffect float64
	// unstableP is the p-value against "the difference did not change between the halves of the steps".
	unstableP  float64
	refusal    *swap.Reason
	needBlocks int
}

// quantiles maps the statistics that are quantiles to their probability.
var quantiles = map[swap.Stat]float64{swap.StatP50: .5, swap.StatP90: .9, swap.StatP95: .95, swap.StatP99: .99}

// measure computes one gate: first its values on both arms, then, where the sample allows, what they say of the
// difference.
func measure(gate swap.Gate, p pairs, settings swap.Judge) measured {
	m := measured{gate: gate, pairs: len(p.list), designEffect: math.NaN(), se: math.NaN(), unstableP: 1}
	for _, arm := range swap.Arms {
		_, _, *m.outcomes.Ptr(arm) = failures(p, arm)
	}
	var infer func()
	switch _, isQuantile := quantiles[gate.Stat]; {
	case gate.Metric == swap.MetricErrorRate:
		infer = m.errorRate(p)
	case gate.Metric == swap.MetricThroughput:
		infer = m.throughput(p, settings)
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
	q := quantiles[m.gate.Stat]
	arms := m.collect(p)
	base, cand := stats.Pool(arms.Baseline.byPair), stats.Pool(arms.Candidate.byPair)
	m.values.Baseline, m.values.Candidate = stats.Quantile(base.Sorted(), q), stats.Quantile(cand.Sorted(), q)
	if tail := float64(min(m.n.Baseline, m.n.Candidate)) * min(q, 1-q); m.refusal == nil && tail < float64(settings.MinTail) {
		need := math.Ceil(float64(m.pairs) * float64(settings.MinTail) / tail)
		m.refuse(swap.ReasonLowN, shortTail(*m, tail, settings), max(int(need), settings.MinBlocks))
	}
	return func() {
		m.designEffect = max(
			exceedanceEffect(arms.Baseline, m.values.Baseline, p), exceedanceEffect(arms.Candidate, m.values.Candidate, p))
		m.compareQuantiles(p, settings, q, base, cand)
	}
}

func (m *measured) compareQuantiles(p pairs, settings swap.Judge, q float64, base, cand stats.Pooled) {
	m.bootstrap(p, settings, func(weights []float64) float64 {
		return m.difference(base.Quantile(weights, q), cand.Quantile(weights, q))
	})
}

// exceedanceEffect is the design effect of the share of requests above the quantile, which carries over to the quantile.
func exceedanceEffect(s samples, quantile float64, p pairs) float64 {
	above, count := make([]float64, len(s.byPair)), make([]float64, len(s.byPair))
	for k, values := range s.byPair {
		for _, v := range values {
			if v > quantile {
				above[k]++
			}
		}
		count[k] = float64(len(values))
	}
	return stats.DesignEffect(above, count, p.strata)
}

// mean compares the mean per request, a failed request counting as the slowest answer of either arm.
func (m *measured) mean(p pairs, settings swap.Judge) func() {
	arms := m.collect(p)
	worst := worstAnswered(arms)
	baseSum, baseN := arms.Baseline.sums(worst)
	candSum, candN := arms.Candidate.sums(worst)
	return m.ratioOfSums(p, settings, baseSum, baseN, candSum, candN)
}

// throughput compares generated tokens of good requests per second of measured time.
func (m *measured) throughput(p pairs, settings swap.Judge) func() {
	var tokens, seconds swap.PerArm[[]float64]
	for _, arm := range swap.Arms {
		*tokens.Ptr(arm), *seconds.Ptr(arm), *m.n.Ptr(arm), *m.missing.Ptr(arm) = throughput(p, arm)
		if m.n.Get(arm) == 0 && (arm == swap.Baseline || m.missing.Get(arm) > 0) {
			m.refuse(swap.ReasonNoData, noData(*m, arm), 0)
		}
	}
	return m.ratioOfSums(p, settings, tokens.Baseline, seconds.Baseline, tokens.Candidate, seconds.Candidate)
}

// ratioOfSums compares Σnum/Σden; the bootstrap weighs whole blocks in both sums alike.
func (m *measured) ratioOfSums(p pairs, settings swap.Judge, baseNum, baseDen, candNum, candDen []float64) func() {
	m.values.Baseline, m.values.Candidate = stats.Sum(baseNum)/stats.Sum(baseDen), stats.Sum(candNum)/stats.Sum(candDen)
	return func() {
		m.bootstrap(p, settings, func(weights []float64) float64 {
			return m.difference(dot(weights, baseNum)/dot(weights, baseDen), dot(weights, candNum)/dot(weights, candDen))
		})
	}
}

// errorRate compares the shares of finished requests that failed.
func (m *measured) errorRate(p pairs) func() {
	var counted, deflated swap.PerArm[stats.Proportion]
	effects := swap.PerArm[float64]{}
	for _, arm := range swap.Arms {
		failed, finished, _ := failures(p, arm)
		*counted.Ptr(arm) = stats.Proportion{Successes: stats.Sum(failed), Trials: stats.Sum(finished)}
		*effects.Ptr(arm) = stats.DesignEffect(failed, finished, p.strata)
		*deflated.Ptr(arm) = counted.Get(arm).Deflated(effects.Get(arm))
		*m.n.Ptr(arm), *m.failed.Ptr(arm) = int(stats.Sum(finished)), int(stats.Sum(failed))
		*m.values.Ptr(arm) = counted.Get(arm).Share()
		if m.n.Get(arm) == 0 {
			m.refuse(swap.ReasonNoData, noData(*m, arm), 0)
		}
	}
	if m.relative() {
		m.refuse(swap.ReasonNotDecided, "error_rate is compared as a difference: give its margin with unit absolute", 0)
	}
	return func() {
		df := p.degreesOfFreedom()
		score := scoreInterval{base: deflated.Baseline, cand: deflated.Candidate, df: df}
		low, high := score.bounds(.95)
		m.interval, m.theta = score, m.values.Candidate-m.values.Baseline
		m.se = (high - low) / 2 / stats.TQuantile(.95, df)
		m.designEffect = larger(effects.Baseline, effects.Candidate)
	}
}

// larger is the larger of two numbers, either of which may be NaN.
func larger(a, b float64) float64 {
	if a > b || math.IsNaN(b) {
		return a
	}
	return b
}

// collect gathers the metric on both arms, and refuses where an arm has nothing to compare.
func (m *measured) collect(p pairs) swap.PerArm[samples] {
	var arms swap.PerArm[samples]
	for _, arm := range swap.Arms {
		s := collect(p, arm, m.gate.Metric)
		*arms.Ptr(arm) = s
		*m.n.Ptr(arm), *m.failed.Ptr(arm), *m.missing.Ptr(arm) = s.n, s.failed, s.missing
		onlyFailures := s.failed == s.n
		if s.n == 0 || onlyFailures && (arm == swap.Baseline || s.missing > 0) {
			m.refuse(swap.ReasonNoData, noData(*m, arm), 0)
		}
	}
	return arms
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
	m.interval = studentInterval{theta: m.theta, se: m.se, df: p.degreesOfFreedom()}
	m.unstableP = halves.changedP(p, statistic)
}

// difference is candidate against baseline on the gate's scale: a log-ratio, or a difference for an absolute margin.
func (m *measured) difference(base, cand float64) float64 {
	if m.relative() {
		return math.Log(cand / base)
	}
	return cand - base
}

func (m *measured) relative() bool { return m.gate.Unit != swap.Absolute }

func dot(a, b []float64) float64 {
	sum := 0.0
	for k := range a {
		sum += a[k] * b[k]
	}
	return sum
}
