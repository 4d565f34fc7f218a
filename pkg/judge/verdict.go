package judge

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// unstableLevel is the chance, over all gates of a run, of calling a steady difference unstable.
	unstableLevel = .01
	// power is the chance of a decision that NeedBlocks aims at.
	power = .8
)

// failP is the p-value against "the candidate is within the margin", or, where the baseline differs from itself, within the
// margin and that difference.
func (m *measured) failP() float64 {
	if m.refusal != nil {
		return 1
	}
	up, down := m.interval.pAbove(m.gate.MarginUp()+m.self.slack), m.interval.pBelow(-m.gate.MarginDown()-m.self.slack)
	switch m.gate.Better {
	case swap.LowerIsBetter:
		return up
	case swap.HigherIsBetter:
		return down
	}
	return min(up, down)
}

// within reports whether the bounds lie inside the margin on every side that counts, and whether they show a worsening.
func (m *measured) within(level float64) (passes, regressed bool) {
	low, high := m.interval.bounds(level)
	notRisen, notFallen := high < m.gate.MarginUp(), low > -m.gate.MarginDown()
	switch m.gate.Better {
	case swap.LowerIsBetter:
		return notRisen, low > 0
	case swap.HigherIsBetter:
		return notFallen, high < 0
	}
	return notRisen && notFallen, low > 0 || high < 0
}

// worsening is the difference in the direction that is worse, and the margin in that direction.
func (m *measured) worsening() (theta, margin float64) {
	rise, fall := m.gate.MarginUp(), m.gate.MarginDown()
	switch {
	case m.gate.Better == swap.HigherIsBetter || m.gate.Better == swap.Either && m.theta < 0:
		return -m.theta, fall
	default:
		return m.theta, rise
	}
}

// blocksToDecide estimates how many blocks per arm would bring the bound inside the margin with the usual power, were the
// difference what it looks like; 0 where it looks like no number would, or there are no blocks.
func (m *measured) blocksToDecide(level float64) int {
	theta, margin := m.worsening()
	if !m.gate.HasLimit() {
		theta = max(theta, 0) // nobody plans on a candidate that is better
	}
	room := m.beyondNoise(margin-theta, level)
	if !(room > 0) || !(m.se > 0) || m.pairs == 0 {
		return 0
	}
	factor := (stats.NormalQuantile(level) + stats.NormalQuantile(power)) * m.se / room
	need := math.Ceil(float64(m.pairs) * factor * factor)
	return max(m.pairs+1, int(min(need, math.MaxInt32)))
}

// settle turns a measured gate into its result. failP is its p-value after Holm's correction over the gates.
func (m *measured) settle(failP float64, gates int, settings swap.Judge) swap.GateResult {
	result := m.result(settings)
	if m.refusal != nil {
		result.Decision, result.Reason, result.NeedBlocks = swap.Inconclusive, *m.refusal, m.needBlocks
		return result
	}
	passes, regressed := m.within(settings.Level)
	passes = passes && !m.passless
	unstable := m.unstableP < unstableLevel/float64(gates)
	switch {
	case failP <= 1-settings.Level:
		result.Decision, result.Reason.Code = swap.Fail, swap.ReasonGateFailed
	case m.self.differs:
		result.Decision, result.Reason.Code = swap.Inconclusive, swap.ReasonSelfCompare
	case unstable:
		result.Decision, result.Reason.Code = swap.Inconclusive, swap.ReasonUnstable
	case passes:
		result.Decision, result.Regressed = swap.Pass, regressed
		if regressed {
			result.Reason.Code = swap.ReasonRegressionInside
		}
	default:
		result.Decision, result.Reason.Code = swap.Inconclusive, swap.ReasonNotDecided
		result.NeedBlocks = m.blocksToDecide(settings.Level)
	}
	result.Reason.Message = explain(*m, result)
	return result
}

// result fills in everything but the decision.
func (m *measured) result(settings swap.Judge) swap.GateResult {
	result := swap.GateResult{
		Gate: m.gate, Name: m.gate.Name(), Unit: unitOf(m.gate.Metric), Level: settings.Level, Seed: settings.Seed, N: m.n, Blocks: m.pairs,
		Baseline: swap.Of(m.values.Baseline), Candidate: swap.Of(m.values.Candidate),
		DesignEffect: swap.Of(m.designEffect), Reason: swap.Reason{Subject: m.gate.Name()},
	}
	if m.interval == nil {
		return result
	}
	low, high := m.interval.bounds(settings.Level)
	result.Method, result.DegreesOfFreedom = m.interval.method(), swap.Of(m.df)
	if result.Method == swap.MethodExact || result.Method == swap.MethodPercentiles {
		result.DegreesOfFreedom = swap.Absent()
	}
	result.Change, result.Low, result.High = m.readable(m.theta), m.readable(low), m.readable(high)
	return result
}

// readable turns a difference on the gate's scale into what a person reads: a relative change, or a difference in the metric's unit.
func (m *measured) readable(theta float64) swap.Value {
	switch {
	case !m.gate.LogScale():
		return swap.Of(theta)
	case m.gate.HasLimit():
		return swap.Of(m.gate.Limit * math.Expm1(theta))
	}
	return swap.Of(math.Expm1(theta))
}
