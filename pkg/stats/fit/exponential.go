package fit

import "math"

// Exponential is an exponential distribution, that of the gaps of a Poisson process.
type Exponential struct{ Mean float64 }

var _ Distribution = Exponential{}

// LogDensity is the logarithm of the density at x.
func (e Exponential) LogDensity(x float64) float64 {
	if !(x >= 0) {
		return math.Inf(-1)
	}
	return -math.Log(e.Mean) - x/e.Mean
}

// CDF is the probability of a value of at most x.
func (e Exponential) CDF(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return -math.Expm1(-x / e.Mean)
}

// EstimateExponential is the maximum-likelihood fit: the mean of the values, with the standard error Mean/√n.
func EstimateExponential(values []float64) (Fitted[Exponential], error) {
	if _, err := positive(values); err != nil {
		return Fitted[Exponential]{}, err
	}
	mean, n := 0.0, float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	return Fitted[Exponential]{
		Distribution: Exponential{mean}, SE: Exponential{mean / math.Sqrt(n)},
		LogLikelihood: -n * (math.Log(mean) + 1), N: len(values),
	}, nil
}
