package arrival

import (
	"math"
	"time"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Dispersion returns the index of dispersion of counts, variance over mean, of the arrivals in the whole bins of
// [0, length), and its 95 % confidence interval under the Poisson law: (n-1)·index of n bins follows χ² with n-1 degrees of
// freedom (Cox and Lewis, The Statistical Analysis of Series of Events, 1966, section 6.3). Arrivals pass for Poisson where
// the interval holds 1. The mean of a bin should not be far below 1.
//
// All three are NaN with fewer than two whole bins, or without arrivals in them.
func Dispersion(arrivals []time.Duration, bin, length time.Duration) (index, low, high float64) {
	nan := math.NaN()
	if bin <= 0 || length/bin < 2 {
		return nan, nan, nan
	}
	counts := make([]float64, length/bin)
	for _, at := range arrivals {
		if i := at / bin; at >= 0 && int(i) < len(counts) {
			counts[i]++
		}
	}
	mean, variance := stat.MeanVariance(counts, nil)
	if mean == 0 {
		return nan, nan, nan
	}
	index = variance / mean
	free := float64(len(counts) - 1)
	chi := distuv.ChiSquared{K: free}
	return index, free * index / chi.Quantile(0.975), free * index / chi.Quantile(0.025)
}
