package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Holm returns p-values adjusted for all of them being looked at (Holm 1979), in the order given. Rejecting where the
// adjusted value is at most α keeps the chance of any false rejection at α.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	highest := 0.0
	for rank, i := range order {
		highest = max(highest, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = highest
	}
	return adjusted
}

// BenjaminiHochberg returns p-values adjusted for the false discovery rate (Benjamini and Hochberg 1995), in the order given:
// the i-th smallest of m becomes the least of m·p₍ⱼ₎/j over j ≥ i. Rejecting where the adjusted value is at most q keeps the
// expected share of false ones among the rejected at q, for independent or positively dependent tests. Use it to explore,
// never to gate. A NaN (a test that could not be done) stays NaN and counts as one that found nothing.
func BenjaminiHochberg(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	counted := func(i int) float64 {
		if math.IsNaN(p[i]) {
			return 1
		}
		return p[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counted(b), counted(a)) })
	adjusted := make([]float64, len(p))
	lowest := 1.0
	for above, i := range order {
		lowest = min(lowest, counted(i)*(float64(len(p))/float64(len(p)-above)))
		adjusted[i] = lowest
		if math.IsNaN(p[i]) {
			adjusted[i] = p[i]
		}
	}
	return adjusted
}

// SampleRatio tests whether counts were split by the expected shares (Pearson's χ², the sample-ratio-mismatch test). A
// category that should be empty and is not gives p = 0. With fewer than two non-empty categories, or no counts, p = 1.
func SampleRatio(counts []int, shares []float64) (chi2, p float64) {
	total := 0
	for _, c := range counts {
		total += c
	}
	categories := 0
	for i, c := range counts {
		expected := shares[i] * float64(total)
		switch {
		case expected > 0:
			categories++
			chi2 += (float64(c) - expected) * (float64(c) - expected) / expected
		case c > 0:
			return math.Inf(1), 0
		}
	}
	if categories < 2 {
		return 0, 1
	}
	return chi2, distuv.ChiSquared{K: float64(categories - 1)}.Survival(chi2)
}

// Heterogeneity tests whether estimates of one quantity agree within their standard errors (Cochran's Q). df is the
// degrees of freedom behind the standard errors: Q/(k−1) is referred to F(k−1, df), which is χ² for df = +Inf. Estimates
// without a positive standard error are left out; fewer than two give p = 1.
func Heterogeneity(estimates, standardErrors []float64, df float64) (q, p float64) {
	var weights, values []float64
	for i, se := range standardErrors {
		if se > 0 {
			weights = append(weights, 1/(se*se))
			values = append(values, estimates[i])
		}
	}
	k := len(values)
	if k < 2 {
		return 0, 1
	}
	mean := 0.0
	for i, w := range weights {
		mean += w * values[i]
	}
	mean /= Sum(weights)
	for i, w := range weights {
		q += w * (values[i] - mean) * (values[i] - mean)
	}
	if math.IsInf(df, 1) {
		return q, distuv.ChiSquared{K: float64(k - 1)}.Survival(q)
	}
	return q, distuv.F{D1: float64(k - 1), D2: df}.Survival(q / float64(k-1))
}
