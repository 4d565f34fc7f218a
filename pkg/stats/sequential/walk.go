package sequential

import "math"

const (
	// reach is how many standard deviations from its mean a normal density counts.
	reach = 8.5
	// nodesPerDeviation is the fineness of the grid: nodes per standard deviation of the finest increment beside it.
	nodesPerDeviation = 10
	leastNodes        = 401
	// leastIncrement is the closest that two looks may be, as a fraction of the information at the later one. The grid then
	// has 54,000 nodes.
	leastIncrement = 1e-5
	mostNodes      = 60001
)

// walk is a Brownian motion with drift that is looked at now and then and stopped where it leaves a region: the density of
// the paths that are left, by the recursion of Armitage, McPherson and Rowe 1969 with Simpson's rule.
type walk struct {
	drift, t float64
	// nodes from first on, step apart, carry the density times Simpson's weight.
	first, step float64
	mass        []float64
}

// startWalk begins at 0 at time 0.
func startWalk(drift float64) walk { return walk{drift: drift, step: 1, mass: []float64{1}} }

// above is the probability that the walk is still on and above level at the time t.
func (w walk) above(level, t float64) float64 {
	return w.beyond(t, func(y, deviation float64) float64 { return (level - y) / deviation })
}

// below is the probability that the walk is still on and below level at the time t.
func (w walk) below(level, t float64) float64 {
	return w.beyond(t, func(y, deviation float64) float64 { return (y - level) / deviation })
}

func (w walk) beyond(t float64, distance func(mean, deviation float64) float64) float64 {
	deviation := math.Sqrt(t - w.t)
	total := 0.0
	for i, mass := range w.mass {
		mean := w.first + float64(i)*w.step + w.drift*(t-w.t)
		total += mass * math.Erfc(distance(mean, deviation)/math.Sqrt2) / 2
	}
	return total
}

// proceed is the walk at the time t without the paths that are then outside low..high. next is the time of the look after
// that, or 0.
func (w walk) proceed(low, high, t, next float64) walk {
	low = max(low, w.drift*t-reach*math.Sqrt(t))
	high = min(high, w.drift*t+reach*math.Sqrt(t))
	finest := math.Sqrt(t - w.t)
	if next > t {
		finest = min(finest, math.Sqrt(next-t))
	}
	if !(low < high) {
		return walk{drift: w.drift, t: t, step: 1}
	}
	intervals := min(max(int(nodesPerDeviation*(high-low)/finest), leastNodes), mostNodes) / 2 * 2
	grid := walk{drift: w.drift, t: t, first: low, step: (high - low) / float64(intervals), mass: make([]float64, intervals+1)}
	for i := range grid.mass {
		grid.mass[i] = simpson(i, intervals) * grid.step * w.density(low+float64(i)*grid.step, t)
	}
	return grid
}

// density of the walk at the time t.
func (w walk) density(x, t float64) float64 {
	deviation := math.Sqrt(t - w.t)
	centre := x - w.drift*(t-w.t)
	from := max(0, int(math.Ceil((centre-reach*deviation-w.first)/w.step)))
	to := min(len(w.mass)-1, int(math.Floor((centre+reach*deviation-w.first)/w.step)))
	total := 0.0
	for i := from; i <= to; i++ {
		z := (centre - w.first - float64(i)*w.step) / deviation
		total += w.mass[i] * math.Exp(-z*z/2)
	}
	return total / (deviation * math.Sqrt(2*math.Pi))
}

func simpson(i, intervals int) float64 {
	switch {
	case i == 0 || i == intervals:
		return 1. / 3
	case i%2 == 1:
		return 4. / 3
	default:
		return 2. / 3
	}
}
