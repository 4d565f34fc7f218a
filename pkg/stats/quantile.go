package stats

import (
	"math"
	"slices"
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
