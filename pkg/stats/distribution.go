package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// NormalQuantile is the p-quantile of the standard normal distribution.
func NormalQuantile(p float64) float64 { return distuv.UnitNormal.Quantile(p) }

// asNormal are the degrees of freedom from which Student's t is taken for the normal distribution: their quantiles differ by less
// than 1e-7 there, and the incomplete beta function loses digits beyond.
const asNormal = 1e8

// TQuantile is the p-quantile of Student's t with df degrees of freedom; df = +Inf gives the normal distribution.
func TQuantile(p, df float64) float64 {
	if df >= asNormal {
		return NormalQuantile(p)
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(p)
}

// TCDF is the probability that Student's t with df degrees of freedom is at most x; df = +Inf gives the normal
// distribution.
func TCDF(x, df float64) float64 {
	switch {
	case math.IsInf(x, 0) && x > 0:
		return 1
	case math.IsInf(x, 0):
		return 0
	case df >= asNormal:
		return distuv.UnitNormal.CDF(x)
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.CDF(x)
}
