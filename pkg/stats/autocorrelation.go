package stats

import (
	"math"
	"slices"
)

// Autocorrelation returns the sample autocorrelations of a series at the lags 0 to maxLag,
//
//	ρ(k) = Σ_{t<N−k} (x_t−x̄)(x_{t+k}−x̄) / Σ_t (x_t−x̄)²,
//
// the form whose spectrum is never negative (Brockwell and Davis 1991, 7.2). ok is false for fewer than two values, a maxLag
// that is negative or not below their number, a series that does not vary, or a value that is not finite. It takes
// O(N·maxLag).
func Autocorrelation(series []float64, maxLag int) (rho []float64, ok bool) {
	centred, squares := centre(series)
	if !(squares > 0) || math.IsInf(squares, 1) || maxLag < 0 || maxLag >= len(series) {
		return nil, false
	}
	rho = make([]float64, maxLag+1)
	for k := range rho {
		sum := 0.0
		for t, later := range centred[k:] {
			sum += centred[t] * later
		}
		rho[k] = sum / squares
	}
	return rho, true
}

// centre returns the deviations from the mean and the sum of their squares, which is 0 for a series that does not vary and
// NaN where a value is not finite.
func centre(series []float64) (deviations []float64, squares float64) {
	if len(series) == 0 || slices.Min(series) == slices.Max(series) {
		return nil, 0
	}
	mean := Mean(series)
	deviations = make([]float64, len(series))
	for i, v := range series {
		deviations[i] = v - mean
		squares += deviations[i] * deviations[i]
	}
	return deviations, squares
}

// VarianceInflation estimates by how much the dependence in a series inflates the variance of its mean over that of as many
// independent values (the statistical inefficiency, 1+2Σρ(k)): the long-run variance by the flat-top kernel of Politis and
// Romano (1995), cut off where Politis and White (2004) find no more correlation, over the variance. N divided by it is the
// effective number of values. For a share or a quantile, give it the indicator that a value lies above.
//
// It is exactly 1 for a series without significant correlation, 3 for a long AR(1) with φ = 0.5 and 19 with φ = 0.9, and
// below 1 where values alternate. ok is false where Autocorrelation is not, for fewer than nine values, and where the
// estimate is not positive, as of a series that only alternates.
func VarianceInflation(series []float64) (vif float64, ok bool) {
	s, ok := estimateSpectrum(series)
	if !ok || !(s.atZero > 0) {
		return 0, false
	}
	return s.atZero, true
}
