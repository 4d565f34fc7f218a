package changepoint

import (
	"math"
	"slices"
)

// Energy is how far two samples are from one distribution (Székely and Rizzo 2013). With averages over all pairs of values,
// a pair of a value with itself among them:
type Energy struct {
	// E is 2·E|X−Y| − E|X−X′| − E|Y−Y′|, in the unit of the values. It is 0 only for equal distributions.
	E float64
	// T is E·nm/(n+m), which tests equality.
	T float64
	// H is E/(2·E|X−Y|), from 0 to 1.
	H float64
}

// EnergyStatistics compares two samples, in any order. ok is false where one is empty or a value is not finite.
func EnergyStatistics(x, y []float64) (e Energy, ok bool) {
	all := slices.Concat(x, y)
	if len(x) == 0 || len(y) == 0 || checkFinite(all) != nil {
		return Energy{}, false
	}
	withinX, withinY := pairDistances(x), pairDistances(y)
	between := pairDistances(all) - withinX - withinY
	return energyOf(between, withinX, withinY, len(x), len(y)), true
}

// energyOf takes sums of distances over pairs, each pair once.
func energyOf(between, withinX, withinY float64, n, m int) Energy {
	nx, ny := float64(n), float64(m)
	cross := between / (nx * ny)
	e := Energy{E: max(0, 2*cross-2*withinX/(nx*nx)-2*withinY/(ny*ny))}
	e.T = e.E * nx * ny / (nx + ny)
	if cross > 0 {
		e.H = e.E / (2 * cross)
	}
	return e
}

// pairDistances is Σ|xᵢ−xⱼ| over i < j, by the ranks: the k-th smallest of n is added 2k−n+1 times.
func pairDistances(x []float64) float64 {
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	middle := sorted[len(sorted)/2]
	sum := 0.0
	for k, v := range sorted {
		sum += float64(2*k-len(sorted)+1) * (v - middle)
	}
	return math.Max(0, sum)
}
