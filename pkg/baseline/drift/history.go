package drift

import (
	"math"
	"time"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/stats/changepoint"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Run is the level of a statistic in one run of the past.
type Run struct {
	At    time.Time
	RunID string
	Value float64
	// Error is the standard error of Value by the blocks of the run, of its logarithm where it is compared relatively.
	Error float64
}

// Changes finds when the level of a statistic changed over the runs, in the order of time, and by how much: e-divisive by
// permutation on logarithms with at least three runs between changes. Changes by less than magnitude, relatively, are left out.
// Runs without a usable value are passed over. Fewer than ten runs can hardly show a change: three against four can be dealt in
// 35 ways only.
func Changes(name string, runs []Run, magnitude float64, seed uint64) ([]swap.DriftChange, error) {
	var kept []Run
	var logs []float64
	for _, r := range runs {
		if l := math.Log(r.Value); !math.IsNaN(l) && !math.IsInf(l, 0) {
			kept, logs = append(kept, r), append(logs, l)
		}
	}
	points, err := changepoint.DetectByPermutation(logs, changepoint.DefaultPermutations(seed))
	if err != nil {
		return nil, err
	}
	var changes []swap.DriftChange
	for i, p := range points {
		from, to := 0, len(logs)
		if i > 0 {
			from = points[i-1].Index
		}
		if i+1 < len(points) {
			to = points[i+1].Index
		}
		before, after := stats.Mean(logs[from:p.Index]), stats.Mean(logs[p.Index:to])
		if math.Expm1(math.Abs(after-before)) < magnitude {
			continue
		}
		first := kept[p.Index]
		c := swap.DriftChange{
			Name: name, At: first.At, RunID: first.RunID, Runs: to - from,
			Before: swap.Of(math.Exp(before)), After: swap.Of(math.Exp(after)), Relative: swap.Of(math.Expm1(after - before)), P: swap.Of(p.P),
		}
		c.Message = sayChange(c)
		changes = append(changes, c)
	}
	return changes, nil
}
