package stats

import "math"

// LogNormal is a log-normal distribution: the logarithm has mean Mu and standard deviation Sigma.
type LogNormal struct{ Mu, Sigma float64 }

// FitLogNormal is the maximum-likelihood fit. ok is false for no values, or for a value that is not positive and finite.
func FitLogNormal(values []float64) (fit LogNormal, ok bool) {
	logs := make([]float64, len(values))
	for i, v := range values {
		if !(v > 0) || math.IsInf(v, 1) {
			return LogNormal{}, false
		}
		logs[i] = math.Log(v)
	}
	if len(logs) == 0 {
		return LogNormal{}, false
	}
	return LogNormal{Mean(logs), math.Sqrt(squaredDeviations(logs) / float64(len(logs)))}, true
}
