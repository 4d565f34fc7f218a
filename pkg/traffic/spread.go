package traffic

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Spread returns a weight for each server of each arm, none above most, so that the sums of the arms stand exactly as the
// percentages of want. The servers of an arm get the same weight, or weights that differ by 1 where the same weight would
// exceed most. want sums to 100, and most is at least 100.
func Spread(want swap.Weights, servers swap.PerArm[int], most int) swap.PerArm[[]int] {
	n := swap.PerArm[int]{Baseline: max(servers.Baseline, 1), Candidate: max(servers.Candidate, 1)}
	// With as many parts as the other arm has servers the sums stand as want.
	each := swap.PerArm[int]{Baseline: want.Baseline * n.Candidate, Candidate: want.Candidate * n.Baseline}
	if max(each.Baseline, each.Candidate) > most {
		d := divisor(each.Baseline, each.Candidate)
		each.Baseline, each.Candidate = each.Baseline/d, each.Candidate/d
	}
	sums := swap.PerArm[int]{Baseline: each.Baseline * n.Baseline, Candidate: each.Candidate * n.Candidate}
	if max(each.Baseline, each.Candidate) > most {
		d := divisor(want.Baseline, want.Candidate)
		b, c := want.Baseline/d, want.Candidate/d
		times := leastOf(b, n.Baseline*most, c, n.Candidate*most)
		sums = swap.PerArm[int]{Baseline: b * times, Candidate: c * times}
	}
	return swap.PerArm[[]int]{
		Baseline: evenly(sums.Baseline, servers.Baseline), Candidate: evenly(sums.Candidate, servers.Candidate),
	}
}

// leastOf returns how often both b fits into mostB and c into mostC; one of b and c is above 0.
func leastOf(b, mostB, c, mostC int) int {
	switch {
	case b == 0:
		return mostC / c
	case c == 0:
		return mostB / b
	}
	return min(mostB/b, mostC/c)
}

// evenly spreads a sum over n.
func evenly(sum, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = sum / n
		if i < sum%n {
			out[i]++
		}
	}
	return out
}

// divisor is the greatest common one; one of a and b is above 0.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// CheckWeights refuses weights that are no percentages that sum to 100.
func CheckWeights(w swap.Weights) error {
	if w.Baseline < 0 || w.Candidate < 0 || w.Baseline+w.Candidate != 100 {
		return fmt.Errorf("%w: weights %d and %d are not percentages that sum to 100", ErrRefused, w.Baseline, w.Candidate)
	}
	return nil
}
