package traffic

import "github.com/swapgate/swapgate/pkg/swap"

// maxWeight keeps sums and products of weights within 64 bits.
const maxWeight = 1 << 50

// SharesOf turns relative weights, of which a gateway gives each arm its part of the sum, into percentages. exact is false when
// they are no whole percentages; the result is then the nearest, but a share that is not nothing is never rounded to nothing.
// Weights that are both 0, or that no gateway could have, leave both arms without traffic.
func SharesOf(relative swap.PerArm[int64]) (percent swap.Weights, exact bool) {
	b, c := relative.Baseline, relative.Candidate
	sum := b + c
	if b < 0 || c < 0 || b > maxWeight || c > maxWeight || sum == 0 {
		return swap.Weights{}, false
	}
	share := (200*c + sum) / (2 * sum)
	exact = share*sum == 100*c
	switch {
	case share == 0 && c > 0:
		share = 1
	case share == 100 && b > 0:
		share = 99
	}
	return swap.Weights{Baseline: 100 - int(share), Candidate: int(share)}, exact
}
