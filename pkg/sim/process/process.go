package process

import (
	"math"
	"math/rand/v2"

	"github.com/swapgate/swapgate/pkg/stats"
)

// Process generates the values of one arm.
type Process struct {
	Marginal Marginal
	// Phi is the AR(1) coefficient, Share the part of the variance of z that follows it.
	Phi, Share float64
	// Shift multiplies every value; 0 stands for 1.
	Shift float64
	// Faulty is the share of requests that are FaultFactor times as long, independent of all else.
	Faulty, FaultFactor float64
}

// Block is n values in the order of time. level multiplies them all: drift and launch effects.
func (p Process) Block(random *rand.Rand, n int, level float64) []float64 {
	values := make([]float64, n)
	correlated, free := math.Sqrt(p.Share), math.Sqrt(1-p.Share)
	innovation := math.Sqrt(1 - p.Phi*p.Phi)
	state := random.NormFloat64()
	scale := level * p.shift()
	for i := range values {
		z := correlated*state + free*random.NormFloat64()
		values[i] = scale * p.Marginal(z)
		if p.Faulty > 0 && random.Float64() < p.Faulty {
			values[i] *= p.FaultFactor
		}
		state = p.Phi*state + innovation*random.NormFloat64()
	}
	return values
}

func (p Process) shift() float64 {
	if p.Shift == 0 {
		return 1
	}
	return p.Shift
}

// Quantile is the true q-quantile at level 1.
func (p Process) Quantile(q float64) float64 {
	if p.Faulty == 0 {
		return p.shift() * p.Marginal(stats.NormalQuantile(q))
	}
	low, high := 0.0, p.shift()*p.Marginal(mostScore)*p.FaultFactor
	for range 200 {
		if x := (low + high) / 2; p.share(x) < q {
			low = x
		} else {
			high = x
		}
	}
	return high
}

// share is the true share of values up to x.
func (p Process) share(x float64) float64 {
	x /= p.shift()
	return (1-p.Faulty)*p.below(x) + p.Faulty*p.below(x/p.FaultFactor)
}

// below is the marginal distribution function.
func (p Process) below(x float64) float64 {
	low, high := -mostScore, mostScore
	for range 60 {
		if z := (low + high) / 2; p.Marginal(z) < x {
			low = z
		} else {
			high = z
		}
	}
	return 1 - above(low)
}
