package hypothesis

import (
	"math"
	"slices"
)

// longestExactTrend is the most values whose trend is counted exactly; the normal approximation is good long before.
const longestExactTrend = 60

// TrendTest asks whether a series rises or falls.
type TrendTest struct {
	// Tau is Kendall's rank correlation with time (tau-a): the share of pairs that rise less the share that fall, −1 to 1.
	Tau float64
	// S is the number of pairs that rise less the number that fall.
	S int

	ties []int
	n    int
}

// MannKendall tests values in the order of time for a monotone trend (Mann 1945; Kendall 1975). Infinite values take part. It
// takes them as independent: a correlated series looks like a trend more often than it should. ok is false for fewer than two
// values or a NaN. It takes O(n log n).
func MannKendall(series []float64) (test TrendTest, ok bool) {
	n := len(series)
	sorted, ok := ascending(series)
	if !ok || n < 2 {
		return TrendTest{}, false
	}
	test = TrendTest{n: n}
	distinct := slices.Compact(slices.Clone(sorted))
	for rest := sorted; len(rest) > 0; {
		var size int
		size, rest = countLeading(rest, rest[0])
		test.ties = append(test.ties, size)
	}
	before := make(prefixCounts, len(distinct)+1)
	for i, v := range series {
		rank, _ := slices.BinarySearch(distinct, v)
		test.S += before.below(rank) - (i - before.below(rank+1))
		before.add(rank)
	}
	test.Tau = float64(test.S) / (float64(n) * float64(n-1) / 2)
	return test, true
}

// P is the exact p-value up to 60 values, and the asymptotic one above.
func (t TrendTest) P() float64 {
	if p, ok := t.ExactP(); ok {
		return p
	}
	return t.AsymptoticP()
}

// AsymptoticP is the two-sided normal approximation with corrections for ties and continuity, z = (|S| − 1)/σ with
// σ² = (n(n−1)(2n+5) − Σt(t−1)(2t+5))/18. It is 1 where all values are equal.
func (t TrendTest) AsymptoticP() float64 {
	pairs := func(n int) float64 { return float64(n) * float64(n-1) * float64(2*n+5) / 18 }
	variance := pairs(t.n)
	for _, size := range t.ties {
		variance -= pairs(size)
	}
	return twoSidedNormal(math.Abs(float64(t.S))-1, variance)
}

// ExactP is the share of all orders of the values, ties as they are, with an S at least as far from 0. The pairs that fall are
// counted by adding one group of equal values after the other: where a group of t falls among s others has the distribution of
// Mann and Whitney's U, so the count is a sum of independent ones (a q-multinomial). ok is false for more than 60 values.
func (t TrendTest) ExactP() (p float64, ok bool) {
	if t.n > longestExactTrend {
		return 0, false
	}
	falling, seen := []float64{1}, 0
	for _, size := range t.ties {
		among, _ := newRankDistribution(slices.Repeat([]int{1}, seen+size), min(seen, size)) // always ok for so few
		falling = sumOf(falling, among.probability)
		seen += size
	}
	untied := len(falling) - 1
	return farFromCentre(falling, (untied-t.S)/2), true
}

// sumOf is the distribution of the sum of two independent counts.
func sumOf(a, b []float64) []float64 {
	out := make([]float64, len(a)+len(b)-1)
	for i, p := range a {
		for j, q := range b {
			out[i+j] += p * q
		}
	}
	return out
}

// prefixCounts counts ranks so that those below a rank are summed in O(log n) (Fenwick 1994).
type prefixCounts []int

func (c prefixCounts) add(rank int) {
	for i := rank + 1; i < len(c); i += i & -i {
		c[i]++
	}
}

func (c prefixCounts) below(rank int) int {
	sum := 0
	for i := rank; i > 0; i -= i & -i {
		sum += c[i]
	}
	return sum
}
