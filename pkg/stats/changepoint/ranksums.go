package changepoint

import "slices"

// rankSums holds a growing set of values by their ranks and tells the sum of distances to it in O(log n): a Fenwick tree of
// counts and sums.
type rankSums struct {
	counts []int
	sums   []float64
}

func newRankSums(ranks int) rankSums {
	return rankSums{make([]int, ranks+1), make([]float64, ranks+1)}
}

func (s rankSums) clear() {
	clear(s.counts)
	clear(s.sums)
}

func (s rankSums) add(rank int, v float64) {
	for i := rank + 1; i < len(s.counts); i += i & -i {
		s.counts[i]++
		s.sums[i] += v
	}
}

// below is how many values have at most a rank, and their sum.
func (s rankSums) below(rank int) (n int, sum float64) {
	for i := rank + 1; i > 0; i -= i & -i {
		n += s.counts[i]
		sum += s.sums[i]
	}
	return n, sum
}

// ranked is a segment whose values know their ranks and their distance to all others; both stay with a value when it moves.
type ranked struct {
	values []float64
	rank   []int
	// far is the sum of distances to every value of the segment.
	far []float64
}

func newRanked(segment []float64) ranked {
	sorted := slices.Clone(segment)
	slices.Sort(sorted)
	middle := sorted[len(sorted)/2]
	r := ranked{make([]float64, len(segment)), make([]int, len(segment)), make([]float64, len(segment))}
	before := make([]float64, len(sorted)+1)
	for k, v := range sorted {
		before[k+1] = before[k] + (v - middle)
	}
	for i, v := range segment {
		k, _ := slices.BinarySearch(sorted, v)
		centred := v - middle
		r.values[i], r.rank[i] = centred, k
		r.far[i] = centred*float64(2*k-len(sorted)) + before[len(sorted)] - 2*before[k]
	}
	return r
}

// swap exchanges two places.
func (r ranked) swap(i, j int) {
	r.values[i], r.values[j] = r.values[j], r.values[i]
	r.rank[i], r.rank[j] = r.rank[j], r.rank[i]
	r.far[i], r.far[j] = r.far[j], r.far[i]
}

// bestSplit is the split with the largest energy statistic T; none where no split leaves fewest values on both sides or all
// values are equal. sums is cleared and must have a place for each rank.
func (r ranked) bestSplit(fewest int, sums rankSums) (at int, t float64) {
	sums.clear()
	n := len(r.values)
	between, left, right := 0.0, 0.0, 0.0
	for _, far := range r.far {
		right += far / 2
	}
	total, noise := 0.0, 1e-12*right
	for i, v := range r.values[:max(0, n-fewest)] {
		count, sum := sums.below(r.rank[i])
		toLeft := v*float64(2*count-i) + total - 2*sum
		sums.add(r.rank[i], v)
		total += v
		between += r.far[i] - 2*toLeft
		left += toLeft
		right -= r.far[i] - toLeft
		if i+1 < fewest {
			continue
		}
		if e := energyOf(between, left, right, i+1, n-i-1); e.T > t && between > noise {
			at, t = i+1, e.T
		}
	}
	return at, t
}
