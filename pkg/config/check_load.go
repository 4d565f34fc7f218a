package config

import (
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

func checkLoad(r *reporter, spec swap.Spec) {
	l := spec.Load
	for i, s := range l.Steps {
		checkStep(r, at("load", "steps", i), s, spec)
	}
	checkGradient(r, spec)
	if l.Settle >= 5*l.Block {
		r.valueUsing(at("load", "settle"), []path{at("load", "block")},
			"must be less than five blocks (%s), got %s: most of the time would not be measured",
			short(5*l.Block.Std()), short(l.Settle.Std()))
	}
	checkExtend(r, l)
	checkLimits(r, spec)
	checkReaction(r, spec)
}

func checkHold(r *reporter, p path, hold, block time.Duration) {
	if hold%block == 0 {
		return
	}
	advice := short(wholeBlocks(hold, block))
	if lower := hold.Truncate(block); lower > 0 {
		advice = short(lower) + " or " + advice
	}
	r.valueUsing(p, []path{at("load", "block")}, "must be a whole number of blocks of %s, got %s; write %s",
		short(block), short(hold), advice)
}

// wholeBlocks rounds up to a whole number of blocks.
func wholeBlocks(d, block time.Duration) time.Duration {
	return d + (block-d%block)%block
}
