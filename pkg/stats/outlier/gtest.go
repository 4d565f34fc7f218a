package outlier

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/swapgate/swapgate/pkg/stats"
)

// Periodicity is the strongest period of a series.
type Periodicity struct {
	// Period is in steps of the series. Cycles is how often it fits in; a period that fits in once or twice is rather a drift.
	Period float64
	Cycles int
	// G is its share of the variance, as the periodogram divides it up.
	G float64
	// P is the chance of so large a G in white noise.
	P float64
}

// GTest is Fisher's exact test for a hidden period (Fisher 1929) in values at equal distances of time. Its null hypothesis is
// normal white noise: a drift or correlated values give a small P at a long period. ok is false for fewer than 5 values, for
// values that are constant, and where one is not finite.
func GTest(series []float64) (found Periodicity, ok bool) {
	const fewest = 5
	if len(series) < fewest || checkFinite(series) != nil {
		return Periodicity{}, false
	}
	centred, ok := centre(series)
	if !ok {
		return Periodicity{}, false
	}
	coefficients := fourier.NewFFT(len(centred)).Coefficients(nil, centred)
	total, most := 0.0, 0.0
	frequencies := (len(series) - 1) / 2
	for k := 1; k <= frequencies; k++ {
		power := real(coefficients[k])*real(coefficients[k]) + imag(coefficients[k])*imag(coefficients[k])
		total += power
		if power > most {
			most, found.Cycles = power, k
		}
	}
	if !(total > 0) {
		return Periodicity{}, false
	}
	found.Period = float64(len(series)) / float64(found.Cycles)
	found.G = most / total
	found.P = gSurvival(found.G, frequencies)
	return found, true
}

// centre takes the mean away and makes the largest deviation 1. ok is false where there are deviations of rounding only.
func centre(series []float64) (centred []float64, ok bool) {
	const rounding = 1e-12
	mean := stats.Mean(series)
	size, deviation := 0.0, 0.0
	for _, v := range series {
		size, deviation = max(size, math.Abs(v)), max(deviation, math.Abs(v-mean))
	}
	if !(deviation > rounding*size) || math.IsInf(deviation, 1) {
		return nil, false
	}
	centred = make([]float64, len(series))
	for i, v := range series {
		centred[i] = (v - mean) / deviation
	}
	return centred, true
}

// gSurvival is the chance that the largest of m shares is at least g: Σ(−1)ʲ⁻¹·C(m,j)·(1−jg)ᵐ⁻¹ over j up to 1/g. Where the
// first term is large, the sum would be lost to rounding and is 1 for all purposes.
func gSurvival(g float64, m int) float64 {
	const large = 20
	sum, sign := 0.0, 1.0
	logChoose := 0.0
	for j := 1; j <= m && float64(j)*g < 1; j++ {
		logChoose += math.Log(float64(m-j+1) / float64(j))
		term := math.Exp(logChoose + float64(m-1)*math.Log1p(-float64(j)*g))
		if j == 1 && term > large {
			return 1
		}
		sum += sign * term
		sign = -sign
	}
	return min(1, max(0, sum))
}
