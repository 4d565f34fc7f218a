package fit

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

const (
	// quadraturePoints integrate a normal density over 24 standard deviations to the precision of a float64.
	quadraturePoints = 128
	// negligible is the squared distance from the peak, in standard deviations, beyond which a density counts as 0.
	negligible = 144.
)

// cutNormal is a normal distribution on low..high; mean and variance are those before it is cut. The mean may be far
// outside, where probabilities underflow but moments do not.
type cutNormal struct{ mean, variance, low, high float64 }

// peak is where the density is largest.
func (c cutNormal) peak() float64 { return min(max(c.mean, c.low), c.high) }

// peakDistance is the squared distance from the mean to the peak, in standard deviations.
func (c cutNormal) peakDistance() float64 {
	d := c.peak() - c.mean
	return d * d / c.variance
}

// logKernel is the logarithm of the density over that at the peak.
func (c cutNormal) logKernel(y float64) float64 {
	peak := c.peak()
	return -(y - peak) * (y + peak - 2*c.mean) / (2 * c.variance)
}

// moments are ∫yᵏ·kernel(y)dy over from..to, k = 0…4.
func (c cutNormal) moments(from, to float64) (m [5]float64) {
	reach := math.Sqrt(c.variance * (c.peakDistance() + negligible))
	from, to = max(from, c.mean-reach), min(to, c.mean+reach)
	if !(from < to) {
		return m
	}
	var nodes, weights [quadraturePoints]float64
	quad.Legendre{}.FixedLocations(nodes[:], weights[:], from, to)
	for i, y := range nodes {
		term := weights[i] * math.Exp(c.logKernel(y))
		for k := range m {
			m[k] += term
			term *= y
		}
	}
	return m
}

// matchMoments finds the normal distribution that has the mean 0 and the variance 1 once it is cut to low..high, by damped
// Newton steps in the natural parameters μ/σ² and −1/2σ², in which the likelihood is concave.
func matchMoments(low, high float64) (cutNormal, error) {
	c := cutNormal{mean: 0, variance: 1, low: low, high: high}
	off := math.Inf(1)
	for range newtonSteps {
		m := c.moments(low, high)
		for k := 4; k >= 0; k-- {
			m[k] /= m[0]
		}
		off1, off2 := -m[1], 1-m[2]
		if off = math.Abs(off1) + math.Abs(off2); off < solved {
			break
		}
		v11, v12, v22 := m[2]-m[1]*m[1], m[3]-m[1]*m[2], m[4]-m[2]*m[2]
		det := v11*v22 - v12*v12
		next, ok := c.uphill((v22*off1-v12*off2)/det, (v11*off2-v12*off1)/det)
		if !ok {
			break
		}
		c = next
	}
	if !(off < nearlySolved) {
		return c, fmt.Errorf("%w: the moments cannot be matched", ErrNotConverged)
	}
	return c, nil
}

// uphill takes the largest of the halved steps that does not lower the likelihood.
func (c cutNormal) uphill(step1, step2 float64) (cutNormal, bool) {
	here := c.height() - slack
	eta1, eta2 := c.mean/c.variance, -1/(2*c.variance)
	for range halvings {
		if second := eta2 + step2; second < 0 {
			next := c
			next.variance = -1 / (2 * second)
			next.mean = (eta1 + step1) * next.variance
			if next.height() >= here {
				return next, true
			}
		}
		step1, step2 = step1/2, step2/2
	}
	return c, false
}

// height is the mean log-likelihood of values with mean 0 and variance 1.
func (c cutNormal) height() float64 {
	return -((1+c.mean*c.mean)/c.variance-c.peakDistance())/2 - math.Log(c.moments(c.low, c.high)[0])
}
