package sequential

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

const (
	// epochRatio is how much longer each stretch of time is than the one before it, and epochPower how fast the error
	// probability falls from one to the next; the values are those of the papers.
	epochRatio = 2.
	epochPower = 1.4
	// quantileGrid is how finely quantiles are spaced, on the scale of logits.
	quantileGrid = .5
)

// PolyStitching is the polynomial stitched bound on a sum of observations with intrinsic time v: it is exceeded at any v
// with a probability of at most alpha, grows like √(v·ln ln v), and begins at vMin. c is the scale of sub-gamma tails, 0
// for sub-Gaussian ones (Howard et al. 2021, theorem 1 of arXiv 1810.08240).
func PolyStitching(v, alpha, vMin, c float64) float64 {
	if !(v >= 0 && vMin > 0 && alpha > 0 && alpha < 1) || math.IsNaN(c) {
		return math.NaN()
	}
	v = max(v, vMin)
	log := epochPower*math.Log(math.Log(epochRatio*v/vMin)) +
		math.Log(mathext.Zeta(epochPower, 1)/math.Pow(math.Log(epochRatio), epochPower)) - math.Log(alpha)
	return stitched(v, log, c)
}

// stitched is √(k₁²·v·ℓ + k₂²c²ℓ²) + k₂cℓ.
func stitched(v, log, c float64) float64 {
	k1 := (math.Pow(epochRatio, .25) + math.Pow(epochRatio, -.25)) / math.Sqrt2
	k2 := (math.Sqrt(epochRatio) + 1) / 2
	linear := k2 * c * log
	return math.Sqrt(k1*k1*v*log+linear*linear) + linear
}

// DoubleStitching bounds how many more than p·t of t observations are at most their p-quantile, for all quantiles p and all
// times t at once, with an error probability of alpha; it is tightest near tOpt and for p near ½ (Howard and Ramdas 2022,
// theorem 3 of arXiv 1906.09712).
func DoubleStitching(p, t, alpha, tOpt float64) float64 {
	if !(p > 0 && p < 1 && t >= 0 && tOpt >= 1 && alpha > 0 && alpha < 1) {
		return math.NaN()
	}
	t = max(t, tOpt)
	logit := math.Log(p / (1 - p))
	r := p
	if p < .5 {
		r = min(.5, 1/(1+math.Exp(-logit-2*quantileGrid*math.Sqrt(tOpt*epochRatio/t))))
	}
	variance := r * (1 - r)
	place := math.Sqrt(t/tOpt)*math.Abs(logit)/(2*quantileGrid) + 1
	zeta := mathext.Zeta(epochPower, 1)
	log := epochPower*(math.Log(math.Log(epochRatio*t/tOpt))+math.Log(place)) +
		math.Log(2*zeta*(2*zeta+1)/(alpha*math.Pow(math.Log(epochRatio), epochPower)))
	return quantileGrid*math.Sqrt(epochRatio*t*variance/tOpt) + stitched(variance*t, log, (1-2*p)/3)
}
