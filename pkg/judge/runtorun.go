package judge

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// What two runs of the same thing differ by (another day, another host, another tenant beside it) is in no block of either. Where
// the arms were not measured in one run, it is added to what the blocks tell, in quadrature to the distance of each bound from the
// estimate. The noise is given and not estimated from the blocks, so that its part is z · noise of the normal distribution, beside the
// t · se of the blocks (the squares of the distances add up, as in Zou and Donner 2008). A gate against a limit rests on the
// candidate alone and is left as it is.

// widen adds run-to-run noise to a measured gate: a standard deviation on the logarithmic scale, 0 for none.
func (m *measured) widen(runToRun float64) {
	if m.refusal != nil || m.gate.HasLimit() {
		return
	}
	if m.noise = m.noiseOf(runToRun); m.noise > 0 {
		m.interval = acrossRuns{interval: m.interval, theta: m.theta, noise: m.noise}
	}
}

// noiseOf is run-to-run noise on the gate's scale. A difference of values has it in proportion to the baseline's value (to the
// candidate's where the baseline has none); a difference of error rates as if a run multiplied the odds of failing, p(1−p) for
// each unit of the logarithm, by the rate of that arm for which it is more. Answers are no longer on a slower machine, so that their
// lengths have none.
func (m *measured) noiseOf(runToRun float64) float64 {
	switch base, cand := m.values.Baseline, m.values.Candidate; {
	case m.gate.Metric == swap.MetricOutputTokens || m.gate.Metric == swap.MetricQuality:
		return 0
	case m.gate.LogScale():
		return runToRun
	case m.gate.Metric == swap.MetricErrorRate:
		return runToRun * max(base*(1-base), cand*(1-cand))
	case math.IsInf(base, 0):
		return runToRun * math.Abs(cand)
	default:
		return runToRun * math.Abs(base)
	}
}

// beyondNoise is the part of the room between a difference and its margin that is left for the spread of blocks; more blocks do
// not reduce the noise between runs.
func (m *measured) beyondNoise(room, level float64) float64 {
	if m.noise == 0 || !(room > 0) {
		return room
	}
	taken := (stats.NormalQuantile(level) + stats.NormalQuantile(power)) * m.noise
	return math.Sqrt(max(0, room*room-taken*taken))
}

// acrossRuns is an interval widened by noise, whose standard deviation is on the same scale.
type acrossRuns struct {
	interval
	theta, noise float64
}

func (i acrossRuns) bounds(level float64) (low, high float64) {
	low, high = i.interval.bounds(level)
	half := stats.NormalQuantile(level) * i.noise
	if _, percentiles := i.interval.(percentileInterval); percentiles { // there is no estimate to measure distances from
		return low - half, high + half
	}
	return min(low, i.theta-math.Hypot(i.theta-low, half)), max(high, i.theta+math.Hypot(high-i.theta, half))
}

func (i acrossRuns) pAbove(x float64) float64 {
	return atLeast(i.interval.pAbove(x), func(level float64) bool {
		low, _ := i.bounds(level)
		return low > x
	})
}

func (i acrossRuns) pBelow(x float64) float64 {
	return atLeast(i.interval.pBelow(x), func(level float64) bool {
		_, high := i.bounds(level)
		return high < x
	})
}

// atLeast is the p-value p of an interval, or the larger one of a bound that was widened: what the highest level at which that still
// clears a value leaves to 1. Above a half, how large it is decides nothing.
func atLeast(p float64, clears func(level float64) bool) float64 {
	const even = .5
	if p >= even {
		return p
	}
	if !clears(even) {
		return 1
	}
	const largest = 8.0 // beyond it the level rounds to 1
	low, high := 0.0, largest
	for range 60 {
		if t := (low + high) / 2; clears(1 - normalTail(t)) {
			low = t
		} else {
			high = t
		}
	}
	return max(p, normalTail(low))
}

// normalTail is the probability of more than z.
func normalTail(z float64) float64 { return stats.TCDF(-z, math.Inf(1)) }

// noRoom reports whether the noise between runs alone takes the room that a difference leaves to the margin.
func (m *measured) noRoom(level float64) bool {
	theta, margin := m.worsening()
	return m.noise > 0 && margin > max(theta, 0) && m.beyondNoise(margin-max(theta, 0), level) == 0
}

const noiseTakesAll = "not decided, because the noise between runs alone takes the room within the margin, however many requests there " +
	"are: measure that noise and give it (--baseline-noise), or allow a wider margin"

// method is that of the blocks. What was exact in them is so no longer.
func (i acrossRuns) method() swap.Method { return notExact(i.interval.method()) }

func notExact(m swap.Method) swap.Method {
	if m == swap.MethodExact {
		return swap.MethodBootstrap
	}
	return m
}

// runToRunFindings says that the arms are from different runs, and what that costs.
func runToRunFindings(e Evidence) []swap.Finding {
	if e.RunToRun == 0 {
		return nil
	}
	level := e.Settings.Level
	return []swap.Finding{{
		Severity: swap.Notable, Subject: string(swap.Baseline),
		Message: fmt.Sprintf("the arms were not measured in one run, so this comparison is weaker: runs of the same thing differ by %s %% (one "+
			"standard deviation), which alone moves every %s %% bound out by %s %%",
			short(100*math.Expm1(e.RunToRun)), percent(level), short(100*math.Expm1(stats.NormalQuantile(level)*e.RunToRun))),
		Next: "measure both arms side by side in one run",
	}}
}
