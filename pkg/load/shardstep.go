package load

import (
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Step is the shard's own share of a load level, as a level of its own.
func (s Shard) Step(whole swap.Step) swap.Step {
	if s.Whole() {
		return whole
	}
	own, of := whole, float64(s.Of)
	own.Rate = whole.Rate / of
	own.Concurrency, own.MaxInFlight = s.share(whole.Concurrency), s.share(whole.MaxInFlight)
	if whole.Ramp != nil {
		own.Ramp = &swap.Ramp{From: whole.Ramp.From / of}
	}
	if whole.Spike != nil {
		spike := *whole.Spike
		spike.Rate /= of
		own.Spike = &spike
	}
	if whole.TokenRate != nil {
		tokens := *whole.TokenRate
		tokens.Limit /= of
		own.TokenRate = &tokens
	}
	return own
}

// PeakOf is about the Peak of a shard's part of the plan, rounded up. Parts of an open loop are drawn, so that one may need a
// little more.
func (p Plan) PeakOf(shard Shard, timeout time.Duration) int {
	return Shard{Of: shard.Of}.share(p.Peak(timeout))
}
