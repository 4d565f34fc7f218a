package fit

import (
	"fmt"
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/stats"
)

// EstimateCensoredLogNormal is the maximum-likelihood fit to values, together with others of which only is known that they would
// have been at least so large: caps holds one limit for each of these, as for a completion that ended at its limit of
// tokens. The log-likelihood is Σ ln f(value) + Σ ln S(cap). Without caps it is that of stats.FitLogNormal.
//
// Newton's method is used in 1/σ and μ/σ, in which the likelihood is concave (Olsen 1978). There is no maximum without
// values, nor when they are all equal and no cap is above them.
func EstimateCensoredLogNormal(values, caps []float64) (Fitted[LogNormal], error) {
	all, err := positive(slices.Concat(values, caps))
	if err != nil {
		return Fitted[LogNormal]{}, err
	}
	if len(values) == 0 {
		return Fitted[LogNormal]{}, fmt.Errorf("%w: every value is censored", ErrNoMaximum)
	}
	unit := weightedLogs(all, nil)
	spread := math.Sqrt(unit.variance)
	c := censored{standardised(all[:len(values)], unit), standardised(all[len(values):], unit)}
	if !(spread > 1e-12*(1+math.Abs(unit.mean))) || !c.bounded() {
		return Fitted[LogNormal]{}, fmt.Errorf("%w: the values are equal, and no cap is above them", ErrNoMaximum)
	}
	p, err := c.maximum()
	if err != nil {
		return Fitted[LogNormal]{}, err
	}
	errs := standardErrors(func(q []float64) float64 {
		inverse := math.Exp(-q[1])
		return c.logLikelihood(olsen{inverse, q[0] * inverse})
	}, []float64{p.shift / p.inverse, -math.Log(p.inverse)})
	sigma := spread / p.inverse
	return Fitted[LogNormal]{
		Distribution:  LogNormal{stats.LogNormal{Mu: unit.mean + spread*p.shift/p.inverse, Sigma: sigma}},
		SE:            LogNormal{stats.LogNormal{Mu: spread * errs[0], Sigma: sigma * errs[1]}},
		LogLikelihood: c.logLikelihood(p) - float64(len(values))*math.Log(spread) - stats.Sum(all[:len(values)]),
		N:             len(all),
	}, nil
}

func standardised(logs []float64, unit moments) []float64 {
	scaled := make([]float64, len(logs))
	for i, y := range logs {
		scaled[i] = (y - unit.mean) / math.Sqrt(unit.variance)
	}
	return scaled
}

// censored are standardised logarithms that were seen, and those that were cut.
type censored struct{ seen, cut []float64 }

// olsen are the parameters 1/σ and μ/σ.
type olsen struct{ inverse, shift float64 }

// bounded says that the likelihood does not grow without bound as σ shrinks.
func (c censored) bounded() bool {
	low, high := slices.Min(c.seen), slices.Max(c.seen)
	return low < high || len(c.cut) > 0 && slices.Max(c.cut) > high
}

func (c censored) logLikelihood(p olsen) float64 {
	total := float64(len(c.seen)) * (math.Log(p.inverse) - math.Log(2*math.Pi)/2)
	for _, y := range c.seen {
		z := p.inverse*y - p.shift
		total -= z * z / 2
	}
	for _, y := range c.cut {
		log, _ := upperTail(p.inverse*y - p.shift)
		total += log
	}
	return total
}

// maximum is found by damped Newton steps.
func (c censored) maximum() (olsen, error) {
	p, off := olsen{1, 0}, math.Inf(1)
	for range newtonSteps {
		slope, curve := c.derivatives(p)
		det := curve[0]*curve[2] - curve[1]*curve[1]
		step := olsen{(curve[2]*slope.inverse - curve[1]*slope.shift) / det, (curve[0]*slope.shift - curve[1]*slope.inverse) / det}
		off = (math.Abs(step.inverse) + math.Abs(step.shift)) / (p.inverse + math.Abs(p.shift))
		next, ok := c.uphill(p, step)
		if !ok || off < solved {
			break
		}
		p = next
	}
	if !(off < nearlySolved) {
		return p, fmt.Errorf("%w after %d steps", ErrNotConverged, newtonSteps)
	}
	return p, nil
}

func (c censored) uphill(p, step olsen) (olsen, bool) {
	here := c.logLikelihood(p) - slack*float64(len(c.seen)+len(c.cut))
	for range halvings {
		next := olsen{p.inverse + step.inverse, p.shift + step.shift}
		if next.inverse > 0 && c.logLikelihood(next) >= here {
			return next, true
		}
		step = olsen{step.inverse / 2, step.shift / 2}
	}
	return p, false
}

// derivatives are the slope, and the negative second derivatives by inverse twice, by both, and by shift twice.
func (c censored) derivatives(p olsen) (slope olsen, curve [3]float64) {
	n := float64(len(c.seen))
	slope.inverse = n / p.inverse
	curve[0] = n / (p.inverse * p.inverse)
	add := func(y, force, stiffness float64) {
		slope.inverse -= force * y
		slope.shift += force
		curve[0] += stiffness * y * y
		curve[1] -= stiffness * y
		curve[2] += stiffness
	}
	for _, y := range c.seen {
		add(y, p.inverse*y-p.shift, 1)
	}
	for _, y := range c.cut {
		z := p.inverse*y - p.shift
		_, hazard := upperTail(z)
		add(y, hazard, hazard*(hazard-z))
	}
	return slope, curve
}

// upperTail is the logarithm of the probability of more than z under the standard normal distribution, and the density at z
// over that probability (the inverse Mills ratio). Far out it uses the asymptotic series of the tail.
func upperTail(z float64) (log, hazard float64) {
	if z < 30 {
		tail := math.Erfc(z/math.Sqrt2) / 2
		return math.Log(tail), math.Exp(-z*z/2) / (math.Sqrt(2*math.Pi) * tail)
	}
	square := 1 / (z * z)
	series := 1 - square*(1-square*(3-square*(15-square*105)))
	return -z*z/2 - math.Log(z*math.Sqrt(2*math.Pi)/series), z / series
}
