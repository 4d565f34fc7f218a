package stats

import "math"

// BlockLength is how many successive values a block of a bootstrap should hold so that the variance of a mean is estimated
// with the least mean squared error. Both are at least 1.
type BlockLength struct {
	// Stationary is the expected length for the stationary bootstrap, whose blocks have random lengths.
	Stationary float64
	// Circular is the length for the circular bootstrap, and for the moving-block one.
	Circular float64
}

// OptimalBlockLength is the automatic choice of Politis and White (2004) with the correction of Patton, Politis and White
// (2009): b = (2Ĝ²/D̂)^⅓·N^⅓, where
//
//	Ĝ = Σ_k λ(k/M)·|k|·ρ(k),  ĝ = Σ_k λ(k/M)·ρ(k),  D̂ = 4/3·ĝ² (circular) or 2·ĝ² (stationary),
//
// λ is the flat-top kernel and M twice the lag after which correlations are insignificant. It is at most min(3√N, N/3). For a
// long AR(1) the circular length tends to (1.5·(2φ/(1−φ²))²)^⅓·N^⅓: 22 for φ = 0.5 and 81 for φ = 0.9 at N = 4000.
//
// ok is false for fewer than nine values, a series that does not vary, or a value that is not finite.
func OptimalBlockLength(series []float64) (length BlockLength, ok bool) {
	s, ok := estimateSpectrum(series)
	if !ok {
		return BlockLength{}, false
	}
	n := float64(len(series))
	longest := math.Ceil(min(3*math.Sqrt(n), n/3))
	at := func(d float64) float64 {
		if s.slope == 0 {
			return 1
		}
		ratio := s.slope / s.atZero
		return min(max(1, math.Cbrt(2/d*ratio*ratio*n)), longest)
	}
	return BlockLength{Stationary: at(2), Circular: at(4. / 3)}, true
}

// spectrum is what a flat-top kernel makes of the autocorrelations of a series.
type spectrum struct {
	// atZero is Σλρ(k): the long-run variance over the variance.
	atZero float64
	// slope is Σλ|k|ρ(k).
	slope float64
}

func estimateSpectrum(series []float64) (spectrum, bool) {
	n := float64(len(series))
	highest := int(math.Ceil(math.Sqrt(n))) + quietLags
	rho, ok := Autocorrelation(series, highest)
	if !ok {
		return spectrum{}, false
	}
	cut := min(2*lastSignificantLag(rho, n), highest)
	s := spectrum{atZero: 1}
	for k := 1; k <= cut; k++ {
		weighted := 2 * flatTop(float64(k)/float64(cut)) * rho[k]
		s.atZero += weighted
		s.slope += float64(k) * weighted
	}
	return s, true
}

// quietLags is how many insignificant correlations in a row end the search for significant ones: max(5, √log₁₀N).
const quietLags = 5

// lastSignificantLag is the smallest lag after which quietLags successive correlations are all below 1.96·√(log₁₀N/N), or
// else the last one that is not (Politis and White 2004, footnote c).
func lastSignificantLag(rho []float64, n float64) int {
	limit := 1.959963984540054 * math.Sqrt(math.Log10(n)/n)
	last := 0
	for k := 1; k < len(rho) && k <= last+quietLags; k++ {
		if math.Abs(rho[k]) >= limit {
			last = k
		}
	}
	return last
}

// flatTop is 1 up to one half and falls to 0 at 1 (Politis and Romano 1995).
func flatTop(share float64) float64 { return min(1, 2*(1-share)) }
