package rawlog

import (
	"maps"
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Distribution is a multiset of values with whole weights. Its memory grows with the number of different values, of which
// times in whole microseconds have few. The zero value is empty and ready.
type Distribution struct {
	weights map[float64]int64
	total   int64
	// sorted are the values in ascending order and how much weight there is up to each; nil after a change.
	sorted []float64
	upTo   []int64
}

// Add adds a value with a positive weight.
func (d *Distribution) Add(v float64, weight int64) {
	if weight <= 0 || math.IsNaN(v) {
		return
	}
	if d.weights == nil {
		d.weights = map[float64]int64{}
	}
	d.weights[v] += weight
	d.total += weight
	d.sorted = nil
}

// Weight is the sum of all weights.
func (d *Distribution) Weight() int64 { return d.total }

// Mean is the weighted mean.
func (d *Distribution) Mean() swap.Value {
	d.sort()
	sum := 0.0
	for _, v := range d.sorted {
		sum += v * float64(d.weights[v])
	}
	return swap.Of(sum / float64(d.total))
}

// Linear is the p-quantile of the values, each repeated as often as it weighs, interpolated linearly between order statistics
// (type 7 of Hyndman and Fan 1996; the default of NumPy).
func (d *Distribution) Linear(p float64) swap.Value {
	if d.total == 0 {
		return swap.Absent()
	}
	h := p * float64(d.total-1)
	lo := int64(h)
	a, b := d.ranked(lo+1), d.ranked(min(lo+2, d.total))
	return swap.Of(a + (h-float64(lo))*(b-a))
}

// InverseCDF is the smallest value up to which there is a share p of the weight.
func (d *Distribution) InverseCDF(p float64) swap.Value {
	if d.total == 0 {
		return swap.Absent()
	}
	const rounding = 1e-9 // p of the total may come out a little above a whole number
	return swap.Of(d.ranked(max(1, int64(math.Ceil(p*float64(d.total)-rounding)))))
}

// ranked is the value of a rank, from 1.
func (d *Distribution) ranked(rank int64) float64 {
	d.sort()
	at, _ := slices.BinarySearch(d.upTo, rank)
	return d.sorted[at]
}

func (d *Distribution) sort() {
	if d.sorted != nil || d.total == 0 {
		return
	}
	d.sorted = slices.Sorted(maps.Keys(d.weights))
	d.upTo = make([]int64, len(d.sorted))
	seen := int64(0)
	for i, v := range d.sorted {
		seen += d.weights[v]
		d.upTo[i] = seen
	}
}
