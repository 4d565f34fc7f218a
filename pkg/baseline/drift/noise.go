package drift

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
)

// fewestRuns that say anything of the spread between them.
const fewestRuns = 3

// medianOfSquare is the median of the square of a standard normal variable.
const medianOfSquare = .454936

// efficiency of the median of squares against their mean: so many of the runs count as degrees of freedom.
const efficiency = .37

// NoiseOf is how much the level of a statistic differs from one run to the next beyond what their blocks explain. It comes from
// the differences of successive runs (von Neumann 1941) and from their median, so that neither a slow drift nor a few changes of
// level in the past count as noise. With fewer than three runs it is not known, and Runs says how many there were.
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
	squares := make([]float64, len(levels)-1)
	for i := range squares {
		d := levels[i+1] - levels[i]
		squares[i] = d * d / 2
	}
	n.SD = math.Sqrt(max(0, stats.Quantiles(squares, .5)[0]/medianOfSquare-stats.Mean(within)))
	return n
}

// Known says whether there were enough runs.
func (n Noise) Known() bool { return n.Runs >= fewestRuns }
