package sequential

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Spending is how much of a one-sided error probability alpha may be spent once the fraction t of the planned information
// has been seen, 0 < t ≤ 1: increasing in t, and alpha at t = 1 (Lan and DeMets 1983).
type Spending func(alpha, t float64) float64

// OBrienFlemingSpending is 2·(1−Φ(z/√t)) with z the (1−α/2)-quantile of the normal distribution: next to nothing early on.
func OBrienFlemingSpending(alpha, t float64) float64 {
	return math.Erfc(distuv.UnitNormal.Quantile(1-alpha/2) / math.Sqrt(2*t))
}

// PocockSpending is α·ln(1+(e−1)t): about as much at each look.
func PocockSpending(alpha, t float64) float64 { return alpha * math.Log1p((math.E-1)*t) }
