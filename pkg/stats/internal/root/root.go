// Package root finds where a function of one variable crosses zero. It is pure.
package root

import "math"

const (
	tolerance  = 0x1p-52
	iterations = 200
)

// Find returns a zero of f between low and high, to the precision of a float64 (Brent 1973, Algorithms for Minimization
// without Derivatives, chapter 4). ok is false unless f has opposite signs at the two ends; a zero at an end counts.
func Find(f func(float64) float64, low, high float64) (x float64, ok bool) {
	s := search{a: low, fa: f(low), b: high, fb: f(high)}
	if !(s.fa <= 0 && s.fb >= 0 || s.fa >= 0 && s.fb <= 0) {
		return math.NaN(), false
	}
	s.forget()
	for range iterations {
		s.order()
		half := (s.c - s.b) / 2
		least := 2*tolerance*math.Abs(s.b) + math.SmallestNonzeroFloat64
		if s.fb == 0 || math.Abs(half) <= least {
			break
		}
		s.advance(half, least)
		s.fb = f(s.b)
		if (s.fb > 0) == (s.fc > 0) {
			s.forget()
		}
	}
	return s.b, !math.IsNaN(s.fb)
}

// search is the state of Brent's method: b is the best guess, a the one before, and the zero lies between b and c.
type search struct {
	a, b, c    float64
	fa, fb, fc float64
	step, last float64
}

// forget makes the zero lie between the last two guesses.
func (s *search) forget() {
	s.c, s.fc = s.a, s.fa
	s.step = s.b - s.a
	s.last = s.step
}

// order makes b the better end.
func (s *search) order() {
	if math.Abs(s.fc) < math.Abs(s.fb) {
		s.a, s.b, s.c = s.b, s.c, s.b
		s.fa, s.fb, s.fc = s.fb, s.fc, s.fb
	}
}

// advance moves b by interpolation where that is trusted, and by halving elsewhere.
func (s *search) advance(half, least float64) {
	if math.Abs(s.last) < least || math.Abs(s.fa) <= math.Abs(s.fb) {
		s.last, s.step = half, half
	} else {
		s.interpolate(half, least)
	}
	s.a, s.fa = s.b, s.fb
	if math.Abs(s.step) > least {
		s.b += s.step
	} else {
		s.b += math.Copysign(least, half)
	}
}

func (s *search) interpolate(half, least float64) {
	p, q := s.secant(half)
	if p > 0 {
		q = -q
	}
	p = math.Abs(p)
	if 2*p < math.Min(3*half*q-math.Abs(least*q), math.Abs(s.last*q)) {
		s.last, s.step = s.step, p/q
		return
	}
	s.last, s.step = half, half
}

// secant is a step p/q: linear with two points, inverse quadratic with three.
func (s *search) secant(half float64) (p, q float64) {
	ratio := s.fb / s.fa
	if s.a == s.c {
		return 2 * half * ratio, 1 - ratio
	}
	toC, fromC := s.fa/s.fc, s.fb/s.fc
	p = ratio * (2*half*toC*(toC-fromC) - (s.b-s.a)*(fromC-1))
	return p, (toC - 1) * (fromC - 1) * (ratio - 1)
}
