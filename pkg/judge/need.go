package judge

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// power is the chance of a decision that NeedBlocks aims at.
const power = .8

// growing is an interval whose width does not fall by the root of the sample: with no failure at all it falls as fast as the sample
// grows, and a tail beyond the sample has no end.
type growing interface {
	interval
	// grown is the interval that factor times as many blocks like these would give.
	grown(factor float64) interval
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
	if i, grows := m.interval.(growing); grows && m.pairs > 0 {
		return m.blocksToGrow(i, level)
	}
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

// blocksToGrow finds the number of blocks by the interval itself.
func (m *measured) blocksToGrow(i growing, level float64) int {
	planned := stats.TCDF(stats.NormalQuantile(level)+stats.NormalQuantile(power), math.Inf(1))
	decides := func(factor float64) bool { return m.inside(i.grown(factor).bounds(planned)) }
	const most = 1 << 20
	enough := 1.0
	for !decides(enough) {
		if enough *= 2; enough > most {
			return 0
		}
	}
	short := enough / 2
	for range 30 {
		if half := (short + enough) / 2; decides(half) {
			enough = half
		} else {
			short = half
		}
	}
	return max(m.pairs+1, int(math.Ceil(float64(m.pairs)*enough)))
}

func (i scoreInterval) grown(factor float64) interval {
	i.cand = stats.Proportion{Successes: i.cand.Successes * factor, Trials: i.cand.Trials * factor}
	i.base = stats.Proportion{Successes: i.base.Successes * factor, Trials: i.base.Trials * factor}
	i.df *= factor
	return i
}

func (i quantileInterval) grown(factor float64) interval {
	i.se, i.df = i.se/math.Sqrt(factor), i.df*factor
	return i
}
