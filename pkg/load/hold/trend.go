package hold

import "github.com/swapgate/swapgate/pkg/stats/hypothesis"

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

// mannKendall tests values in the order of time for a monotone trend, by the normal approximation. Fewer than two values have
// none.
//
// It takes the values as independent. Blocks that are correlated look like a trend more often than they should. That is the
// safe side here: the step goes on, and longer until its blocks are as independent as the verdict takes them to be. So the
// variance is not corrected for autocorrelation (Hamed and Rao 1998), which would hide slow drifts in few blocks.
func mannKendall(values []float64) trend {
	test, ok := hypothesis.MannKendall(values)
	if !ok {
		return trend{p: 1}
	}
	return trend{tau: test.Tau, p: test.AsymptoticP()}
}
