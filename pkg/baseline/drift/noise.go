package drift

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
)

// fewestRuns that say anything of the spread between them.
const fewestRuns = 3

// NoiseOf is how much the level of a statistic differs from one run to the next beyond what their blocks explain. It comes from
// the differences of successive runs (von Neumann 1941), so that a change of level in the past, or a slow drift, hardly counts
// as noise. With fewer than three runs it is not known, and Runs says how many there were.
func NoiseOf(runs []Run, relative bool) Noise {
	var levels, within []float64
	for _, r := range runs {
		if v, usable := rescale([]float64{r.Value}, relative); usable && !math.IsNaN(r.Error) {
			levels, within = append(levels, v[0]), append(within, r.Error*r.Error)
		}
	}
	n := Noise{Runs: len(levels)}
	if n.Runs < fewestRuns {
		return n
	}
	squares := 0.0
	for i := 1; i < len(levels); i++ {
		d := levels[i] - levels[i-1]
		squares += d * d
	}
	n.SD = math.Sqrt(max(0, squares/2/float64(len(levels)-1)-stats.Mean(within)))
	return n
}

// Known says whether there were enough runs.
func (n Noise) Known() bool { return n.Runs >= fewestRuns }
