// Package fit finds the distributions that describe a sample best: Weibull distributions and mixtures of two for the gaps
// between requests, log-normal distributions cut or censored at known limits for lengths, and the mixture of two normal
// distributions that is often used where a Weibull mixture is meant. All fits are by maximum likelihood. A fit that does
// not exist is an error, never a number. Every function is pure: the same values and seed give the same fit.
package fit

import (
	"errors"
	"fmt"
	"math"
)

var (
	// ErrData says that a sample cannot be fitted at all: too few values, or one that is outside what the distribution allows.
	ErrData = errors.New("values cannot be fitted")
	// ErrNoMaximum says that the likelihood has no maximum: it grows towards the edge of the distributions considered. The
	// sample is better described by its own values.
	ErrNoMaximum = errors.New("the likelihood has no maximum")
	// ErrNotConverged says that the search for the maximum gave up.
	ErrNotConverged = errors.New("the fit did not converge")
)

// Distribution is what a fit gives.
type Distribution interface {
	// LogDensity is the logarithm of the density at x, −Inf where the density is 0.
	LogDensity(x float64) float64
	// CDF is the probability of a value of at most x.
	CDF(x float64) float64
}

// Fitted is a distribution found by maximum likelihood.
type Fitted[D any] struct {
	Distribution D
	// SE holds the standard error of each parameter in the parameter's place, from the observed information. They are NaN
	// where the likelihood is flat at its maximum.
	SE            D
	LogLikelihood float64
	// N is the number of values, censored ones included.
	N int
}

// positive checks that there are at least two values, all positive and finite, and returns their logarithms.
func positive(values []float64) (logs []float64, err error) {
	if len(values) < 2 {
		return nil, fmt.Errorf("%w: %d given, at least 2 are needed", ErrData, len(values))
	}
	logs = make([]float64, len(values))
	for i, v := range values {
		if !(v > 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("%w: value %d is %g, not positive and finite", ErrData, i, v)
		}
		logs[i] = math.Log(v)
	}
	return logs, nil
}
