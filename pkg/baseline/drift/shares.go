package drift

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
)

// Shares are the failures of one side, block by block.
type Shares struct{ Failed, Finished []float64 }

// CompareShares takes the difference of two failure rates, each with the design effect of its blocks, by Newcombe's interval, so
// that no failure at all still has an upper bound. The noise between runs widens it. ok is false where a side has no finished
// request.
func CompareShares(then, now Shares, s Settings) (c Comparison, ok bool) {
	before, okBefore := then.proportion()
	after, okAfter := now.proportion()
	if !okBefore || !okAfter {
		return Comparison{}, false
	}
	_, low, high := stats.NewcombeDifference(after, before, stats.NormalQuantile(s.Level))
	between := halfWidth(s.Level, s.Noise.part())
	theta := after.Share() - before.Share()
	c = Comparison{Baseline: before.Share(), Now: after.Share(), Blocks: len(now.Failed), BlocksThen: len(then.Failed)}
	c.Worsening = Estimate{
		Theta: theta, Low: theta - math.Hypot(theta-low, between), High: theta + math.Hypot(high-theta, between),
	}
	noise := s.Noise.part()
	c.PerBlock = math.Sqrt(after.Share() * (1 - after.Share()) / after.Trials * float64(c.Blocks))
	c.Fixed = math.Sqrt(before.Share()*(1-before.Share())/before.Trials + noise.variance)
	return c, true
}

func (s Shares) proportion() (p stats.Proportion, ok bool) {
	p = stats.Proportion{Successes: stats.Sum(s.Failed), Trials: stats.Sum(s.Finished)}
	if !(p.Trials > 0) {
		return p, false
	}
	return p.Deflated(stats.DesignEffect(s.Failed, s.Finished, make(stats.Strata, len(s.Failed)))), true
}
