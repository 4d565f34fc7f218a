package hypothesis

import (
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/stats"
)

// Shift is by how much the second sample lies above the first.
type Shift struct {
	// Estimate is the median of all differences second − first (Hodges and Lehmann 1963), in the unit of the values.
	Estimate float64

	differences differences
}

// HodgesLehmann estimates the shift between two samples, in any order. ok is false where a sample is empty or holds a value
// that is not finite, or where a difference overflows. It takes O(N log N): pairs are counted, never listed.
func HodgesLehmann(first, second []float64) (shift Shift, ok bool) {
	a, okFirst := ascending(first)
	b, okSecond := ascending(second)
	if !okFirst || !okSecond {
		return Shift{}, false
	}
	d := differences{a, b}
	if lowest, highest := d.bounds(); !isFinite(a[0]) || !isFinite(b[0]) || !isFinite(lowest) || !isFinite(highest) {
		return Shift{}, false
	}
	pairs := d.count()
	middle := d.ranked((pairs + 1) / 2)
	if pairs%2 == 0 {
		middle = middle/2 + d.ranked(pairs/2+1)/2
	}
	return Shift{middle, d}, true
}

// Interval is the two-sided confidence interval of the shift that inverts the Mann-Whitney test: the k-th lowest and k-th
// highest difference, for the largest k with P(U ≤ k−1) ≤ (1−level)/2 (Hollander, Wolfe and Chicken 2014, 4.3). It is exact
// without ties and conservative with them; above about 75 values in each sample k comes from the normal approximation. It is
// −Inf to +Inf where so few values have no finite bound, and NaN for a level that is not between 0 and 1.
func (s Shift) Interval(level float64) (low, high float64) {
	if !(level > 0 && level < 1) {
		return math.NaN(), math.NaN()
	}
	k := criticalRank(len(s.differences.first), len(s.differences.second), (1-level)/2)
	if k < 1 {
		return math.Inf(-1), math.Inf(1)
	}
	return s.differences.ranked(k), s.differences.ranked(s.differences.count() + 1 - k)
}

// criticalRank is the largest k with P(U ≤ k−1) ≤ tail for samples of m and n values without ties.
func criticalRank(m, n int, tail float64) int {
	d, ok := newRankDistribution(slices.Repeat([]int{1}, m+n), min(m, n))
	if !ok {
		size := float64(m) * float64(n)
		sigma := math.Sqrt(size * float64(m+n+1) / 12)
		return int(math.Floor(size/2 + .5 + stats.NormalQuantile(tail)*sigma))
	}
	k, sum := 0, 0.0
	for _, p := range d.probability {
		sum += p
		if sum > tail {
			break
		}
		k++
	}
	return k
}
