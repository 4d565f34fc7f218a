package load

import "github.com/swapgate/swapgate/pkg/swap"

// BlockAt is the n-th block of a step, from 0: pairs of adjacent blocks, one on each arm, in the order ABBA BAAB. Any drift
// that is linear over four pairs then weighs equally on both arms.
func BlockAt(step, n int) swap.BlockPlan {
	pair := n / 2
	arm := swap.Baseline
	if pair%4 == 1 || pair%4 == 2 {
		arm = swap.Candidate
	}
	if n%2 == 1 {
		arm = arm.Other()
	}
	return swap.BlockPlan{Step: step, Block: n + 1, Arm: arm, Pair: pair + 1}
}
