package drift

import (
	"math"
	"slices"
	"sort"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/stats/hypothesis"
)

// Blocks are the values of one metric, block by block, with the step of each block.
type Blocks struct {
	Values [][]float64
	Steps  []int
}

// DistanceSettings of a comparison of distributions.
type DistanceSettings struct {
	// Tolerated is the largest Kolmogorov-Smirnov distance that is no drift.
	Tolerated float64
	// Level of each one-sided bound; 1−Level is that of the permutation test.
	Level     float64
	Resamples int
	Seed      uint64
}

// Distance is how far apart two distributions are.
type Distance struct {
	// D is the largest difference of the distribution functions. Low and High bound it.
	D, Low, High float64
	// P and EnergyP are by permutation of whole blocks within steps, of D and of the energy distance.
	P, EnergyP float64
	// Larger says that the values grew where D is reached.
	Larger bool
	// Drifted says that Low is above what is tolerated, and that the test finds a difference at all.
	Drifted bool
}

// CompareDistributions measures the distance of two distributions and does not ask whether they are equal, which with enough
// requests they never are. The bounds are the basic bootstrap's over blocks, 2D − quantile: D is biased upwards by chance, and the
// reflection takes the same bias off again. ok is false where a side has fewer than two blocks in every step, a block is empty
// or holds a value that is not finite.
func CompareDistributions(then, now Blocks, s DistanceSettings) (d Distance, ok bool) {
	values := slices.Concat(then.Values, now.Values)
	strata := slices.Concat(stats.Strata(then.Steps), stats.Strata(now.Steps))
	second := make([]bool, len(values))
	for k := len(then.Values); k < len(values); k++ {
		second[k] = true
	}
	if len(strata) != len(values) || len(then.Values) < fewestBlocks || len(now.Values) < fewestBlocks {
		return Distance{}, false
	}
	energy, ok := hypothesis.EnergyOfBlocks(values)
	if !ok {
		return Distance{}, false
	}
	reach, ok := hypothesis.KolmogorovSmirnovOfBlocks(values)
	if !ok {
		return Distance{}, false
	}
	design := hypothesis.BlockDesign{Second: second, Strata: strata}
	byEnergy, okEnergy := design.Permute(energy, s.Resamples, s.Seed)
	byReach, okReach := design.Permute(reach, s.Resamples, s.Seed)
	if !okEnergy || !okReach {
		return Distance{}, false
	}
	d = Distance{P: byReach.P, EnergyP: byEnergy.P}
	w := newWalk(values, second)
	d.D, d.Low, d.High = w.bounds(strata, s)
	_, d.Larger = w.furthest(ones(len(values)))
	d.Drifted = d.Low > s.Tolerated && d.P <= 1-s.Level
	return d, true
}

// bounds resamples the blocks of each side within their steps.
func (w *walk) bounds(strata stats.Strata, s DistanceSettings) (d, low, high float64) {
	sides := make(stats.Strata, len(strata))
	for k, step := range strata {
		sides[k] = 2*step + side(w.second[k])
	}
	d = w.reach(ones(len(strata)))
	replicates := stats.Bootstrap(sides, s.Resamples, s.Seed, w.reach)
	slices.Sort(replicates)
	low = 2*d - stats.Quantile(replicates, s.Level)
	high = 2*d - stats.Quantile(replicates, 1-s.Level)
	return d, min(max(low, 0), d), max(min(high, 1), d)
}

func ones(n int) []float64 {
	weights := make([]float64, n)
	for k := range weights {
		weights[k] = 1
	}
	return weights
}

// walk is all values in ascending order, with the block of each.
type walk struct {
	value  []float64
	block  []int
	second []bool
	counts []float64
}

func newWalk(values [][]float64, second []bool) *walk {
	w := &walk{second: second, counts: make([]float64, len(values))}
	for k, block := range values {
		w.counts[k] = float64(len(block))
		for _, v := range block {
			w.value = append(w.value, v)
			w.block = append(w.block, k)
		}
	}
	sort.Sort(byValue{w})
	return w
}

type byValue struct{ *walk }

func (b byValue) Len() int           { return len(b.value) }
func (b byValue) Less(i, j int) bool { return b.value[i] < b.value[j] }
func (b byValue) Swap(i, j int) {
	b.value[i], b.value[j] = b.value[j], b.value[i]
	b.block[i], b.block[j] = b.block[j], b.block[i]
}

// reach is the distance of the weighted sides.
func (w *walk) reach(weights []float64) float64 {
	d, _ := w.furthest(weights)
	return d
}

// furthest is the distance, and whether the second side has the larger values where it is reached.
func (w *walk) furthest(weights []float64) (d float64, larger bool) {
	step := make([]float64, len(weights))
	var totals [2]float64
	for k, weight := range weights {
		totals[side(w.second[k])] += weight * w.counts[k]
	}
	for k, weight := range weights {
		step[k] = weight / totals[side(w.second[k])]
		if w.second[k] {
			step[k] = -step[k]
		}
	}
	difference := 0.0
	for i, k := range w.block {
		difference += step[k]
		atEnd := i+1 == len(w.value) || w.value[i+1] != w.value[i]
		if atEnd && math.Abs(difference) > d {
			d, larger = math.Abs(difference), difference > 0
		}
	}
	return d, larger
}

func side(second bool) int {
	if second {
		return 1
	}
	return 0
}
