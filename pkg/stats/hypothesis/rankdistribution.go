package hypothesis

import (
	"math"
	"slices"
)

// largestRankWork is the most additions that an exact distribution of U may cost, in some tens of milliseconds: two samples
// of 75 without ties, or of 63 with them.
const largestRankWork = 1 << 26

// rankDistribution is the probability of each value of unit·U when m of the values belong to the first sample by chance. unit
// is 1, or 2 where ties make halves.
type rankDistribution struct {
	probability []float64
	unit        int
}

// newRankDistribution counts, group of equal values by group, the ways to choose how many of it belong to the first sample:
// r of a group of t, above b values of the second sample, add r·b + r·(t−r)/2 to U (Klotz 1966 writes the same recursion from
// the top). Without ties it is the distribution of Mann and Whitney (1947). ok is false where that takes too long.
func newRankDistribution(ties []int, m int) (d rankDistribution, ok bool) {
	total := 0
	for _, size := range ties {
		total += size
	}
	unit := 1
	if slices.Max(ties) > 1 {
		unit = 2
	}
	if float64(total)*float64(m)*float64(m)*float64(total-m)*float64(unit) > largestRankWork {
		return rankDistribution{}, false
	}
	// ways[i][w] is how often i of the values so far are of the first sample and unit·U is w.
	ways := make([][]float64, m+1)
	for i := range ways {
		ways[i] = make([]float64, unit*m*(total-m)+1)
	}
	ways[0][0] = 1
	seen := 0
	for _, size := range ties {
		addGroup(ways, seen, size, unit, total-m)
		seen += size
	}
	return rankDistribution{normalised(ways[m]), unit}, true
}

func addGroup(ways [][]float64, seen, size, unit, n int) {
	m := len(ways) - 1
	for i := min(seen, m); i >= max(0, seen-n); i-- {
		below, choices := seen-i, 1.0
		for r := 1; r <= min(size, m-i); r++ {
			choices *= float64(size-r+1) / float64(r)
			if below+size-r > n {
				continue
			}
			shift := unit*r*below + unit*r*(size-r)/2
			target := ways[i+r][shift:]
			for w, count := range ways[i][:unit*i*below+1] {
				target[w] += choices * count
			}
		}
	}
}

func normalised(counts []float64) []float64 {
	sum := 0.0
	for _, c := range counts {
		sum += c
	}
	for w := range counts {
		counts[w] /= sum
	}
	return counts
}

// farFromCentre is the probability of being at least as far from the middle of the range as at is.
func farFromCentre(probability []float64, at int) float64 {
	last := len(probability) - 1
	far := distance(2*at, last)
	p := 0.0
	for w, share := range probability {
		if distance(2*w, last) >= far {
			p += share
		}
	}
	return math.Min(1, p)
}
