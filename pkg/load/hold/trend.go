package hold

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
)

// trend is the outcome of a test for a monotone trend.
type trend struct {
	// tau is Kendall's rank correlation with time (tau-a), from −1 to 1.
	tau float64
	// p is two-sided.
	p float64
}

func (t trend) word() string {
	if t.tau < 0 {
		return "falls"
	}
	return "rises"
}

// mannKendall tests values in the order of time for a monotone trend (Mann 1945, Kendall 1975), by the normal approximation
// with corrections for ties and continuity.
//
// It takes the values as independent. Blocks that are correlated look like a trend more often than they should. That is the
// safe side here: the step goes on, and longer until its blocks are as independent as the verdict takes them to be. So the
// variance is not corrected for autocorrelation (Hamed and Rao 1998), which would hide slow drifts in few blocks.
func mannKendall(values []float64) trend {
	n := float64(len(values))
	s := concordance(values)
	variance := n * (n - 1) * (2*n + 5) / 18
	for _, t := range ties(values) {
		variance -= t * (t - 1) * (2*t + 5) / 18
	}
	if s == 0 || !(variance > 0) {
		return trend{p: 1}
	}
	z := (math.Abs(s) - 1) / math.Sqrt(variance)
	return trend{tau: s / (n * (n - 1) / 2), p: 2 * stats.TCDF(-z, math.Inf(1))}
}

// concordance counts the pairs that rise less those that fall.
func concordance(values []float64) float64 {
	s := 0.0
	for i, earlier := range values {
		for _, later := range values[i+1:] {
			switch {
			case later > earlier:
				s++
			case later < earlier:
				s--
			}
		}
	}
	return s
}

// ties are the sizes of the groups of equal values.
func ties(values []float64) []float64 {
	sizes := map[float64]float64{}
	for _, v := range values {
		sizes[v]++
	}
	out := make([]float64, 0, len(sizes))
	for _, size := range sizes {
		out = append(out, size)
	}
	return out
}
