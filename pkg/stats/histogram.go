package stats

import "math"

// The buckets of a Histogram grow by a constant factor, so that the middle of a bucket is within 1 % of all of it
// (DDSketch; Masson, Rim and Lee 2019).
const (
	bucketError    = .01
	bucketGrowth   = (1 + bucketError) / (1 - bucketError)
	smallestBucket = 1e-6
	// histogramBuckets reach from smallestBucket to 1e9.
	histogramBuckets = 1727
)

var logBucketGrowth = math.Log(bucketGrowth)

// Histogram counts values in memory of fixed size, 14 kB, for quantiles within 1 %. Values from 1e-6 to 1e9 are told apart;
// what is smaller counts as 0, what is larger as the largest value that was added. The zero value is empty and ready.
// It is not safe for concurrent use.
type Histogram struct {
	small  uint64
	counts [histogramBuckets]uint64
	total  uint64
	min    float64
	max    float64
}

// Add counts v; NaN is ignored.
func (h *Histogram) Add(v float64) {
	if math.IsNaN(v) {
		return
	}
	if h.total == 0 {
		h.min, h.max = v, v
	}
	h.min, h.max = min(h.min, v), max(h.max, v)
	h.total++
	if v < smallestBucket {
		h.small++
		return
	}
	h.counts[bucketOf(v)]++
}

// Count is the number of values.
func (h *Histogram) Count() uint64 { return h.total }

// Quantile is within 1 % of the value of rank ⌈p·n⌉ in ascending order. It is NaN for no values or a p outside 0..1.
func (h *Histogram) Quantile(p float64) float64 {
	if h.total == 0 || !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	rank := max(1, uint64(math.Ceil(p*float64(h.total))))
	seen := h.small
	if rank <= seen {
		return min(0, h.max)
	}
	for i, n := range h.counts {
		if seen += n; rank <= seen {
			return h.middle(i)
		}
	}
	return h.max
}

func bucketOf(v float64) int {
	return int(min(histogramBuckets-1, math.Log(v/smallestBucket)/logBucketGrowth))
}

// middle is the value of a bucket whose relative distance to both of its ends is the same, within the values seen.
func (h *Histogram) middle(i int) float64 {
	if i == histogramBuckets-1 {
		return h.max
	}
	lower := smallestBucket * math.Exp(float64(i)*logBucketGrowth)
	return min(max(2*lower*bucketGrowth/(1+bucketGrowth), h.min), h.max)
}
