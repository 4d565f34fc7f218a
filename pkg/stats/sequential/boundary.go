package sequential

import (
	"errors"
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/stats/internal/root"
)

const (
	// leastSpent is the smallest error probability that a look is given; what is less is left to the next one. The normal
	// approximation says nothing so far out.
	leastSpent = 1e-14
	// farthest is further than any boundary is.
	farthest = 10.
)

// ErrLooks says that looks cannot be planned as asked.
var ErrLooks = errors.New("looks cannot be planned")

// Boundary is what the z-statistics of planned looks are held against. The z-statistic at the information fraction t is a
// Brownian motion at t over √t.
type Boundary struct {
	// Fractions of the planned information that have been seen at each look, ascending, at most 1.
	Fractions []float64
	// Upper is what z must reach to stop at a look; +Inf where it cannot.
	Upper []float64
	// Lower is what z must fall to, to stop at a look. It is nil for a one-sided boundary.
	Lower []float64
}

// SpendAlpha is the one-sided upper boundary that spends alpha over looks at the given information fractions. A look's
// boundary depends on the looks up to it only, so fractions may be added as they become known.
func SpendAlpha(alpha float64, fractions []float64, spending Spending) (Boundary, error) {
	if err := checkLooks(alpha, fractions); err != nil {
		return Boundary{}, err
	}
	b := Boundary{Fractions: fractions, Upper: make([]float64, len(fractions))}
	w, spent := startWalk(0), 0.0
	for k, t := range fractions {
		b.Upper[k] = math.Inf(1)
		if now := min(spending(alpha, t), alpha); now-spent >= leastSpent {
			allowed := now - spent
			z, ok := root.Find(func(z float64) float64 { return w.above(z*math.Sqrt(t), t) - allowed }, -farthest, farthest)
			if !ok {
				return Boundary{}, fmt.Errorf("%w: look %d cannot spend %g", ErrLooks, k+1, allowed)
			}
			b.Upper[k], spent = z, now
		}
		w = w.proceed(math.Inf(-1), b.Upper[k]*math.Sqrt(t), t, b.following(k))
	}
	return b, nil
}

// OBrienFleming is the two-sided boundary c·√(K/k) for K equally spaced looks, with an error probability of alpha
// (O'Brien and Fleming 1979). c is the last of Upper.
func OBrienFleming(alpha float64, looks int) (Boundary, error) {
	return constant(alpha, looks, func(t float64) float64 { return 1 / math.Sqrt(t) })
}

// Pocock is the two-sided boundary that is the same at all of K equally spaced looks (Pocock 1977).
func Pocock(alpha float64, looks int) (Boundary, error) {
	return constant(alpha, looks, func(float64) float64 { return 1 })
}

// constant finds the multiple of a shape at which the error probability is alpha.
func constant(alpha float64, looks int, shape func(t float64) float64) (Boundary, error) {
	if looks < 1 {
		return Boundary{}, fmt.Errorf("%w: %d looks", ErrLooks, looks)
	}
	fractions := make([]float64, looks)
	for k := range fractions {
		fractions[k] = float64(k+1) / float64(looks)
	}
	if err := checkLooks(alpha, fractions); err != nil {
		return Boundary{}, err
	}
	at := func(c float64) Boundary {
		b := Boundary{fractions, make([]float64, looks), make([]float64, looks)}
		for k, t := range fractions {
			b.Upper[k] = c * shape(t)
			b.Lower[k] = -b.Upper[k]
		}
		return b
	}
	c, ok := root.Find(func(c float64) float64 { return at(c).total() - alpha }, 0, farthest)
	if !ok {
		return Boundary{}, fmt.Errorf("%w: no boundary has the error probability %g", ErrLooks, alpha)
	}
	return at(c), nil
}

// Crossing is the probability of stopping at each look, above and below, when the z-statistic at the information fraction t
// has the mean drift·√t. Without drift, the sum of upper is the error probability; with it, the power.
func (b Boundary) Crossing(drift float64) (upper, lower []float64, err error) {
	if err := b.check(drift); err != nil {
		return nil, nil, err
	}
	upper, lower = b.crossing(drift)
	return upper, lower, nil
}

func (b Boundary) crossing(drift float64) (upper, lower []float64) {
	upper, lower = make([]float64, len(b.Fractions)), make([]float64, len(b.Fractions))
	w := startWalk(drift)
	for k, t := range b.Fractions {
		low, high := math.Inf(-1), b.Upper[k]*math.Sqrt(t)
		if b.Lower != nil {
			low = b.Lower[k] * math.Sqrt(t)
		}
		upper[k], lower[k] = w.above(high, t), w.below(low, t)
		w = w.proceed(low, high, t, b.following(k))
	}
	return upper, lower
}

func (b Boundary) total() float64 {
	total := 0.0
	upper, lower := b.crossing(0)
	for k := range upper {
		total += upper[k] + lower[k]
	}
	return total
}

// following is the fraction of the look after look k, or 0.
func (b Boundary) following(k int) float64 {
	if k+1 == len(b.Fractions) {
		return 0
	}
	return b.Fractions[k+1]
}

func (b Boundary) check(drift float64) error {
	if math.IsNaN(drift) || math.IsInf(drift, 0) {
		return fmt.Errorf("%w: the drift is %g", ErrLooks, drift)
	}
	if len(b.Upper) != len(b.Fractions) || b.Lower != nil && len(b.Lower) != len(b.Fractions) {
		return fmt.Errorf("%w: %d fractions, %d upper and %d lower boundaries", ErrLooks, len(b.Fractions), len(b.Upper), len(b.Lower))
	}
	for k := range b.Fractions {
		if math.IsNaN(b.Upper[k]) || b.Lower != nil && !(b.Lower[k] <= b.Upper[k]) {
			return fmt.Errorf("%w: look %d has no boundary, or a lower one above the upper", ErrLooks, k+1)
		}
	}
	return checkFractions(b.Fractions)
}

func checkLooks(alpha float64, fractions []float64) error {
	if !(alpha > 0 && alpha < .5) {
		return fmt.Errorf("%w: the error probability is %g, not between 0 and 0.5", ErrLooks, alpha)
	}
	return checkFractions(fractions)
}

func checkFractions(fractions []float64) error {
	if len(fractions) == 0 {
		return fmt.Errorf("%w: there are none", ErrLooks)
	}
	before := 0.0
	for k, t := range fractions {
		if !(t-before >= leastIncrement*t && t > 0 && t <= 1) {
			return fmt.Errorf("%w: look %d is at the fraction %g after %g; fractions must ascend to at most 1", ErrLooks, k+1, t, before)
		}
		before = t
	}
	return nil
}
