package stats

import "math"

// RatioOfSums returns Σnum/Σden over blocks and its standard error by batch means: the spread of the linearised block
// residuals num−R·den within their group. It is NaN where there is no denominator. A group of one block adds no
// variance; merge such groups first.
func RatioOfSums(num, den []float64, strata Strata) (ratio, se float64) {
	total := Sum(den)
	if total == 0 {
		return math.NaN(), math.NaN()
	}
	ratio = Sum(num) / total
	variance := 0.0
	for _, group := range strata.members() {
		residuals := make([]float64, len(group))
		for i, k := range group {
			residuals[i] = num[k] - ratio*den[k]
		}
		if n := float64(len(group)); n > 1 {
			variance += n / (n - 1) * squaredDeviations(residuals)
		}
	}
	return ratio, math.Sqrt(variance) / total
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
