package sequential

import "math"

// MixtureSPRT is the mixture sequential probability-ratio test of "two arms have equal means" against a difference that is
// normal with mean 0 and variance Tau2 (Johari, Pekelis and Walsh 2022, Always valid inference).
type MixtureSPRT struct {
	// Variance of the difference of two single observations, one from each arm: 2σ² when both have the variance σ².
	Variance float64
	// Tau2 is the variance of the differences that are looked for. It sets where the test is strongest, not its error.
	Tau2 float64
}

// LogRatio is the logarithm of the likelihood ratio after n observations of each arm whose means differ by difference:
// Λ = √(V/(V+nτ²))·exp(n²τ²d²/(2V(V+nτ²))).
func (m MixtureSPRT) LogRatio(n int, difference float64) float64 {
	if !m.valid(n) {
		return math.NaN()
	}
	spread := float64(n) * m.Tau2 / m.Variance
	return float64(n)*difference*difference/(2*m.Variance)*spread/(1+spread) - math.Log1p(spread)/2
}

// P is the always-valid p-value of "the difference is 0", 1/Λ but at most 1. The smallest of all that were computed so far
// is valid too.
func (m MixtureSPRT) P(n int, difference float64) float64 {
	return math.Exp(-math.Max(0, m.LogRatio(n, difference)))
}

// Critical is the smallest difference, in size, with a P of at most alpha after n observations of each arm; +Inf for none.
// A difference ± Critical is a confidence sequence for the difference.
func (m MixtureSPRT) Critical(n int, alpha float64) float64 {
	if !m.valid(n) || !(alpha > 0 && alpha < 1) {
		return math.NaN()
	}
	size := float64(n)
	spread := size * m.Tau2 / m.Variance
	return math.Sqrt(2 * m.Variance / size * (1 + spread) / spread * (math.Log1p(spread)/2 - math.Log(alpha)))
}

func (m MixtureSPRT) valid(n int) bool {
	return m.Variance > 0 && m.Tau2 > 0 && !math.IsInf(m.Variance+m.Tau2, 1) && n >= 0
}
