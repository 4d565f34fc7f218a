package fit

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// mostShape is the largest shape that a fit may have: a coefficient of variation of 0.1 %. Beyond it all values are equal.
	mostShape = 1000.
	// shapeTolerance is for the last step of a search that squares its error with each.
	shapeTolerance = 1e-8
	shapeSteps     = 100
)

// Weibull is a Weibull distribution: the survival at x is exp(−(x/Scale)^Shape). Scale has the unit of the values.
type Weibull struct{ Shape, Scale float64 }

var _ Distribution = Weibull{}

func (w Weibull) standard() distuv.Weibull { return distuv.Weibull{K: w.Shape, Lambda: w.Scale} }

// LogDensity is the logarithm of the density at x.
func (w Weibull) LogDensity(x float64) float64 {
	if !(x > 0) {
		return math.Inf(-1)
	}
	return w.ready().logDensity(math.Log(x))
}

// readyWeibull is a Weibull distribution with what does not depend on the value computed beforehand.
type readyWeibull struct{ shape, logScale, constant float64 }

func (w Weibull) ready() readyWeibull {
	return readyWeibull{w.Shape, math.Log(w.Scale), math.Log(w.Shape / w.Scale)}
}

// logDensity is that of exp(logX).
func (w readyWeibull) logDensity(logX float64) float64 {
	above := logX - w.logScale
	return w.constant + (w.shape-1)*above - math.Exp(w.shape*above)
}

// CDF is the probability of a value of at most x.
func (w Weibull) CDF(x float64) float64 { return w.standard().CDF(x) }

// Mean is Scale·Γ(1+1/Shape).
func (w Weibull) Mean() float64 { return w.standard().Mean() }

// Quantile is the p-quantile; it is NaN for a p outside 0..1.
func (w Weibull) Quantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	return w.Scale * math.Pow(-math.Log1p(-p), 1/w.Shape)
}

// EstimateWeibull is the maximum-likelihood fit: Shape k solves Σxᵏln x/Σxᵏ − 1/k = mean(ln x), and Scale is mean(xᵏ)^(1/k)
// (Cohen 1965). Values that are all equal, or nearly so, give ErrNoMaximum.
func EstimateWeibull(values []float64) (Fitted[Weibull], error) {
	logs, err := positive(values)
	if err != nil {
		return Fitted[Weibull]{}, err
	}
	w, ok := weightedWeibull(logs, nil, 0)
	if !ok {
		return Fitted[Weibull]{}, fmt.Errorf("%w: the values are equal, or nearly so", ErrNoMaximum)
	}
	logLikelihood := func(p []float64) float64 { return sumLogDensity(weibullFromLogs(p[0], p[1]), logs) }
	errs := standardErrors(logLikelihood, []float64{math.Log(w.Shape), math.Log(w.Scale)})
	return Fitted[Weibull]{
		Distribution: w, SE: Weibull{w.Shape * errs[0], w.Scale * errs[1]},
		LogLikelihood: sumLogDensity(w, logs), N: len(values),
	}, nil
}

func weibullFromLogs(shape, scale float64) Weibull { return Weibull{math.Exp(shape), math.Exp(scale)} }

func sumLogDensity(w Weibull, logs []float64) float64 {
	sum := 0.0
	ready := w.ready()
	for _, z := range logs {
		sum += ready.logDensity(z)
	}
	return sum
}

// weightedWeibull maximises Σ weight·log-density over the values whose logarithms are given; nil weights are all 1. guess is
// a shape to begin with, or 0. ok is false where the maximum has a shape above mostShape.
func weightedWeibull(logs, weights []float64, guess float64) (w Weibull, ok bool) {
	m := weightedLogs(logs, weights)
	if !(m.variance > 0) {
		return Weibull{}, false
	}
	shape := guess
	if !(shape > 0) {
		shape = math.Pi / math.Sqrt(6*m.variance) // ln x has the variance π²/6k²
	}
	low, high := 0., math.Inf(1)
	for range shapeSteps {
		if low >= mostShape {
			return Weibull{}, false
		}
		t := tilt(logs, weights, shape, m.largest)
		excess := t.mean - 1/shape - m.mean
		if excess < 0 {
			low = shape
		} else {
			high = shape
		}
		next := shape - excess/(t.variance+1/(shape*shape))
		if !(next > low && next < high) {
			next = between(low, high)
		}
		moved := math.Abs(next - shape)
		shape = next
		if moved <= shapeTolerance*shape {
			break
		}
	}
	t := tilt(logs, weights, shape, m.largest)
	scale := math.Exp(m.largest + math.Log(t.total/m.total)/shape)
	return Weibull{shape, scale}, shape <= mostShape && scale > 0 && !math.IsInf(scale, 1)
}

func between(low, high float64) float64 {
	if math.IsInf(high, 1) {
		return 2 * low
	}
	return (low + high) / 2
}

// moments are of logarithms under weights.
type moments struct{ total, mean, variance, largest float64 }

func weightedLogs(logs, weights []float64) moments {
	largest := math.Inf(-1)
	for _, z := range logs {
		largest = max(largest, z)
	}
	m := tilt(logs, weights, 0, largest)
	m.largest = largest
	return m
}

// tilt gives the moments of the logarithms z under weights times exp(shape·(z−largest)).
func tilt(logs, weights []float64, shape, largest float64) moments {
	var total, first, second float64
	for i, z := range logs {
		weight := 1.
		if weights != nil {
			weight = weights[i]
		}
		z -= largest
		if shape != 0 {
			weight *= math.Exp(shape * z)
		}
		total += weight
		first += weight * z
		second += weight * z * z
	}
	mean := first / total
	return moments{total: total, mean: mean + largest, variance: second/total - mean*mean}
}
