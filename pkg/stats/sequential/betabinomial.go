package sequential

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/swapgate/swapgate/pkg/stats/internal/root"
)

const (
	// leastPrior is the least that the mixture's r may be, as a multiple of g·h.
	leastPrior        = 1e-3
	fractionSteps     = 10000
	fractionTolerance = 1e-15
)

// BetaBinomial bounds a sum S of centred observations, each within −G..H (in size), whose variances as two-point variables
// on these ends, G·H each, add up to v: counts of successes of probability p have G = p and H = 1−p. It holds at all v at
// once and is exact for Bernoulli variables (Howard et al. 2021, proposition 7 of arXiv 1810.08240).
type BetaBinomial struct {
	Sides Sides
	G, H  float64
	// R is the concentration of the mixture; see NewBetaBinomial.
	R float64
}

// NewBetaBinomial is the mixture that is tightest near the intrinsic time v and the error probability alpha.
func NewBetaBinomial(sides Sides, g, h, v, alpha float64) BetaBinomial {
	return BetaBinomial{sides, g, h, max(BestRho(sides, v, alpha)-g*h, leastPrior*g*h)}
}

// Most is the largest sum that there can be at the intrinsic time v.
func (m BetaBinomial) Most(v float64) float64 { return v / m.G }

// LogWealth is the logarithm of the supermartingale when the sum is s at the intrinsic time v. 1 over its exponential is an
// always-valid p-value. It is NaN for a sum that cannot be.
func (m BetaBinomial) LogWealth(s, v float64) float64 {
	g, h, r := m.G, m.H, m.R
	if !(g > 0 && h > 0 && r > 0 && v >= 0 && s*g <= v*(1+1e-12) && -s*h <= v*(1+1e-12)) {
		return math.NaN()
	}
	both := g + h
	return v/(g*h)*math.Log(both) - (v+h*s)/(h*both)*math.Log(g) - (v-g*s)/(g*both)*math.Log(h) +
		m.logBeta((r+v-g*s)/(g*both), (r+v+h*s)/(h*both)) - m.logBeta(r/(g*both), r/(h*both))
}

// logBeta is the logarithm of the beta function, incomplete when one-sided.
func (m BetaBinomial) logBeta(a, b float64) float64 {
	if m.Sides == TwoSided {
		return mathext.Lbeta(a, b)
	}
	return mathext.Lbeta(a, b) + logRegularizedBeta(a, b, m.H/(m.G+m.H))
}

// Bound is what the sum exceeds at any intrinsic time v with a probability of at most alpha. It is +Inf where even Most
// would not be evidence.
func (m BetaBinomial) Bound(v, alpha float64) float64 {
	if !(alpha > 0 && alpha < 1) || math.IsNaN(m.LogWealth(0, v)) {
		return math.NaN()
	}
	excess := func(s float64) float64 { return m.LogWealth(s, v) + math.Log(alpha) }
	most := m.Most(v)
	if !(excess(most) > 0) {
		return math.Inf(1)
	}
	bound, ok := root.Find(excess, 0, most)
	if !ok {
		return math.NaN()
	}
	return bound
}

// logRegularizedBeta is ln I_x(a,b), also where I underflows: by the continued fraction of DiDonato and Morris 1992 where
// that converges fast, and by symmetry elsewhere.
func logRegularizedBeta(a, b, x float64) float64 {
	if x > (a+1)/(a+b+2) {
		return math.Log1p(-math.Exp(logBetaFraction(b, a, 1-x)))
	}
	return logBetaFraction(a, b, x)
}

// logBetaFraction is evaluated by Lentz's method.
func logBetaFraction(a, b, x float64) float64 {
	d := 1 / (1 - (a+b)*x/(a+1))
	c, value := 1., d
	for m := 1.; m <= fractionSteps; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d = 1 / (1 + even*d)
		c = 1 + even/c
		value *= d * c
		d = 1 / (1 + odd*d)
		c = 1 + odd/c
		value *= d * c
		if math.Abs(d*c-1) < fractionTolerance {
			break
		}
	}
	return a*math.Log(x) + b*math.Log1p(-x) - mathext.Lbeta(a, b) - math.Log(a) + math.Log(value)
}
