package hypothesis

import "math"

// KolmogorovSurvival is the limit probability that √n·D exceeds λ (Kolmogorov 1933),
//
//	Q(λ) = 2 Σ_{k≥1} (−1)^{k−1} e^{−2k²λ²} = 1 − √(2π)/λ · Σ_{k≥1} e^{−(2k−1)²π²/(8λ²)},
//
// by the first form for large λ and the second for small. It is 1 for λ ≤ 0 and NaN for NaN.
func KolmogorovSurvival(lambda float64) float64 {
	switch {
	case math.IsNaN(lambda):
		return lambda
	case lambda <= 0:
		return 1
	case lambda < 1:
		return 1 - kolmogorovBelow(lambda)
	}
	sum, sign := 0.0, 1.0
	for k := 1.0; ; k++ {
		term := math.Exp(-2 * k * k * lambda * lambda)
		sum += sign * term
		if term <= 1e-17*sum {
			return 2 * sum
		}
		sign = -sign
	}
}

func kolmogorovBelow(lambda float64) float64 {
	sum := 0.0
	for k := 1.0; ; k += 2 {
		term := math.Exp(-k * k * math.Pi * math.Pi / (8 * lambda * lambda))
		sum += term
		if term <= 1e-17*sum {
			return math.Sqrt(2*math.Pi) / lambda * sum
		}
	}
}
