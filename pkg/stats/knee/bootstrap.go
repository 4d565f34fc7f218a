package knee

import (
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/stats"
)

// Interval holds 95 % of the resamples. High is +Inf where so many of them never reach what is looked for.
type Interval struct{ Low, High float64 }

// Uncertainty is how far the blocks of a curve determine where it bends.
type Uncertainty struct {
	// Knee is the load of Kneedle, and Peak that of the highest throughput by the universal scalability law.
	Knee, Peak Interval
	// PeakReached is the share of resamples whose peak is not beyond the largest load.
	PeakReached float64
}

// Bootstrap resamples the blocks of each level: throughputs[k] are those of the blocks at loads[k], at least two each. It
// repeats Kneedle and FitUSL on the means, with resamples and seed as for stats.Bootstrap. ok is false where those cannot be
// done or a level has too few blocks. With fewer than about 10 blocks a level the intervals are a little too narrow.
func Bootstrap(loads []float64, throughputs [][]float64, resamples int, seed uint64) (u Uncertainty, ok bool) {
	if len(throughputs) != len(loads) || resamples < 1 {
		return Uncertainty{}, false
	}
	b := blocks{}
	for k, values := range throughputs {
		if len(values) < 2 {
			return Uncertainty{}, false
		}
		b.values = append(b.values, values...)
		b.level = append(b.level, slices.Repeat([]int{k}, len(values))...)
	}
	f, ok := newFitting(loads, b.means(len(loads), nil))
	if !ok {
		return Uncertainty{}, false
	}
	x := f.search(starts)
	start := [][]float64{{max(stuck, math.Abs(x[0])), max(stuck, math.Abs(x[1]))}}
	knees := make([]float64, 0, resamples)
	peaks := stats.Bootstrap(b.level, resamples, seed, func(weights []float64) float64 {
		f.throughputs = b.means(len(loads), weights)
		knees = append(knees, loadAt(loads, f.throughputs))
		return orNever(f.law(f.search(start)).Peak())
	})
	return Uncertainty{Knee: intervalOf(knees), Peak: intervalOf(peaks), PeakReached: shareUpTo(f.largest, peaks)}, true
}

// stuck is how close to 0 a search must not begin, because the loss is level there.
const stuck = 0.1

// blocks are the values of all blocks, with the level of each.
type blocks struct {
	values []float64
	level  stats.Strata
}

// means are the weighted means of the levels; without weights all count the same.
func (b blocks) means(levels int, weights []float64) []float64 {
	sums, totals := make([]float64, levels), make([]float64, levels)
	for i, v := range b.values {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		sums[b.level[i]] += w * v
		totals[b.level[i]] += w
	}
	for k := range sums {
		sums[k] /= totals[k]
	}
	return sums
}

func loadAt(loads, throughputs []float64) float64 {
	at, found := Kneedle(loads, throughputs, Sensitivity)
	return orNever(loads[at], found)
}

// orNever is +Inf for a load that is not reached.
func orNever(load float64, ok bool) float64 {
	if !ok {
		return math.Inf(1)
	}
	return load
}

func intervalOf(values []float64) Interval {
	ends := stats.Quantiles(values, 0.025, 0.975)
	return Interval{ends[0], ends[1]}
}

func shareUpTo(most float64, values []float64) float64 {
	n := 0
	for _, v := range values {
		if v <= most {
			n++
		}
	}
	return float64(n) / float64(len(values))
}
