package changepoint

import "math"

// candidate is the split of a window at which the distributions before it, and after it as far as end, differ most.
type candidate struct {
	at, end int
	q       float64
}

// best is the split τ of a window, with the end κ of the values that follow, that maximises
//
//	q = nm/(n+m)·(2·mean|X−Y| − mean|X−X′| − mean|Y−Y′|), X the n values before τ and Y the m from τ to κ,
//
// with means over pairs of different values (Matteson and James 2014, equation 5). Both sides have at least fewest values. q
// is 0 where only noise of rounding is left. It takes time and memory of the square of the window.
func best(window []float64, fewest int) candidate {
	to := distancesBefore(window)
	found, n := candidate{}, len(window)
	left := 0.0
	for tau := 1; tau <= n-fewest; tau++ {
		left += to[tau-1][tau-1]
		if tau < fewest {
			continue
		}
		between, right := 0.0, 0.0
		for kappa := tau + 1; kappa <= n; kappa++ {
			last := to[kappa-1]
			between += last[tau]
			right += last[kappa-1] - last[tau]
			if kappa-tau < fewest {
				continue
			}
			if q := divergence(between, left, right, tau, kappa-tau); q > found.q && q > 1e-12*between {
				found = candidate{tau, kappa, q}
			}
		}
	}
	return found
}

// distancesBefore has in row j the sums of distances of value j to the first 0, 1, … j values.
func distancesBefore(window []float64) [][]float64 {
	rows := make([][]float64, len(window))
	for j, v := range window {
		rows[j] = make([]float64, j+1)
		for i := range j {
			rows[j][i+1] = rows[j][i] + math.Abs(v-window[i])
		}
	}
	return rows
}

func divergence(between, left, right float64, n, m int) float64 {
	x, y := float64(n), float64(m)
	q := 2 * between
	if n > 1 {
		q -= 2 * left * y / (x - 1)
	}
	if m > 1 {
		q -= 2 * right * x / (y - 1)
	}
	return q / (x + y)
}
