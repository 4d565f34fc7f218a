package hypothesis

import "math"

// EnergyDistance says how far apart two samples are, in location, spread and shape.
type EnergyDistance struct {
	// Distance is 2E|X−Y| − E|X−X'| − E|Y−Y'| ≥ 0, in the unit of the values, over all pairs including those of a value with
	// itself.
	Distance float64
	// Statistic is mn/(m+n)·Distance, which does not grow with the samples where they have one distribution. Its null
	// distribution depends on theirs: permute blocks for a p-value.
	Statistic float64
	// Coefficient is Distance/(2E|X−Y|), from 0 to 1, and 0 where all values are equal.
	Coefficient float64
}

// Energy is the energy distance of two samples, in any order (Székely and Rizzo 2013). In one dimension it is twice the integral
// of the squared difference of the distribution functions, so it takes O(N log N) and never comes out negative. ok is false
// where a sample is empty or holds a value that is not finite, or where the distance overflows.
func Energy(first, second []float64) (e EnergyDistance, ok bool) {
	samples, ok := merge(first, second)
	if !ok {
		return EnergyDistance{}, false
	}
	e = samples.energy()
	return e, isFinite(span(samples.tallies)) && isFinite(e.Statistic)
}

// span is the distance from the lowest value to the highest; it is not finite where one of them is not.
func span(tallies []tally) float64 { return tallies[len(tallies)-1].value - tallies[0].value }

func (m merged) energy() EnergyDistance {
	sizeFirst, sizeSecond := float64(m.first), float64(m.second)
	i, j, within, across := 0, 0, 0.0, 0.0
	for k, t := range m.tallies[:len(m.tallies)-1] {
		i += t.first
		j += t.second
		gap := m.tallies[k+1].value - t.value
		f, g := float64(i)/sizeFirst, float64(j)/sizeSecond
		within += gap * (f - g) * (f - g)
		across += gap * (f*(1-g) + g*(1-f))
	}
	e := EnergyDistance{Distance: 2 * within, Statistic: 2 * within * sizeFirst * sizeSecond / (sizeFirst + sizeSecond)}
	if across > 0 {
		e.Coefficient = within / across
	}
	return e
}

func isFinite(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }
