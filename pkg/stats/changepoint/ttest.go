package changepoint

import (
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/stats"
)

// side is one side of a change.
type side struct {
	n    float64
	mean float64
	// squares is the sum of squared deviations from the mean.
	squares float64
}

func sideOf(values []float64) side {
	s := side{n: float64(len(values)), mean: stats.Mean(values)}
	for _, v := range values {
		s.squares += (v - s.mean) * (v - s.mean)
	}
	return s
}

// deviation is the sample standard deviation (n−1), 0 for one value.
func (s side) deviation() float64 { return math.Sqrt(s.squares / max(1, s.n-1)) }

// equalMeans is the two-sided p-value of Student's t-test with pooled variance. Means that are equal but for rounding give 1.
func equalMeans(a, b side) float64 {
	const rounding = 1e-12
	difference, degrees := math.Abs(a.mean-b.mean), a.n+b.n-2
	if degrees < 1 || !(difference > rounding*max(math.Abs(a.mean), math.Abs(b.mean))) {
		return 1
	}
	se := math.Sqrt((a.squares + b.squares) / degrees * (1/a.n + 1/b.n))
	return 2 * stats.TCDF(-difference/se, degrees)
}

// withoutFew is the largest of the p-values of equalMeans after taking away the few smallest or the few largest values of either
// side, so that a change which so few values make is none. It is 1 where nothing would be left.
func withoutFew(before, after []float64, few int) float64 {
	all, p := [2]side{sideOf(before), sideOf(after)}, 0.0
	for k, values := range [2][]float64{before, after} {
		if len(values) <= few {
			return 1
		}
		sorted := slices.Sorted(slices.Values(values))
		for _, kept := range [2][]float64{sorted[few:], sorted[:len(sorted)-few]} {
			sides := all
			sides[k] = sideOf(kept)
			p = max(p, equalMeans(sides[0], sides[1]))
		}
	}
	return p
}
