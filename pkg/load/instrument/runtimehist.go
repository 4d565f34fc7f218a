package instrument

import (
	"math"
	"runtime/metrics"
	"slices"

	"github.com/swapgate/swapgate/pkg/swap"
)

// The histograms of the Go runtime, in seconds: how long goroutines that could run had to wait, and how long the garbage
// collector stopped all of them.
const (
	schedLatencies = "/sched/latencies:seconds"
	gcPauses       = "/sched/pauses/total/gc:seconds"
)

// distribution is a histogram of the runtime: counts[i] values lie from bounds[i] to bounds[i+1].
type distribution struct {
	counts []uint64
	bounds []float64
}

// readRuntime reads both histograms; one that this version of Go does not have is empty.
func readRuntime() (sched, pauses distribution) {
	samples := []metrics.Sample{{Name: schedLatencies}, {Name: gcPauses}}
	metrics.Read(samples)
	return distributionOf(samples[0]), distributionOf(samples[1])
}

func distributionOf(s metrics.Sample) distribution {
	if s.Value.Kind() != metrics.KindFloat64Histogram {
		return distribution{}
	}
	h := s.Value.Float64Histogram()
	return distribution{counts: slices.Clone(h.Counts), bounds: h.Buckets}
}

// since is what was counted after before was read.
func (d distribution) since(before distribution) distribution {
	if len(before.counts) != len(d.counts) {
		return distribution{}
	}
	counts := slices.Clone(d.counts)
	for i, n := range before.counts {
		counts[i] -= min(n, counts[i])
	}
	return distribution{counts: counts, bounds: d.bounds}
}

// quantileMS is a quantile in ms: the upper end of its bucket, so that it is never too small. It is absent without values.
func (d distribution) quantileMS(p float64) swap.Value {
	total := uint64(0)
	for _, n := range d.counts {
		total += n
	}
	rank, seen := max(1, uint64(math.Ceil(p*float64(total)))), uint64(0)
	for i, n := range d.counts {
		if seen += n; seen >= rank {
			return swap.Of(d.end(i) * 1e3)
		}
	}
	return swap.Absent()
}

// maxMS is the largest value in ms; 0 where there was none, and absent for a histogram that does not exist.
func (d distribution) maxMS() swap.Value {
	if len(d.counts) == 0 {
		return swap.Absent()
	}
	return swap.Of(d.quantileMS(1).Or(0))
}

// end is the upper end of a bucket, or the lower one where there is no upper.
func (d distribution) end(i int) float64 {
	if upper := d.bounds[i+1]; !math.IsInf(upper, 1) {
		return upper
	}
	return d.bounds[i]
}
