package classic

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// fewestModels is the least size of a group whose standard deviation is believed.
const fewestModels = 8

// ZScore normalises the P99 of models within a group of like models. It is for display.
type ZScore struct{}

// Name is classic_zscore.
func (ZScore) Name() swap.RuleName { return "classic_zscore" }

// Weakness is one sentence.
func (ZScore) Weakness() string {
	return "the mean and deviation of a handful of models with heavy tails are set by the slowest of them: none of n models can be more " +
		"than √(n−1) deviations off, 2.65 of 8"
}

// Normalise is (x − mean)/SD with the population standard deviation. It refuses groups of fewer than 8 models, equal values, and
// values that are not finite, and then says why.
func (ZScore) Normalise(p99 []float64) (z []float64, refusal string) {
	sd := math.NaN()
	if len(p99) >= fewestModels && notFinite(p99) < 0 {
		sd = populationSD(p99)
	}
	switch {
	case len(p99) < fewestModels:
		return nil, refuse("the group has %d models; %d or more have a standard deviation to speak of", len(p99), fewestModels).Refusal
	case !(sd > 0):
		return nil, "the values are all equal, or one of them is not finite"
	}
	mean := stats.Mean(p99)
	for _, v := range p99 {
		z = append(z, (v-mean)/sd)
	}
	return z, ""
}
