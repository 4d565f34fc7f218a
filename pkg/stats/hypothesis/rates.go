package hypothesis

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Rate is how many events were counted, and over how much exposure: seconds, or requests where events are rare.
type Rate struct {
	Events   int
	Exposure float64
}

func (r Rate) valid() bool { return r.Events >= 0 && r.Exposure > 0 && isFinite(r.Exposure) }

// RateComparison is the exact comparison of two Poisson rates.
type RateComparison struct {
	// Ratio is the second rate over the first; +Inf where only the first has no events, NaN where neither has.
	Ratio float64
	// Greater is the p-value against a ratio of at most the one asked about, and Less against one of at least it.
	Greater, Less float64

	first, second Rate
}

// CompareRates tests whether the second rate is ratio times the first (1 for equal rates; 3 for an alarm at three times the
// baseline). Given their sum, the second count is binomial with share ratio·t₂/(t₁ + ratio·t₂), whatever the rates
// (Przyborowski and Wilenski 1940), so it is exact, and honest for counts of 0: one first error after a flawless hour is weak
// evidence. Events that come in bursts are not Poisson; divide counts and exposure of such by their dispersion first.
//
// ok is false for a negative count, or an exposure or a ratio that is not positive and finite.
func CompareRates(first, second Rate, ratio float64) (comparison RateComparison, ok bool) {
	if !first.valid() || !second.valid() {
		return RateComparison{}, false
	}
	weight := ratio * (second.Exposure / first.Exposure)
	if !(weight > 0) || !isFinite(weight) {
		return RateComparison{}, false
	}
	share, rest := weight/(1+weight), 1/(1+weight)
	a, b := float64(first.Events), float64(second.Events)
	comparison = RateComparison{Ratio: b / second.Exposure / (a / first.Exposure), Greater: 1, Less: 1, first: first, second: second}
	if b > 0 {
		comparison.Greater = mathext.RegIncBeta(b, a+1, share)
	}
	if a > 0 {
		comparison.Less = mathext.RegIncBeta(a, b+1, rest)
	}
	return comparison, true
}

// P is the two-sided p-value: twice the smaller one-sided one.
func (c RateComparison) P() float64 { return math.Min(1, 2*math.Min(c.Greater, c.Less)) }

// Interval is the confidence interval of the ratio with at least the level, each side missing with at most (1−level)/2 (the
// binomial interval of Clopper and Pearson 1934). Without events it is 0 to +Inf. It is NaN for a level that is not between 0
// and 1.
func (c RateComparison) Interval(level float64) (low, high float64) {
	if !(level > 0 && level < 1) {
		return math.NaN(), math.NaN()
	}
	a, b, miss := float64(c.first.Events), float64(c.second.Events), (1-level)/2
	exposure := c.first.Exposure / c.second.Exposure
	low, high = 0, math.Inf(1)
	if b > 0 {
		low = odds(mathext.InvRegIncBeta(b, a+1, miss)) * exposure
	}
	if a > 0 {
		high = odds(mathext.InvRegIncBeta(b+1, a, 1-miss)) * exposure
	}
	return low, high
}

func odds(share float64) float64 { return share / (1 - share) }
