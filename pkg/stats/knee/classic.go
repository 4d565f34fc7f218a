package knee

import "math"

// ClassicFall is the curvature below which ClassicSecondDifference sees a knee.
const ClassicFall = -0.3

// ClassicSecondDifference is the rule argmax(curvature < −0.3), with the curvature NumPy's gradient of the gradient of y over
// the index. It is faithful to that rule and has its faults: the limit depends on the unit of y, and steps of x count as equal.
// Where nothing is below the limit, argmax is 0, as it is for a knee at the first point; found tells the two apart. It is false
// for fewer than 2 values too, and where one is not finite.
func ClassicSecondDifference(y []float64) (index int, found bool) {
	for _, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, false
		}
	}
	for i, c := range Curvature(y) {
		if c < ClassicFall {
			return i, true
		}
	}
	return 0, false
}

// Curvature is NumPy's gradient of the gradient of y over the index; nil for fewer than 2 values.
func Curvature(y []float64) []float64 { return gradient(gradient(y)) }

// gradient is numpy.gradient with edge_order 1: central differences, and one-sided ones at the ends.
func gradient(y []float64) []float64 {
	last := len(y) - 1
	if last < 1 {
		return nil
	}
	g := make([]float64, len(y))
	for i := range y {
		a, b := max(0, i-1), min(last, i+1)
		g[i] = (y[b] - y[a]) / float64(b-a)
	}
	return g
}
