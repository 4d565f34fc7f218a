package hold

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/swapgate/swapgate/pkg/stats"
)

// interval says how well a quantile is known.
type interval struct {
	quantile float64
	// width is half the width of the two-sided confidence interval, relative to the quantile. It is +Inf where the values do
	// not bound the quantile from above, and NaN where the quantile is not positive.
	width float64
	// above counts the values beyond the quantile in each block.
	above []float64
}

// intervalOf bounds the q-quantile of the values of all blocks, each in ascending order.
//
// The interval is Woodruff's (1952, as for cluster samples): an interval of the share of values below the quantile, mapped
// back through the quantiles of the values. The standard error of the share is by batch means over the blocks, which allows
// for correlation within a block, and no less than that of independent values; t has one degree of freedom less than blocks.
func intervalOf(blocks [][]float64, q, level float64) interval {
	all := mergeTop(blocks, 2*(1-q))
	i := interval{quantile: all.quantile(q), width: math.NaN(), above: make([]float64, len(blocks))}
	counts := make([]float64, len(blocks))
	for k, values := range blocks {
		counts[k] = float64(len(values))
		i.above[k] = counts[k] - float64(sort.Search(len(values), func(j int) bool { return values[j] > i.quantile }))
	}
	if !(i.quantile > 0) {
		return i
	}
	_, se := stats.RatioOfSums(i.above, counts, make(stats.Strata, len(blocks)))
	se = max(se, math.Sqrt(q*(1-q)/float64(all.n)))
	half := stats.TQuantile((1+level)/2, float64(len(blocks)-1)) * se
	i.width = math.Inf(1)
	if q+half < 1 {
		i.width = (all.quantile(q+half) - all.quantile(q-half)) / 2 / i.quantile
	}
	return i
}

// dominant is the block (from 0) that holds more than half of the values beyond the quantile, and its share of them.
func (i interval) dominant() (block int, share float64, ok bool) {
	for k, n := range i.above {
		if share := n / stats.Sum(i.above); share > 0.5 {
			return k, share, true
		}
	}
	return 0, 0, false
}

// top holds the largest of n values, in descending order. A step may have many blocks, all of which are looked at again after
// each; sorting all values every time would take longer than a person wants to wait between blocks.
type top struct {
	n      int
	values []float64
}

// mergeTop merges the upper share of the values of blocks that are each in ascending order.
func mergeTop(blocks [][]float64, share float64) top {
	t := top{n: count(blocks)}
	left := make([]int, len(blocks))
	for k, values := range blocks {
		left[k] = len(values)
	}
	for range min(t.n, int(share*float64(t.n))+2) {
		largest := -1
		for k, values := range blocks {
			if left[k] > 0 && (largest < 0 || values[left[k]-1] > blocks[largest][left[largest]-1]) {
				largest = k
			}
		}
		left[largest]--
		t.values = append(t.values, blocks[largest][left[largest]])
	}
	return t
}

// quantile is stats.Quantile of all n values. It is NaN for none, or for a q below those that are held.
func (t top) quantile(q float64) float64 {
	h := q * float64(t.n-1)
	low := int(h)
	below, above := t.n-1-low, max(0, t.n-2-low)
	if below < 0 || below >= len(t.values) {
		return math.NaN()
	}
	return t.values[below] + (h-float64(low))*(t.values[above]-t.values[below])
}

// lowerRank is the rank (from 1) of the order statistic that is at most the q-quantile with probability 1−alpha or more, for n
// independent values; 0 where there is none.
func lowerRank(n int, q, alpha float64) int {
	below := distuv.Binomial{N: float64(n), P: q}
	return sort.Search(n, func(r int) bool { return below.CDF(float64(r)) > alpha })
}
