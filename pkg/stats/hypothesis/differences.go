package hypothesis

import "math"

// differences are all second − first of two sorted samples.
type differences struct{ first, second []float64 }

func (d differences) count() int { return len(d.first) * len(d.second) }

func (d differences) bounds() (lowest, highest float64) {
	return d.second[0] - d.first[len(d.first)-1], d.second[len(d.second)-1] - d.first[0]
}

// ranked is the difference of the rank, counted from 1: the least number that at least so many differences do not exceed. It
// bisects the floating-point numbers themselves, so that the result is exactly one of the differences.
func (d differences) ranked(rank int) float64 {
	lowest, highest := d.bounds()
	low, high := ordinal(lowest), ordinal(highest)
	for low < high {
		middle := low + (high-low)/2
		if d.atMost(fromOrdinal(middle)) >= rank {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return fromOrdinal(low) + 0 // −0 becomes 0
}

// atMost counts the differences that are at most limit. It relies on rounding being monotone: the higher the first value, the
// more of the second are within the limit.
func (d differences) atMost(limit float64) int {
	count, within := 0, 0
	for _, x := range d.first {
		for within < len(d.second) && d.second[within]-x <= limit {
			within++
		}
		count += within
	}
	return count
}

const signBit = 1 << 63

// ordinal numbers the floating-point numbers in ascending order.
func ordinal(v float64) uint64 {
	bits := math.Float64bits(v)
	if bits&signBit != 0 {
		return ^bits
	}
	return bits | signBit
}

func fromOrdinal(o uint64) float64 {
	if o&signBit != 0 {
		return math.Float64frombits(o &^ signBit)
	}
	return math.Float64frombits(^o)
}
