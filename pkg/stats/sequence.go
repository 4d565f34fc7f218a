package stats

import "math"

// ConfidenceSequence bounds a mean at every sample size at once, so it may be looked at after every block without
// raising the chance of a false alarm above Alpha (asymptotic confidence sequence of Waudby-Smith et al.,
// arXiv 2103.06476). It is tightest near Horizon samples and needs at least about 8 to be trusted.
type ConfidenceSequence struct {
	Alpha   float64
	Horizon float64
}

// OneSided is the half-width of the lower (or the upper) bound after n samples of the given variance.
func (c ConfidenceSequence) OneSided(variance float64, n int) float64 {
	spread, root := c.spread(2*c.Alpha, variance, n)
	return math.Sqrt(spread * math.Log1p(root/(2*c.Alpha)))
}

// TwoSided is the half-width of the interval after n samples of the given variance.
func (c ConfidenceSequence) TwoSided(variance float64, n int) float64 {
	spread, root := c.spread(c.Alpha, variance, n)
	return math.Sqrt(spread * math.Log(root/c.Alpha))
}

// spread returns s²·2(nρ²+1)/(n²ρ²) and √(nρ²+1), with ρ² chosen for the horizon.
func (c ConfidenceSequence) spread(alpha, variance float64, n int) (spread, root float64) {
	rho2 := (-2*math.Log(alpha) + math.Log(1-2*math.Log(alpha))) / c.Horizon
	size := float64(n)
	growth := size*rho2 + 1
	return variance * 2 * growth / (size * size * rho2), math.Sqrt(growth)
}

// P is the always-valid p-value of "the mean is above 0" after n samples with the given mean and variance: the smallest
// level at which OneSided would clear 0, the sequence being tuned to Alpha. The smallest of all that were computed so far
// is valid too.
func (c ConfidenceSequence) P(mean, variance float64, n int) float64 {
	if !(mean > 0) {
		return 1
	}
	spread, root := c.spread(2*c.Alpha, variance, n)
	return min(1, root/2/math.Expm1(mean*mean/spread))
}
