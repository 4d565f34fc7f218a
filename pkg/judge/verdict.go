package judge

import (
	"math"

	"github.com/swapgate/swapgate/pkg/swap"
)

// unstableLevel is the chance, over all gates of a run, of calling a steady difference unstable.
const unstableLevel = .01

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
	passes = m.inside(low, high)
	switch m.gate.Better {
	case swap.LowerIsBetter:
		return passes, low > 0
	case swap.HigherIsBetter:
		return passes, high < 0
	}
	return passes, low > 0 || high < 0
}

// inside reports whether bounds lie inside the margin on every side that counts.
func (m *measured) inside(low, high float64) bool {
	notRisen, notFallen := high < m.gate.MarginUp(), low > -m.gate.MarginDown()
	switch m.gate.Better {
	case swap.LowerIsBetter:
		return notRisen
	case swap.HigherIsBetter:
		return notFallen
	}
	return notRisen && notFallen
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
