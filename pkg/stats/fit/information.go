package fit

import (
	"math"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"
)

// informationStep is the step of the numeric second derivatives. Parameters are given so that their natural unit is 1:
// logarithms, logits, or multiples of a spread.
const informationStep = 1e-3

// standardErrors inverts the observed information: the negative second derivatives of the log-likelihood at its maximum
// (Efron and Hinkley 1978). They are NaN where the information is not positive definite.
func standardErrors(logLikelihood func([]float64) float64, maximum []float64) []float64 {
	errs := make([]float64, len(maximum))
	for i := range errs {
		errs[i] = math.NaN()
	}
	var information mat.SymDense
	negative := func(x []float64) float64 { return -logLikelihood(x) }
	fd.Hessian(&information, negative, maximum, &fd.Settings{Formula: fd.Central, Step: informationStep})
	var factor mat.Cholesky
	if !finite(&information) || !factor.Factorize(&information) {
		return errs
	}
	var covariance mat.SymDense
	if err := factor.InverseTo(&covariance); err != nil {
		return errs
	}
	for i := range errs {
		errs[i] = math.Sqrt(covariance.At(i, i))
	}
	return errs
}

func finite(m mat.Matrix) bool {
	norm := mat.Norm(m, 1)
	return !math.IsNaN(norm) && !math.IsInf(norm, 0)
}
