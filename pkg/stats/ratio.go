package stats

import "math"

// RatioOfSums returns Σnum/Σden over blocks and its standard error by batch means: the spread of the linearised block
// residuals num−R·den within their group. It is NaN where there is no denominator. A group of one block adds no
// variance; merge such groups first.
func RatioOfSums(num, den []float64, strata Strata) (ratio, se float64) {
	if Sum(den) == 0 {
		return math.NaN(), math.NaN()
	}
	return Sum(num) / Sum(den), InfluenceError(RatioInfluence(num, den), strata)
}

// InfluenceError is the standard error of a sum of block influences, by their spread within each group.
func InfluenceError(influence []float64, strata Strata) float64 {
	return math.Sqrt(Sum(groupVariances(influence, strata)))
}

// RatioInfluence is what each block adds to Σnum/Σden, to first order.
func RatioInfluence(num, den []float64) []float64 {
	total := Sum(den)
	ratio := Sum(num) / total
	influence := make([]float64, len(num))
	for k := range num {
		influence[k] = (num[k] - ratio*den[k]) / total
	}
	return influence
}

// EffectiveDegrees is the degrees of freedom behind the variance of a sum of block influences (Welch and Satterthwaite). With
// one group it is the number of blocks less one; it is smaller than blocks less groups when one group dominates.
func EffectiveDegrees(influence []float64, strata Strata) float64 {
	groups := strata.members()
	sum, squares := 0.0, 0.0
	for g, v := range groupVariances(influence, strata) {
		sum += v
		if n := len(groups[g]); n > 1 {
			squares += v * v / float64(n-1)
		}
	}
	if !(squares > 0) {
		return float64(len(strata) - len(groups))
	}
	return sum * sum / squares
}

// groupVariances is each group's part of the variance of Σinfluence; a group of one has none.
func groupVariances(influence []float64, strata Strata) []float64 {
	groups := strata.members()
	variances := make([]float64, len(groups))
	for g, group := range groups {
		values := make([]float64, len(group))
		for i, k := range group {
			values[i] = influence[k]
		}
		if n := float64(len(group)); n > 1 {
			variances[g] = n / (n - 1) * squaredDeviations(values)
		}
	}
	return variances
}

// DesignEffect is the variance of a share that was counted in blocks, over the variance it would have, were all trials
// independent (Kish's deff). successes and trials are per block. It is NaN when the share is 0 or 1, because then
// neither variance exists.
func DesignEffect(successes, trials []float64, strata Strata) float64 {
	share, se := RatioOfSums(successes, trials, strata)
	independent := share * (1 - share) / Sum(trials)
	if !(independent > 0) {
		return math.NaN()
	}
	return se * se / independent
}

// Sum adds up values.
func Sum(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum
}

func squaredDeviations(values []float64) float64 {
	mean, sum := Mean(values), 0.0
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return sum
}

// StandardDeviation is the sample standard deviation (n−1). It is NaN for fewer than two values or where one is not finite.
func StandardDeviation(values []float64) float64 {
	if len(values) < 2 {
		return math.NaN()
	}
	return math.Sqrt(squaredDeviations(values) / float64(len(values)-1))
}
