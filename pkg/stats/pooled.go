package stats

import (
	"math"
	"sort"
)

// checkpointStride is the number of ranks between two checkpoints of a Pooled.
const checkpointStride = 64

// Pooled is the pooled values of several blocks, sorted once, so that a quantile under any weighting of the blocks costs
// a binary search and a short walk in place of a sort.
type Pooled struct {
	values []float64
	block  []int32
	blocks int
	// below[c·blocks+k] is the number of values of block k among the first c·checkpointStride, all[k] among all.
	below, all []float64
}

// Pool sorts the values of all blocks together. The blocks are not changed.
func Pool(blocks [][]float64) Pooled {
	n := 0
	for _, values := range blocks {
		n += len(values)
	}
	keys, tags := make([]uint64, 0, n), make([]int32, 0, n)
	for k, values := range blocks {
		for _, v := range values {
			keys, tags = append(keys, orderKey(v)), append(tags, int32(k))
		}
	}
	keys, tags = radixSort(keys, tags)
	p := Pooled{blocks: len(blocks), values: make([]float64, n), block: tags}
	for i, key := range keys {
		p.values[i] = keyValue(key)
	}
	p.below, p.all = p.checkpoints()
	return p
}

// checkpoints counts the values of each block at every checkpointStride, and all of them.
func (p Pooled) checkpoints() (below, count []float64) {
	count = make([]float64, p.blocks)
	below = make([]float64, 0, p.blocks*(len(p.values)/checkpointStride+1))
	for i, block := range p.block {
		if i%checkpointStride == 0 {
			below = append(below, count...)
		}
		count[block]++
	}
	return below, count
}

// Above counts the values of each block that are larger than x, and all its values.
func (p Pooled) Above(x float64) (above, all []float64) {
	above, all = make([]float64, p.blocks), make([]float64, p.blocks)
	first := sort.Search(len(p.values), func(i int) bool { return p.values[i] > x })
	for _, k := range p.block[first:] {
		above[k]++
	}
	copy(all, above)
	for _, k := range p.block[:first] {
		all[k]++
	}
	return above, all
}

// Sorted returns all values in ascending order; the caller must not change them.
func (p Pooled) Sorted() []float64 { return p.values }

// Quantile is the q-quantile when each value counts as often as its block's weight. With all weights 1 it is exactly
// Quantile of the pooled values. It is NaN when the weights leave nothing.
func (p Pooled) Quantile(weights []float64, q float64) float64 {
	total := p.totalWeight(weights)
	if !(total > 0) {
		return math.NaN()
	}
	position := max(0, q*(total-1))
	lower := math.Floor(position)
	i, seen := p.locate(weights, lower, total)
	at := p.values[i]
	for seen <= lower+1 && i+1 < len(p.values) {
		i++
		seen += weights[p.block[i]]
	}
	return interpolate(at, p.values[i], position-lower)
}

// locate finds the first value whose cumulative weight exceeds position, and that cumulative weight.
func (p Pooled) locate(weights []float64, position, total float64) (int, float64) {
	start, seen := p.checkpointBelow(weights, position, total)
	i := start * checkpointStride
	last := i
	for ; i < len(p.values); i++ {
		w := weights[p.block[i]]
		if w > 0 {
			last = i
		}
		seen += w
		if seen > position {
			return i, seen
		}
	}
	return last, seen
}

// checkpointBelow is the last checkpoint with a cumulative weight of at most position, and that weight. It begins where the checkpoint
// would be were the blocks alike, and goes on in steps that double and then halve.
func (p Pooled) checkpointBelow(weights []float64, position, total float64) (checkpoint int, seen float64) {
	last := (len(p.values) - 1) / checkpointStride
	at := min(last, int(position/total*float64(last+1)))
	low, high, below := 0, last+1, 0.0 // the weight is at most position at low, where it is below, and more at high
	step := 1
	for high-low > 1 {
		if weight := p.weightBelow(weights, at); weight <= position {
			low, below = at, weight
			at += step
		} else {
			high = at
			at -= step
		}
		step *= 2
		if at <= low || at >= high {
			at = low + (high-low)/2
		}
	}
	return low, below
}

func (p Pooled) weightBelow(weights []float64, checkpoint int) float64 {
	sum := 0.0
	for k, n := range p.below[checkpoint*p.blocks : (checkpoint+1)*p.blocks] {
		sum += weights[k] * n
	}
	return sum
}

func (p Pooled) totalWeight(weights []float64) float64 {
	sum := 0.0
	for k, n := range p.all {
		sum += weights[k] * n
	}
	return sum
}
