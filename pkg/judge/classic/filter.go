package classic

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/stats/outlier"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Filter deletes jitter: what is below max(Q1−1.5·IQR, P0.5) or above min(Q3+1.5·IQR, P99.5). The fences themselves stay.
type Filter struct{}

// Name is classic_iqr_p995.
func (Filter) Name() swap.RuleName { return swap.RuleIQRFilter }

// Weakness is one sentence.
func (Filter) Weakness() string {
	return "it deletes the tail that a P99 is about: of a log-normal with σ 0.5, 3.8 % at the top, and the P99 of the rest is the raw " +
		"P95.3; a worse arm has wider fences and is forgiven more"
}

// Clean returns the values that stay, in their order. ok is false where there are none or one is not finite.
func (Filter) Clean(values []float64) (kept []float64, ok bool) {
	low, high, ok := outlier.ClassicFences(values)
	if !ok {
		return nil, false
	}
	for _, v := range values {
		if low <= v && v <= high {
			kept = append(kept, v)
		}
	}
	return kept, true
}

// Loss is what the filter does to a log-normal tail.
type Loss struct {
	// Top and Bottom are the shares that are deleted at either end.
	Top, Bottom float64
	// RawLevel is the quantile of all values that the P99 of the rest is, and Ratio that P99 over the P99 of all.
	RawLevel, Ratio float64
}

// LossOfLogNormal is for a log-normal whose logarithm has the standard deviation sigma. Its lower tail is short: there P0.5 is always
// the inner fence.
func (Filter) LossOfLogNormal(sigma float64) Loss {
	quantile := func(p float64) float64 { return math.Exp(sigma * stats.NormalQuantile(p)) }
	share := func(x float64) float64 { return normalCDF(math.Log(x) / sigma) }
	reach := 1.5 * (quantile(.75) - quantile(.25))
	l := Loss{Top: 1 - share(min(quantile(.75)+reach, quantile(.995))), Bottom: .005}
	l.RawLevel = l.Bottom + .99*(1-l.Top-l.Bottom)
	l.Ratio = quantile(l.RawLevel) / quantile(.99)
	return l
}
