package outlier

import "github.com/swapgate/swapgate/pkg/stats"

// ClassicFences is the rule that takes values for jitter below max(Q1−1.5·IQR, P0.5) or above min(Q3+1.5·IQR, P99.5), with
// quantiles as NumPy's percentile has them. The fences themselves are inside. Because it takes the inner of both fences, it
// labels about 1 % of any values; of heavy tails it labels all of what a P99 is about. ok is false for no values or where one
// is not finite.
func ClassicFences(values []float64) (low, high float64, ok bool) {
	if len(values) == 0 || checkFinite(values) != nil {
		return 0, 0, false
	}
	q := stats.Quantiles(values, 0.005, 0.25, 0.75, 0.995)
	reach := 1.5 * (q[2] - q[1])
	return max(q[1]-reach, q[0]), min(q[2]+reach, q[3]), true
}

// Outside labels the values below low or above high. It returns their indices.
func Outside(values []float64, low, high float64) []int {
	var labelled []int
	for i, v := range values {
		if v < low || v > high {
			labelled = append(labelled, i)
		}
	}
	return labelled
}
