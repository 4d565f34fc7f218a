package judge

import "github.com/swapgate/swapgate/pkg/stats"

// halves follows a gate's difference in the first and in the second half of each step, to notice a difference that
// changes while it is measured.
type halves struct {
	mask       [2][]float64
	masked     []float64
	replicates [2][]float64
}

func newHalves(p pairs, resamples int) *halves {
	h := &halves{masked: make([]float64, len(p.list))}
	size, seen := map[int]int{}, map[int]int{}
	for _, group := range p.strata {
		size[group]++
	}
	for i := range h.mask {
		h.mask[i] = make([]float64, len(p.list))
		h.replicates[i] = make([]float64, 0, resamples)
	}
	for k, group := range p.strata {
		h.mask[2*seen[group]/size[group]][k] = 1
		seen[group]++
	}
	return h
}

// observe evaluates both halves under one reweighting of the pairs.
func (h *halves) observe(weights []float64, statistic func([]float64) float64) {
	for i, mask := range h.mask {
		for k, w := range weights {
			h.masked[k] = w * mask[k]
		}
		h.replicates[i] = append(h.replicates[i], statistic(h.masked))
	}
}

// changedP is the p-value against "both halves show the same difference". It is 1 where a half says nothing.
func (h *halves) changedP(df float64, statistic func([]float64) float64) float64 {
	var estimates, errors [2]float64
	for i, mask := range h.mask {
		estimates[i], errors[i] = statistic(mask), stats.StandardDeviation(h.replicates[i])
	}
	_, changed := stats.Heterogeneity(estimates[:], errors[:], max(1, df-1))
	return changed
}
