package sequential

import "math"

// Quantile is a confidence sequence for one quantile of independent observations: the interval holds at every sample size
// at once (Howard and Ramdas 2022, theorem 1 of arXiv 1906.09712).
type Quantile struct {
	// P says which quantile, between 0 and 1.
	P float64
	// Alpha is the probability that the interval ever misses, both sides together.
	Alpha float64
	// Horizon is the sample size near which the sequence is tightest.
	Horizon float64
}

// Ranks are the order statistics, counted from 1, that bound the quantile after n observations: low is 0 and high is n+1
// where there is no bound yet.
func (q Quantile) Ranks(n int) (low, high int) {
	if n <= 0 {
		return 0, 1
	}
	size := float64(n)
	variance := q.P * (1 - q.P)
	below := NewBetaBinomial(TwoSided, 1-q.P, q.P, variance*q.Horizon, q.Alpha).Bound(variance*size, q.Alpha)
	above := NewBetaBinomial(TwoSided, q.P, 1-q.P, variance*q.Horizon, q.Alpha).Bound(variance*size, q.Alpha)
	low, high = 0, n+1
	if rank := math.Floor(size*q.P - below + 1); rank >= 1 {
		low = int(rank)
	}
	if rank := math.Ceil(size*q.P + above); rank <= size {
		high = int(rank)
	}
	return low, high
}

// Interval bounds the quantile, given all observations in ascending order. A bound is infinite where there is none yet.
func (q Quantile) Interval(sorted []float64) (low, high float64) {
	from, to := q.Ranks(len(sorted))
	low, high = math.Inf(-1), math.Inf(1)
	if from >= 1 {
		low = sorted[from-1]
	}
	if to <= len(sorted) {
		high = sorted[to-1]
	}
	return low, high
}
