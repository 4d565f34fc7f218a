package process

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Marginal is a distribution of latencies in ms: the value at a standard normal score, increasing.
type Marginal func(z float64) float64

// mostScore keeps Φ(z) away from 1, where a quantile is infinite.
const mostScore = 7.0

// LogNormal has the median given and σ on the log scale.
func LogNormal(median, sigma float64) Marginal {
	return func(z float64) float64 { return median * math.Exp(sigma*z) }
}

// Weibull with a shape below 1 has a heavier tail than an exponential distribution.
func Weibull(scale, shape float64) Marginal {
	return func(z float64) float64 { return scale * math.Pow(-math.Log(above(z)), 1/shape) }
}

// Pareto of the second kind (Lomax), moved to begin at least: a power law in the tail, as queues under bursts show.
func Pareto(least, scale, tail float64) Marginal {
	return func(z float64) float64 { return least + scale*(math.Pow(above(z), -1/tail)-1) }
}

// Bimodal is a fast mode of log-normal values and, for the share slow of requests, a mode factor times as long: cold
// starts, preemptions or a second replica. The modes meet without overlap.
func Bimodal(median, sigma, slow, factor float64) Marginal {
	fast, late := LogNormal(median, sigma), LogNormal(median*factor, sigma)
	return func(z float64) float64 {
		p := 1 - above(z)
		if p < 1-slow {
			return fast(distuv.UnitNormal.Quantile(p / (1 - slow)))
		}
		return max(fast(mostScore), late(distuv.UnitNormal.Quantile((p-(1-slow))/slow)))
	}
}

// above is 1−Φ(z).
func above(z float64) float64 { return math.Erfc(min(z, mostScore)/math.Sqrt2) / 2 }
