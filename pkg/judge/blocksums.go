package judge

import (
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// blockSums are a numerator and a denominator of each pair's block on one arm, such as tokens and seconds.
type blockSums struct{ num, den []float64 }

func newBlockSums(pairs int) blockSums {
	return blockSums{num: make([]float64, pairs), den: make([]float64, pairs)}
}

// ratio is Σnum/Σden.
func (b blockSums) ratio() float64 { return stats.Sum(b.num) / stats.Sum(b.den) }

// weighted is the ratio when whole blocks are weighted.
func (b blockSums) weighted(weights []float64) float64 {
	num, den := 0.0, 0.0
	for k, w := range weights {
		num += w * b.num[k]
		den += w * b.den[k]
	}
	return num / den
}

// degreesOfFreedom is what the difference between two ratios rests on. One group of pairs that dominates the variance, such
// as the step of the heaviest load, leaves few. Without the baseline among the arms it is that of the candidate's ratio alone.
func degreesOfFreedom(sums swap.PerArm[blockSums], p pairs, relative bool, arms []swap.Arm) float64 {
	difference := make([]float64, len(p.list))
	for _, arm := range arms {
		b, scale := sums.Get(arm), 1.0
		if relative {
			scale = 1 / b.ratio()
		}
		if arm == swap.Baseline {
			scale = -scale
		}
		for k, influence := range stats.RatioInfluence(b.num, b.den) {
			difference[k] += scale * influence
		}
	}
	return stats.EffectiveDegrees(difference, p.strata)
}
