package config

import (
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/swap"
)

// expandGradient turns the gradient into steps behind the listed ones. The result has no gradient, so expanding it again
// changes nothing, and a gradient has the same hash as its steps written out.
func expandGradient(l swap.Load) swap.Load {
	if l.Gradient == nil {
		return l
	}
	l.Steps = slices.Concat(l.Steps, gradientSteps(*l.Gradient, l.Block))
	l.Gradient = nil
	return l
}

func gradientSteps(g swap.Gradient, block swap.Duration) []swap.Step {
	var steps []swap.Step
	for _, n := range promptLengths(g.From, g.To, g.Levels) {
		steps = append(steps, swap.Step{
			Concurrency: g.Concurrency,
			InputTokens: &swap.Lengths{Median: n, Min: n, Max: n},
			Hold:        swap.Duration(g.Rounds) * block,
		})
	}
	return steps
}

// promptLengths are levels lengths from first to last in a geometric series, each rounded to a whole token.
func promptLengths(first, last, levels int) []int {
	lengths := make([]int, levels)
	ratio := math.Log(float64(last) / float64(first))
	for i := range lengths {
		share := float64(i) / float64(levels-1)
		lengths[i] = int(math.Round(float64(first) * math.Exp(ratio*share)))
	}
	return lengths
}

// mostLevels is the largest number of lengths, at most levels, that differ from each other after rounding.
func mostLevels(first, last, levels int) int {
	for ; levels > 2; levels-- {
		lengths := promptLengths(first, last, levels)
		if len(slices.Compact(lengths)) == levels {
			break
		}
	}
	return levels
}
