package load

import (
	"math"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// BlockOrder cuts a step into blocks of one length: pairs of adjacent blocks, one on each arm, in the order ABBA BAAB. Any
// drift that is linear over four pairs then weighs equally on both arms. There is at least one pair.
func BlockOrder(step int, s swap.Step, block time.Duration) []swap.BlockPlan {
	pairs := 1
	if block > 0 {
		pairs = max(1, int(math.Round(float64(s.Hold.Std())/float64(block))))
	}
	out := make([]swap.BlockPlan, 0, 2*pairs)
	for pair := range pairs {
		first := swap.Baseline
		if pair%4 == 1 || pair%4 == 2 {
			first = swap.Candidate
		}
		for k, arm := range []swap.Arm{first, first.Other()} {
			out = append(out, swap.BlockPlan{Step: step, Block: 2*pair + k + 1, Arm: arm, Pair: pair + 1})
		}
	}
	return out
}
