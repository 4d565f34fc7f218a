package fit

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/swapgate/swapgate/pkg/stats"
)

// LogNormal is a log-normal distribution with its density and probabilities.
type LogNormal struct{ stats.LogNormal }

var _ Distribution = LogNormal{}

func (d LogNormal) standard() distuv.LogNormal { return distuv.LogNormal{Mu: d.Mu, Sigma: d.Sigma} }

// LogDensity is the logarithm of the density at x.
func (d LogNormal) LogDensity(x float64) float64 {
	if !(x > 0) {
		return math.Inf(-1)
	}
	return d.standard().LogProb(x)
}

// CDF is the probability of a value of at most x.
func (d LogNormal) CDF(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return d.standard().CDF(x)
}
