package judge

import (
	"math"
	"slices"
	"sort"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// interval is what is known of the difference between the arms, candidate against baseline: a log-ratio for relative
// gates, a difference for absolute ones.
type interval interface {
	// bounds are two one-sided bounds, each at the given confidence.
	bounds(level float64) (low, high float64)
	// pAbove is the p-value against "the difference is at most x"; pBelow against "at least x".
	pAbove(x float64) float64
	pBelow(x float64) float64
	method() swap.Method
}

// studentInterval is an estimate with a standard error. With a standard error of 0 it is the exact comparison.
type studentInterval struct{ theta, se, df float64 }

func (i studentInterval) bounds(level float64) (low, high float64) {
	if i.se == 0 {
		return i.theta, i.theta
	}
	half := stats.TQuantile(level, i.df) * i.se
	return i.theta - half, i.theta + half
}

func (i studentInterval) pAbove(x float64) float64 {
	if i.se == 0 {
		return exactP(i.theta > x)
	}
	return stats.TCDF((x-i.theta)/i.se, i.df)
}

func (i studentInterval) pBelow(x float64) float64 {
	if i.se == 0 {
		return exactP(i.theta < x)
	}
	return stats.TCDF((i.theta-x)/i.se, i.df)
}

func (i studentInterval) method() swap.Method {
	if i.se == 0 {
		return swap.MethodExact
	}
	return swap.MethodBootstrap
}

func exactP(beyond bool) float64 {
	if beyond {
		return 0
	}
	return 1
}

// percentileInterval takes its bounds from the bootstrap replicates themselves, sorted. It is for differences that are
// not finite, where there is no standard error. A replicate that is NaN (a failure on both arms) widens both bounds.
type percentileInterval struct{ low, high []float64 }

func newPercentileInterval(replicates []float64) percentileInterval {
	replace := func(by float64) []float64 {
		sorted := slices.Clone(replicates)
		for k, v := range sorted {
			if math.IsNaN(v) {
				sorted[k] = by
			}
		}
		slices.Sort(sorted)
		return sorted
	}
	return percentileInterval{low: replace(math.Inf(-1)), high: replace(math.Inf(1))}
}

func (i percentileInterval) bounds(level float64) (low, high float64) {
	n := len(i.low)
	rank := int((1 - level) * float64(n+1))
	return i.low[max(0, rank-1)], i.high[min(n-1, n-rank)]
}

func (i percentileInterval) pAbove(x float64) float64 {
	atMost := sort.Search(len(i.low), func(k int) bool { return i.low[k] > x })
	return float64(atMost+1) / float64(len(i.low)+1)
}

func (i percentileInterval) pBelow(x float64) float64 {
	below := sort.SearchFloat64s(i.high, x)
	return float64(len(i.high)-below+1) / float64(len(i.high)+1)
}

func (percentileInterval) method() swap.Method { return swap.MethodPercentiles }

// widerInterval is Student's interval, widened to the percentiles of the replicates where those lie further out. That matters
// where few values lie around a quantile, as between the modes of cold and warm starts: an estimate there jumps from one mode to
// the other, which a standard error does not describe and the replicates show.
type widerInterval struct {
	student studentInterval
	// replicates in ascending order.
	replicates []float64
}

func newWiderInterval(student studentInterval, replicates []float64) widerInterval {
	sorted := slices.Clone(replicates)
	slices.Sort(sorted)
	return widerInterval{student: student, replicates: sorted}
}

func (i widerInterval) bounds(level float64) (low, high float64) {
	low, high = i.student.bounds(level)
	n := len(i.replicates)
	rank := max(1, int((1-level)*float64(n+1)))
	return min(low, i.replicates[rank-1]), max(high, i.replicates[n-rank])
}

// pAbove is the larger of the p-values. The replicates' own is not kept above 0: how small a p-value is beyond what so many
// replicates resolve is left to Student's t.
func (i widerInterval) pAbove(x float64) float64 {
	atMost := sort.Search(len(i.replicates), func(k int) bool { return i.replicates[k] > x })
	return max(i.student.pAbove(x), float64(atMost)/float64(len(i.replicates)))
}

func (i widerInterval) pBelow(x float64) float64 {
	below := sort.SearchFloat64s(i.replicates, x)
	return max(i.student.pBelow(x), float64(len(i.replicates)-below)/float64(len(i.replicates)))
}

func (i widerInterval) method() swap.Method { return i.student.method() }

// scoreInterval is the difference of two failure rates, already deflated by their design effects.
type scoreInterval struct {
	base, cand stats.Proportion
	df         float64
}

func (i scoreInterval) bounds(level float64) (low, high float64) {
	_, low, high = stats.NewcombeDifference(i.cand, i.base, stats.TQuantile(level, i.df))
	return low, high
}

// standardError is the half-width of the interval in units of its critical value.
func (i scoreInterval) standardError() float64 {
	low, high := i.bounds(spreadLevel)
	return (high - low) / 2 / stats.TQuantile(spreadLevel, i.df)
}

func (i scoreInterval) pAbove(x float64) float64 {
	return i.invert(func(z float64) bool {
		_, low, _ := stats.NewcombeDifference(i.cand, i.base, z)
		return low > x
	}, i.cand.Share()-i.base.Share() > x)
}

func (i scoreInterval) pBelow(x float64) float64 {
	return i.invert(func(z float64) bool {
		_, _, high := stats.NewcombeDifference(i.cand, i.base, z)
		return high < x
	}, i.cand.Share()-i.base.Share() < x)
}

func (scoreInterval) method() swap.Method { return swap.MethodScore }

// invert finds the largest critical value at which the bound still clears x; its tail probability is the p-value. An
// estimate that does not clear x by itself gives 1, which is all that a decision needs to know.
func (i scoreInterval) invert(clears func(z float64) bool, estimateClears bool) float64 {
	if !estimateClears {
		return 1
	}
	const largest = 40.0
	low, high := 0.0, largest
	for range 60 {
		if z := (low + high) / 2; clears(z) {
			low = z
		} else {
			high = z
		}
	}
	return stats.TCDF(-low, i.df)
}
