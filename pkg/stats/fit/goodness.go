package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

const crossStream = 0x63726f73732d7661

// LogLikelihood is the sum of the log-densities of values. It is −Inf where one is impossible.
func LogLikelihood(d Distribution, values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += d.LogDensity(v)
	}
	return total
}

// BIC is the Bayesian information criterion of Schwarz 1978, parameters·ln n − 2·log-likelihood: of two models of the same
// values, the one with the lower BIC describes them better for what it costs.
func BIC(logLikelihood float64, parameters, n int) float64 {
	return float64(parameters)*math.Log(float64(n)) - 2*logLikelihood
}

// CramerVonMises is the distance ∫(F_n−F)²dF between a distribution and the empirical one of values, which may be in any
// order: 1/12n² + Σ((2i−1)/2n − F(x₍ᵢ₎))²/n. It is 0 at best and ⅓ at worst, and does not depend on the unit of the values.
// n times it is the test statistic W², whose tables hold only where F was not fitted to the same values. It is NaN for no
// values or a NaN among them.
func CramerVonMises(d Distribution, values []float64) float64 {
	n := float64(len(values))
	if n == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	total := 1 / (12 * n)
	for i, v := range sorted {
		off := (float64(i)+.5)/n - d.CDF(v)
		total += off * off
	}
	if math.IsNaN(sorted[0]) {
		return math.NaN()
	}
	return total / n
}

// HeldOut is the mean log-density of values under fits that have not seen them: the values are dealt into folds at random,
// and each fold is judged by the fit to the others. It compares models without regard to their number of parameters. It
// treats the values as exchangeable, so it is too kind to models of values that depend on their neighbours.
func HeldOut[D Distribution](values []float64, folds int, seed uint64, fit func([]float64) (Fitted[D], error)) (float64, error) {
	if folds < 2 || folds > len(values) {
		return math.NaN(), fmt.Errorf("%w: %d values cannot be dealt into %d folds of at least one", ErrData, len(values), folds)
	}
	order := rand.New(rand.NewPCG(seed, crossStream)).Perm(len(values))
	total := 0.0
	for fold := range folds {
		var seen, unseen []float64
		for place, i := range order {
			if place%folds == fold {
				unseen = append(unseen, values[i])
			} else {
				seen = append(seen, values[i])
			}
		}
		fitted, err := fit(seen)
		if err != nil {
			return math.NaN(), fmt.Errorf("fit without fold %d: %w", fold, err)
		}
		total += LogLikelihood(fitted.Distribution, unseen)
	}
	return total / float64(len(values)), nil
}
