package fit

import (
	"math/rand/v2"
	"slices"
)

const (
	mixtureStarts = 10
	// trialSize is the number of values, evenly spaced in rank, on which the starts are compared.
	trialSize = 500
	// mixtureStream separates the starts' random numbers from other users of the same seed.
	mixtureStream = 0x6d69782d77656962
)

// thinned are at most trialSize of the logarithms in ascending order, evenly spaced in rank.
func thinned(logs []float64) []float64 {
	sorted := slices.Sorted(slices.Values(logs))
	n := len(sorted)
	if n <= trialSize {
		return sorted
	}
	kept := make([]float64, trialSize)
	for i := range kept {
		kept[i] = sorted[(2*i+1)*n/(2*trialSize)]
	}
	return kept
}

// weibullStarts splits sorted logarithms in two by different rules and fits a Weibull distribution to each part: below and
// above a quantile, which finds components that differ in scale, and inside and outside of the middle, which finds
// components that differ in shape.
func weibullStarts(sorted []float64, seed uint64) []WeibullMixture {
	random := rand.New(rand.NewPCG(seed, mixtureStream))
	n := len(sorted)
	var starts []WeibullMixture
	for i := range mixtureStarts {
		cut := int(float64(n) * (.1 + .8*random.Float64()))
		if i == 0 {
			cut = n / 2
		}
		one, other := sorted[:cut], sorted[cut:]
		if i%3 == 2 {
			edge := (n - cut) / 2
			one, other = sorted[edge:edge+cut], slices.Concat(sorted[:edge], sorted[edge+cut:])
		}
		a, okA := weightedWeibull(one, nil, 0)
		b, okB := weightedWeibull(other, nil, 0)
		if okA && okB {
			starts = append(starts, WeibullMixture{float64(cut) / float64(n), a, b})
		}
	}
	return starts
}
