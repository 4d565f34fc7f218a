package arrival

import "time"

// Gaps are the times between successive requests of a recording, in order, and from its last request to its first: n requests
// have n gaps. Only their proportions count; a Schedule scales them to the step's rate. They are a circle: after the last comes
// the first.
//
// A schedule begins at a place of the circle that is uniform in time, so that every part of the recording is equally likely
// and the mean rate is exact, however the recorded rate changes.
type Gaps []time.Duration

// First is the index of the gap that ends with the first send of a schedule with this seed and stream.
func (g Gaps) First(seed, stream uint64) int {
	if g.total() <= 0 {
		return 0
	}
	i, _ := g.start(newSource(seed, stream))
	return i
}

// Request is the index, from 0, of the recorded request that the i-th send of a schedule repeats, when the schedule began
// with the gap first. A gap ends with the request after it; the last one ends with the first request.
func (g Gaps) Request(first, i int) int {
	if len(g) == 0 {
		return 0
	}
	return (first + i + 1) % len(g)
}

// start draws a place on the circle. It returns the gap around it and what is left of that gap.
func (g Gaps) start(src source) (gap int, left time.Duration) {
	at := time.Duration(src.Float64() * float64(g.total()))
	for i, gap := range g {
		if at < gap {
			return i, gap - at
		}
		at -= gap
	}
	return len(g) - 1, 0 // the product was rounded up
}

func (g Gaps) total() time.Duration {
	var sum time.Duration
	for _, gap := range g {
		sum += gap
	}
	return sum
}

// recorded repeats gaps. mean is their mean in nanoseconds.
type recorded struct {
	gaps Gaps
	mean float64
	at   int
}

func (r *recorded) first(src source) float64 {
	at, left := r.gaps.start(src)
	r.at = at
	return float64(left) / r.mean
}

func (r *recorded) next(source) float64 {
	r.at = (r.at + 1) % len(r.gaps)
	return float64(r.gaps[r.at]) / r.mean
}
