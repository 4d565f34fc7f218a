package fit

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/stats/internal/root"
)

const (
	newtonSteps = 200
	halvings    = 60
	// solved is how far standardised moments or parameters may be from where they should be; nearlySolved is what is
	// accepted where rounding keeps the search from getting closer.
	solved       = 1e-12
	nearlySolved = 1e-6
	// slack is the loss of likelihood per value that may be rounding.
	slack = 1e-14
)

// TruncatedLogNormal is a log-normal distribution of which only values from Low to High are seen, like the lengths of
// prompts that a server accepts: the density is divided by the probability of Low..High. Mu and Sigma belong to the
// distribution before it is cut.
type TruncatedLogNormal struct {
	stats.LogNormal
	Low, High float64
}

var _ Distribution = TruncatedLogNormal{}

// LogDensity is the logarithm of the density at x.
func (d TruncatedLogNormal) LogDensity(x float64) float64 {
	if !(x >= d.Low && x <= d.High && x > 0) {
		return math.Inf(-1)
	}
	y := math.Log(x)
	n := d.normal()
	return n.logKernel(y) - math.Log(n.moments(n.low, n.high)[0]) - y
}

// CDF is the probability of a value of at most x.
func (d TruncatedLogNormal) CDF(x float64) float64 {
	if !(x > d.Low && x > 0) {
		return 0
	}
	n := d.normal()
	return n.moments(n.low, min(math.Log(x), n.high))[0] / n.moments(n.low, n.high)[0]
}

func (d TruncatedLogNormal) normal() cutNormal {
	return cutNormal{mean: d.Mu, variance: d.Sigma * d.Sigma, low: math.Log(d.Low), high: math.Log(d.High)}
}

// EstimateTruncatedLogNormal is the maximum-likelihood fit to values that all lie from low to high; low may be 0 and high may be
// +Inf. In SE, Low and High are 0, because they are known.
//
// The logarithms y are a sample of an exponential family with the statistics y and y², so the fit is the one whose first
// two moments are those of the sample, found by Newton's method. It exists if, and only if, the mean of y² is less than
// under the truncated exponential distribution with the mean of y (Castillo 1994, The singly truncated normal distribution:
// a non-steep exponential family); if not, the likelihood grows as Sigma grows without bound, and ErrNoMaximum is returned.
// So it is when all values are equal.
func EstimateTruncatedLogNormal(values []float64, low, high float64) (Fitted[TruncatedLogNormal], error) {
	logs, err := positive(values)
	if err != nil {
		return Fitted[TruncatedLogNormal]{}, err
	}
	if err := within(values, low, high); err != nil {
		return Fitted[TruncatedLogNormal]{}, err
	}
	unit := weightedLogs(logs, nil)
	spread := math.Sqrt(unit.variance)
	if !(spread > 1e-12*(1+math.Abs(unit.mean))) {
		return Fitted[TruncatedLogNormal]{}, fmt.Errorf("%w: the values are equal, or nearly so", ErrNoMaximum)
	}
	a, b := (math.Log(low)-unit.mean)/spread, (math.Log(high)-unit.mean)/spread
	if widest := varianceWithoutCurve(a, b); widest <= 1 {
		return Fitted[TruncatedLogNormal]{}, fmt.Errorf("%w: the logarithms have the variance %.4g; below %.4g it would have one",
			ErrNoMaximum, unit.variance, widest*unit.variance)
	}
	standard, err := matchMoments(a, b)
	if err != nil {
		return Fitted[TruncatedLogNormal]{}, err
	}
	return truncatedFit(logs, unit, standard, low, high), nil
}

func within(values []float64, low, high float64) error {
	if !(low >= 0 && low < high) {
		return fmt.Errorf("%w: %g..%g is not a range of lengths", ErrData, low, high)
	}
	for i, v := range values {
		if !(v >= low && v <= high) {
			return fmt.Errorf("%w: value %d is %g, outside %g..%g", ErrData, i, v, low, high)
		}
	}
	return nil
}

// truncatedFit turns the fit to standardised logarithms back.
func truncatedFit(logs []float64, unit moments, standard cutNormal, low, high float64) Fitted[TruncatedLogNormal] {
	n, spread := float64(len(logs)), math.Sqrt(unit.variance)
	logLikelihood := func(p []float64) float64 {
		c := cutNormal{mean: p[0], variance: math.Exp(2 * p[1]), low: standard.low, high: standard.high}
		return n * c.height()
	}
	at := []float64{standard.mean, math.Log(standard.variance) / 2}
	errs := standardErrors(logLikelihood, at)
	sigma := spread * math.Sqrt(standard.variance)
	return Fitted[TruncatedLogNormal]{
		Distribution:  TruncatedLogNormal{stats.LogNormal{Mu: unit.mean + spread*standard.mean, Sigma: sigma}, low, high},
		SE:            TruncatedLogNormal{LogNormal: stats.LogNormal{Mu: spread * errs[0], Sigma: sigma * errs[1]}},
		LogLikelihood: logLikelihood(at) - n*(math.Log(spread)+unit.mean),
		N:             len(logs),
	}
}

// varianceWithoutCurve is the variance of the truncated exponential distribution on a..b whose mean is 0, which lies
// between: the most that a truncated normal distribution with that mean comes close to.
func varianceWithoutCurve(a, b float64) float64 {
	switch {
	case math.IsInf(a, -1) && math.IsInf(b, 1):
		return math.Inf(1)
	case math.IsInf(b, 1):
		return a * a
	case math.IsInf(a, -1):
		return b * b
	}
	width := b - a
	mean := -a / width
	// On 0..1 the density exp(rate·u) has the mean 1/(1−exp(−rate)) − 1/rate, which is antisymmetric around ½.
	rate, ok := root.Find(func(rate float64) float64 { return tiltedMean(rate) - mean }, -1e6, 1e6)
	if !ok {
		return math.NaN()
	}
	return width * width * tiltedVariance(rate)
}

func tiltedMean(rate float64) float64 {
	if math.Abs(rate) < 1e-3 {
		return .5 + rate/12 - rate*rate*rate/720
	}
	return -1/math.Expm1(-rate) - 1/rate
}

func tiltedVariance(rate float64) float64 {
	if math.Abs(rate) < 1e-2 {
		return 1./12 - rate*rate/240
	}
	half := math.Sinh(rate / 2)
	return 1/(rate*rate) - 1/(4*half*half)
}
