package hold

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
)

// mserBatch is the batch size that gives MSER-5 its name.
const mserBatch = 5

// Transient is how many requests at the beginning of a series are not yet in its steady state, by MSER-5: the truncation that
// minimises the standard error of the mean of what remains, over means of five (White 1997, Simulation 69:323; White, Cobb
// and Spratt 2000, Winter Simulation Conference). series holds positive latencies in the order in which the requests were sent.
//
// It works on logarithms: where steadiness begins does not depend on the scale, and one extreme value in the middle of a
// heavy tail would otherwise pass for the end of a transient. A steady series gives 0 or a small number. ok is false where
// there is no answer: a series shorter than ten batches, a value that is not positive and finite, or a best truncation in the
// second half, which means that the series does not settle.
func Transient(series []float64) (requests int, ok bool) {
	means, ok := logBatches(series)
	if !ok || len(means) < 10 {
		return 0, false
	}
	cut := mser(means)
	if 2*cut > len(means) {
		return 0, false
	}
	return cut * mserBatch, true
}

// mser is the number of leading values whose removal minimises Σ(z−mean)²/m² over the m that remain, five at least.
func mser(z []float64) int {
	best, at := math.Inf(1), 0
	sum, squares := 0.0, 0.0
	centre := stats.Mean(z)
	for d := len(z) - 1; d >= 0; d-- {
		v := z[d] - centre
		sum, squares = sum+v, squares+v*v
		m := float64(len(z) - d)
		if m < mserBatch {
			continue
		}
		if statistic := (squares - sum*sum/m) / (m * m); statistic <= best {
			best, at = statistic, d
		}
	}
	return at
}

// logBatches is the mean logarithm of each full batch; a last incomplete batch is left out.
func logBatches(series []float64) (means []float64, ok bool) {
	logs := make([]float64, len(series))
	for k, v := range series {
		if !(v > 0) || math.IsInf(v, 1) {
			return nil, false
		}
		logs[k] = math.Log(v)
	}
	for ; len(logs) >= mserBatch; logs = logs[mserBatch:] {
		means = append(means, stats.Mean(logs[:mserBatch]))
	}
	return means, true
}
