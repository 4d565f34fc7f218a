// Package power plans how much to measure: the sample size per arm with which a non-inferiority test passes a candidate that
// is as good as the baseline, and the power that each of several metrics needs. Sizes count independent observations; the
// design effect (or variance inflation factor) says how many observations of a queue are worth one of them. The package is
// pure.
package power

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Test is the one-sided non-inferiority test that is planned.
type Test struct {
	// Alpha is the probability of passing a candidate that is exactly as bad as the margin, 0.05 for one-sided 95 % bounds.
	Alpha float64
	// Power is the probability of passing a candidate that is as good as assumed.
	Power float64
	// DesignEffect is the variance of an estimate over what it would be for independent observations, at least 1.
	DesignEffect float64
}

// PerMetric is the power that each of m metrics needs, so that all pass together with the given power, were they
// independent: power^(1/m). It is NaN for no metrics or a power outside 0..1.
func PerMetric(power float64, metrics int) float64 {
	if !(power > 0 && power < 1) || metrics < 1 {
		return math.NaN()
	}
	return math.Pow(power, 1/float64(metrics))
}

// QuantileSpread is the asymptotic standard error of the p-quantile of a log-normal distribution with the given sigma, relative to
// it and times √n: k·σ with k = √(p(1−p))/φ(z_p). k is 1.25 for the median and 3.73 for the P99.
func QuantileSpread(p, sigma float64) float64 {
	return sigma * math.Sqrt(p*(1-p)) / distuv.UnitNormal.Prob(distuv.UnitNormal.Quantile(p))
}

// QuantileRatio is the number of observations per arm for the ratio of the p-quantiles of two log-normal distributions with
// the given sigma, and a margin that is a relative increase: 2·(k·σ·√deff/SE)² with k·σ of QuantileSpread and
// SE = ln(1+margin)/(z_{1−α}+z_power). Real latencies have heavier tails: take sigma and the design effect from a pilot.
// A margin below 0 is for metrics where less is worse. ok is false for arguments that make no test.
func (t Test) QuantileRatio(p, sigma, margin float64) (n int, ok bool) {
	if !(p > 0 && p < 1) {
		return 0, false
	}
	return t.ratio(QuantileSpread(p, sigma), margin)
}

// QuantileEffect is the relative rise of a p-quantile that arms of unequal size show with the test's power: exp(SE·(z_{1−α}+z_power))−1
// with SE = k·σ·√(deff·(1/baseline+1/candidate)) and k·σ of QuantileSpread. It turns QuantileRatio around, which for arms of n/(2(1−w))
// and n/(2w) observations, w being the candidate's share, has the same standard error as for n each.
func (t Test) QuantileEffect(p, sigma float64, baseline, candidate int) (rise float64, ok bool) {
	if !(p > 0 && p < 1 && sigma > 0) || baseline < 1 || candidate < 1 || !t.makesSense() {
		return 0, false
	}
	se := QuantileSpread(p, sigma) * math.Sqrt(t.DesignEffect*(1/float64(baseline)+1/float64(candidate)))
	return math.Expm1(se * t.quantiles()), true
}

// MeanRatio is the number of observations per arm for the ratio of two means of observations with the given coefficient of
// variation, by the delta method: 2·(cv·√deff/SE)² with SE as in QuantileRatio.
func (t Test) MeanRatio(cv, margin float64) (n int, ok bool) { return t.ratio(cv, margin) }

// ratio takes the standard error of the logarithm of one arm's estimate, times √n.
func (t Test) ratio(spread, margin float64) (n int, ok bool) {
	return t.size(2*spread*spread, math.Log1p(margin))
}

// ProportionDifference is the number of trials per arm for the difference of two shares, candidate less baseline, where more
// is worse and the margin is absolute: (z_{1−α}+z_power)²·deff·(p₀(1−p₀)+p₁(1−p₁))/(margin−(p₁−p₀))², for shares that are
// truly base and candidate (Julious 2004, Sample sizes for clinical trials, section on non-inferiority).
func (t Test) ProportionDifference(base, candidate, margin float64) (n int, ok bool) {
	if !(base >= 0 && base <= 1 && candidate >= 0 && candidate <= 1 && margin-(candidate-base) > 0) {
		return 0, false
	}
	return t.size(base*(1-base)+candidate*(1-candidate), margin-(candidate-base))
}

// size is the least n with √(variance·deff/n)·(z_{1−α}+z_power) ≤ |distance|.
func (t Test) size(variance, distance float64) (n int, ok bool) {
	if !t.makesSense() || !(variance > 0) {
		return 0, false
	}
	quantiles := t.quantiles()
	size := math.Ceil(variance * t.DesignEffect * quantiles * quantiles / (distance * distance))
	if !(size <= math.MaxInt32) {
		return 0, false
	}
	return int(size), true
}

func (t Test) makesSense() bool {
	return t.Alpha > 0 && t.Alpha < .5 && t.Power >= .5 && t.Power < 1 && t.DesignEffect >= 1
}

// quantiles is z_{1−α}+z_power.
func (t Test) quantiles() float64 {
	return distuv.UnitNormal.Quantile(1-t.Alpha) + distuv.UnitNormal.Quantile(t.Power)
}
