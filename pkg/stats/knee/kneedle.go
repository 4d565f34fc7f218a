package knee

import "math"

// Sensitivity is how sharp the bend of a curve must be, as recommended for Kneedle: the distance from the diagonal must fall
// by this many times the mean distance between points, where the curve goes from 0 to 1 in both directions.
const Sensitivity = 1.0

// Kneedle is the knee of an increasing curve that bends down, such as throughput over load: with both axes from 0 to 1, the
// first point that is highest above the diagonal. y is first smoothed to the closest curve that never falls (isotonic
// regression). found is false where the highest is the first or the last point, where the bend is too weak for the sensitivity
// (see Sensitivity; 0 takes any), for fewer than 3 points, and where x does not increase or a value is not finite.
func Kneedle(x, y []float64, sensitivity float64) (index int, found bool) {
	if !isCurve(x, y) {
		return 0, false
	}
	smooth := increasing(y)
	return highest(x, smooth, sensitivity, func(x, y float64) float64 { return y - x })
}

// Elbow is Kneedle for an increasing curve that bends up, such as distances in the order of their size.
func Elbow(x, y []float64, sensitivity float64) (index int, found bool) {
	if !isCurve(x, y) {
		return 0, false
	}
	return highest(x, increasing(y), sensitivity, func(x, y float64) float64 { return x - y })
}

func isCurve(x, y []float64) bool {
	const fewest = 3
	if len(x) < fewest || len(x) != len(y) {
		return false
	}
	for i := range x {
		if math.IsNaN(x[i]-y[i]) || math.IsInf(x[i]-y[i], 0) || i > 0 && x[i] <= x[i-1] {
			return false
		}
	}
	return true
}

// highest is the first point with the largest distance, if the distance falls enough after it.
func highest(x, y []float64, sensitivity float64, distance func(x, y float64) float64) (index int, found bool) {
	const rounding = 1e-12
	last := len(x) - 1
	width, height := x[last]-x[0], y[last]-y[0]
	if !(height > 0) || math.IsInf(width, 0) || math.IsInf(height, 0) {
		return 0, false
	}
	most, lowestAfter := 0.0, 0.0
	for i := range x {
		d := distance((x[i]-x[0])/width, (y[i]-y[0])/height)
		if d > most+rounding {
			index, most, lowestAfter = i, d, d
		}
		lowestAfter = min(lowestAfter, d)
	}
	found = index > 0 && index < last && most-lowestAfter >= sensitivity/float64(last)
	if !found {
		index = 0
	}
	return index, found
}

// increasing is the curve that never falls with the least squared distance from y (isotonic regression, by pooling adjacent
// violators).
func increasing(y []float64) []float64 {
	type pool struct {
		mean float64
		n    int
	}
	var pools []pool
	for _, v := range y {
		p := pool{v, 1}
		for len(pools) > 0 && pools[len(pools)-1].mean >= p.mean {
			q := pools[len(pools)-1]
			p.mean += (q.mean - p.mean) * float64(q.n) / float64(q.n+p.n)
			p.n += q.n
			pools = pools[:len(pools)-1]
		}
		pools = append(pools, p)
	}
	out := make([]float64, 0, len(y))
	for _, p := range pools {
		for range p.n {
			out = append(out, p.mean)
		}
	}
	return out
}
