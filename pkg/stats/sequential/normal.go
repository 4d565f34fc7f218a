package sequential

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats/internal/root"
)

// Sides says which deviations a bound is for.
type Sides bool

// A one-sided bound holds against large sums only, a two-sided one against small ones too.
const (
	OneSided Sides = false
	TwoSided Sides = true
)

// valid says that an error probability leaves room for a bound: one-sided ones are tuned at twice theirs.
func (s Sides) valid(alpha float64) bool { return alpha > 0 && (alpha < .5 || bool(s) && alpha < 1) }

// NormalMixture bounds a sum S of centred observations whose variances add up to v, or which are sub-Gaussian with variance
// factors that do, at all v at once: exp of LogWealth is a supermartingale that starts at 1 or less (Howard, Ramdas,
// McAuliffe and Sekhon 2021, sections 3.4 and 3.5 of arXiv 1810.08240).
type NormalMixture struct {
	Sides Sides
	// Rho is the intrinsic time at which the mixture is concentrated; see BestRho.
	Rho float64
}

// NewNormalMixture is the mixture with the tightest bound at the intrinsic time v and the error probability alpha.
func NewNormalMixture(sides Sides, v, alpha float64) NormalMixture {
	return NormalMixture{sides, BestRho(sides, v, alpha)}
}

// BestRho is v/(2·ln(1/α)+ln(1+2·ln(1/α))), with 2α for α when one-sided.
func BestRho(sides Sides, v, alpha float64) float64 {
	if !sides.valid(alpha) || !(v > 0) {
		return math.NaN()
	}
	if sides == OneSided {
		alpha *= 2
	}
	double := -2 * math.Log(alpha)
	return v / (double + math.Log1p(double))
}

// LogWealth is the logarithm of the supermartingale when the sum is s at the intrinsic time v. 1 over its exponential is an
// always-valid p-value.
func (m NormalMixture) LogWealth(s, v float64) float64 {
	if !(v >= 0 && m.Rho > 0) {
		return math.NaN()
	}
	width := v + m.Rho
	two := math.Log(m.Rho/width)/2 + s*s/(2*width)
	if m.Sides == TwoSided {
		return two
	}
	return two + math.Ln2 + logNormalCDF(s/math.Sqrt(width))
}

// logNormalCDF is the logarithm of Φ(z); far below 0 it uses the asymptotic series.
func logNormalCDF(z float64) float64 {
	if z > -30 {
		return math.Log(math.Erfc(-z/math.Sqrt2) / 2)
	}
	inverse := 1 / (z * z)
	return -z*z/2 - math.Log(-z*math.Sqrt(2*math.Pi)) + math.Log1p(-inverse*(1-3*inverse*(1-5*inverse)))
}

// Bound is what the sum exceeds (in size, when two-sided) at any intrinsic time v with a probability of at most alpha.
func (m NormalMixture) Bound(v, alpha float64) float64 {
	if !(v >= 0 && m.Rho > 0 && alpha > 0 && alpha < 1) {
		return math.NaN()
	}
	// Two-sided, the bound is closed; one-sided, it is below that for the same alpha, because Φ ≥ ½ for what is bounded.
	closed := math.Sqrt((v + m.Rho) * (math.Log1p(v/m.Rho) - 2*math.Log(alpha)))
	if m.Sides == TwoSided {
		return closed
	}
	bound, ok := root.Find(func(s float64) float64 { return m.LogWealth(s, v) + math.Log(alpha) }, -closed, closed)
	if !ok {
		return math.NaN()
	}
	return bound
}
