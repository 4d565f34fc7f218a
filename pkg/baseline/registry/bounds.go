package registry

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// boundLevel is the confidence of the one-sided bounds of an entry.
	boundLevel = .95
	resamples  = 999
	// boundSeed makes a repeated registration give the same document.
	boundSeed = 1
)

// upperQuantile is the upper bound of a quantile of the pooled requests.
func upperQuantile(pooled stats.Pooled, blocks int, q float64) swap.Value {
	return bound(blocks, +1, func(weights []float64) float64 { return pooled.Quantile(weights, q) })
}

// lowerRate is the lower bound of Σnum/Σden.
func lowerRate(num, den []float64) swap.Value {
	return bound(len(num), -1, func(weights []float64) float64 {
		n, d := 0.0, 0.0
		for k, w := range weights {
			n, d = n+w*num[k], d+w*den[k]
		}
		return n / d
	})
}

// bound resamples whole blocks and gives Student's bound on the logarithm, in the direction of side. It is absent with fewer
// than two blocks, and where a resample has no positive finite value.
func bound(blocks int, side float64, statistic func(weights []float64) float64) swap.Value {
	if blocks < 2 {
		return swap.Absent()
	}
	all := make([]float64, blocks)
	for k := range all {
		all[k] = 1
	}
	logs := stats.Bootstrap(make(stats.Strata, blocks), resamples, boundSeed, func(weights []float64) float64 {
		return math.Log(statistic(weights))
	})
	half := stats.TQuantile(boundLevel, float64(blocks-1)) * stats.StandardDeviation(logs)
	return swap.Of(statistic(all) * math.Exp(side*half))
}
