package hypothesis

import (
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/stats"
)

// VarianceRatio compares how much answers to the same prompt vary.
type VarianceRatio struct {
	// Ratio is the second sample's variance over the first's; +Inf where only the first does not vary, NaN where neither does.
	Ratio float64
	// P is two-sided, by permutation; 1 where nothing varies.
	P float64
}

// PairedVarianceRatio tests whether repeated draws vary more in one sample than in the other. first[i] and second[i] are the
// draws of item i, such as the scores of several answers to one prompt. Variances are about each item's own mean in each
// sample, pooled over the items by degrees of freedom, so items and samples may differ in level. The labels of an item's two
// sets of draws are exchanged as a whole and the larger of the ratio and its inverse is compared, so draws of one item may
// depend on each other.
//
// ok is false where the samples differ in items, there are none, an item has fewer than two draws, a value is not finite, or
// there are no resamples.
func PairedVarianceRatio(first, second [][]float64, resamples int, seed uint64) (result VarianceRatio, ok bool) {
	if len(first) != len(second) {
		return VarianceRatio{}, false
	}
	spreads := make([]spread, 0, 2*len(first))
	design := BlockDesign{Strata: stats.Strata{}}
	for i := range first {
		for label, draws := range [][]float64{first[i], second[i]} {
			s, finite := newSpread(draws)
			if !finite {
				return VarianceRatio{}, false
			}
			spreads = append(spreads, s)
			design.Second = append(design.Second, label == 1)
			design.Strata = append(design.Strata, i)
		}
	}
	statistic := func(second []bool) float64 {
		ratio := varianceRatio(spreads, second)
		if math.IsNaN(ratio) {
			return 1
		}
		return max(ratio, 1/ratio)
	}
	permutation, ok := design.Permute(statistic, resamples, seed)
	return VarianceRatio{varianceRatio(spreads, design.Second), permutation.P}, ok
}

// spread is the squared deviations of some draws from their mean, and their degrees of freedom.
type spread struct{ squares, degrees float64 }

func newSpread(draws []float64) (s spread, ok bool) {
	if len(draws) < 2 {
		return spread{}, false
	}
	s.degrees = float64(len(draws) - 1)
	if slices.Min(draws) == slices.Max(draws) {
		return s, isFinite(draws[0]) // rounding of the mean would leave a little variance
	}
	deviation := stats.StandardDeviation(draws)
	s.squares = deviation * deviation * s.degrees
	return s, isFinite(s.squares)
}

func varianceRatio(spreads []spread, second []bool) float64 {
	var sums [2]spread
	for k, s := range spreads {
		sample := &sums[0]
		if second[k] {
			sample = &sums[1]
		}
		sample.squares += s.squares
		sample.degrees += s.degrees
	}
	return sums[1].squares / sums[1].degrees / (sums[0].squares / sums[0].degrees)
}
