package rollout

import (
	"math"

	"github.com/swapgate/swapgate/pkg/judge/guard"
	"github.com/swapgate/swapgate/pkg/swap"
)

// onlineSums is the k-th value of a query on both arms, which counts as a slice by itself; empty where either has none.
func onlineSums(online []swap.PerArm[[]float64], query, k int) (sums swap.PerArm[guard.Sum]) {
	if query >= len(online) {
		return sums
	}
	values := online[query]
	if k >= len(values.Baseline) || k >= len(values.Candidate) {
		return sums
	}
	base, cand := values.Baseline[k], values.Candidate[k]
	if math.IsNaN(base) || math.IsNaN(cand) {
		return sums
	}
	return swap.PerArm[guard.Sum]{Baseline: guard.Sum{Num: base, Den: 1}, Candidate: guard.Sum{Num: cand, Den: 1}}
}

// OnlineMean is the mean of the values that there are; absent without any.
func OnlineMean(values []float64) swap.Value {
	sum, n := 0.0, 0
	for _, v := range values {
		if !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	if n == 0 {
		return swap.Absent()
	}
	return swap.Of(sum / float64(n))
}

func feedbackSums(f swap.WindowFeedback, m swap.Metric) (sums swap.PerArm[guard.Sum]) {
	tallies := f.Quality
	if m == swap.MetricConversion {
		tallies = f.Conversion
	}
	for _, arm := range swap.Arms {
		t := tallies.Get(arm)
		if mean, ok := t.Mean.Get(); ok {
			*sums.Ptr(arm) = guard.Sum{Num: mean * float64(t.N), Den: float64(t.N)}
		}
	}
	return sums
}
