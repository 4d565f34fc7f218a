package baseline

import (
	"math"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// blockValues are the values of each block of each step.
type blockValues map[int32]map[int32][]float64

func (b *blockValues) add(record *rawlog.Record, value float64) {
	if *b == nil {
		*b = blockValues{}
	}
	step := (*b)[record.Step]
	if step == nil {
		step = map[int32][]float64{}
		(*b)[record.Step] = step
	}
	step[record.Block] = append(step[record.Block], value)
}

// cv is the coefficient of variation of the block medians about the mean of their own step, pooled over the steps: load
// levels differ by design, and only what varies at one level is unsteadiness. It is absent without two blocks in a step.
func (b blockValues) cv() swap.Value {
	squares, degrees := 0.0, 0
	for _, blocks := range b {
		var medians []float64
		for _, values := range blocks {
			medians = append(medians, stats.Quantiles(values, .5)[0])
		}
		if len(medians) < 2 {
			continue
		}
		relative := stats.StandardDeviation(medians) / stats.Mean(medians)
		squares += relative * relative * float64(len(medians)-1)
		degrees += len(medians) - 1
	}
	return swap.Of(math.Sqrt(squares / float64(degrees)))
}
