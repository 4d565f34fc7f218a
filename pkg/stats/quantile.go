package stats

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mathext"
)

// Quantile returns the p-quantile of values sorted in ascending order, interpolating linearly between order statistics
// (type 7 of Hyndman and Fan 1996, the default of NumPy and R). It returns NaN for no values or a p outside 0..1.
func Quantile(sorted []float64, p float64) float64 {
	n := len(sorted)
	if n == 0 || !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	h := p * float64(n-1)
	lo := min(int(h), n-1)
	return interpolate(sorted[lo], sorted[min(lo+1, n-1)], h-float64(lo))
}

// Quantiles returns the quantiles ps of values in any order. The values are not changed.
func Quantiles(values []float64, ps ...float64) []float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	out := make([]float64, len(ps))
	for i, p := range ps {
		out[i] = Quantile(sorted, p)
	}
	return out
}

// EmpiricalQuantile returns the smallest of the values, sorted in ascending order, that at least a share p of them does not
// exceed: the inverse of the empirical distribution function (type 1 of Hyndman and Fan 1996), x₍⌈np⌉₎. It is always one of
// the values. It returns NaN for no values or a p outside 0..1.
func EmpiricalQuantile(sorted []float64, p float64) float64 {
	n := len(sorted)
	if n == 0 || !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	return sorted[max(1, int(math.Ceil(float64(n)*p*(1-rankRounding))))-1]
}

// rankRounding is how far, relatively, n·p may lie above a whole number and still mean it: 0.07·100 is 7, not the
// 7.000000000000001 of binary arithmetic.
const rankRounding = 4 * 0x1p-52

// QuantileRanks returns the ranks, counted from 1, of the two order statistics that enclose the p-quantile of the population
// of n independent values with at least the confidence level, each side missing with at most (1−level)/2 (exact binomial;
// David and Nagaraja 2003, 7.1): low is the largest rank with P(B < low) ≤ (1−level)/2, and high the smallest with
// P(B ≥ high) ≤ (1−level)/2, for B ~ Binomial(n, p). low is 0 and high is n+1 where no order statistic bounds that side,
// as above the 99th percentile of fewer than 368 values at level 0.95. For a bound on one side at level 1−α, ask for 1−2α.
// ok is false for no values, or where p or level is not between 0 and 1.
func QuantileRanks(n int, p, level float64) (low, high int, ok bool) {
	if n < 1 || !(p > 0 && p < 1) || !(level > 0 && level < 1) {
		return 0, 0, false
	}
	miss, size := (1-level)/2, float64(n)
	low = sort.Search(n, func(k int) bool { return mathext.RegIncBeta(size-float64(k), float64(k)+1, 1-p) > miss })
	high = 1 + sort.Search(n, func(k int) bool { return mathext.RegIncBeta(float64(k)+1, size-float64(k), p) <= miss })
	return low, high, true
}

// QuantileInterval returns the order statistics that QuantileRanks names of values sorted in ascending order, the
// distribution-free confidence interval of their population's p-quantile. A side without a finite bound is −Inf or +Inf; the
// highest value is never passed off as a bound. Both are NaN where QuantileRanks is not ok or a value is NaN.
//
// Values that depend on each other need a longer interval: it is exact for independent ones only.
func QuantileInterval(sorted []float64, p, level float64) (low, high float64) {
	first, last, ok := QuantileRanks(len(sorted), p, level)
	if !ok || slices.ContainsFunc(sorted, math.IsNaN) {
		return math.NaN(), math.NaN()
	}
	return orderStatistic(sorted, first), orderStatistic(sorted, last)
}

// orderStatistic is the value of the rank, counted from 1; below all of them there is −Inf, above them +Inf.
func orderStatistic(sorted []float64, rank int) float64 {
	switch {
	case rank < 1:
		return math.Inf(-1)
	case rank > len(sorted):
		return math.Inf(1)
	}
	return sorted[rank-1]
}

// Mean returns the arithmetic mean, or NaN for no values.
func Mean(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	return Sum(values) / float64(len(values))
}

// interpolate avoids Inf−Inf between two infinite order statistics.
func interpolate(lo, hi, fraction float64) float64 {
	if fraction == 0 || lo == hi {
		return lo
	}
	return lo + fraction*(hi-lo)
}
