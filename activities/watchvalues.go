package activities

import (
	"cmp"
	"slices"

	"github.com/swapgate/swapgate/pkg/baseline/drift"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// allLatencies are those whose distributions are compared.
var allLatencies = [...]swap.Metric{swap.MetricTTFT, swap.MetricTTFTScheduled, swap.MetricTPOT, swap.MetricE2E}

// mostPerBlock bounds the values of a block that are compared; more are thinned evenly, in the order in which they were sent.
const mostPerBlock = 2000

// requestValues are the latencies of the measured requests that were answered, block by block.
type requestValues struct {
	metrics []swap.Metric
	byBlock map[valuesKey][][]float64
}

type valuesKey struct{ step, block int32 }

func newRequestValues(metrics []swap.Metric) *requestValues {
	return &requestValues{metrics: metrics, byBlock: map[valuesKey][][]float64{}}
}

func (v *requestValues) add(records []rawlog.Record) {
	for i := range records {
		r := &records[i]
		if !r.Measured || !r.Good() {
			continue
		}
		key := valuesKey{r.Step, r.Block}
		of := v.byBlock[key]
		if of == nil {
			of = make([][]float64, len(v.metrics))
			v.byBlock[key] = of
		}
		for m, metric := range v.metrics {
			if value, has := r.PerRequest(metric).Get(); has {
				of[m] = append(of[m], value)
			}
		}
	}
}

// blocks are the values of a metric in the order of blocks; blocks without any are left out.
func (v *requestValues) blocks(metric swap.Metric) drift.Blocks {
	m := slices.Index(v.metrics, metric)
	keys := make([]valuesKey, 0, len(v.byBlock))
	for key, of := range v.byBlock {
		if m >= 0 && len(of[m]) > 0 {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b valuesKey) int { return cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.block, b.block)) })
	var b drift.Blocks
	for _, key := range keys {
		b.Values, b.Steps = append(b.Values, thin(v.byBlock[key][m])), append(b.Steps, int(key.step))
	}
	return b
}

func thin(values []float64) []float64 {
	if len(values) <= mostPerBlock {
		return values
	}
	kept := make([]float64, mostPerBlock)
	for i := range kept {
		kept[i] = values[i*len(values)/mostPerBlock]
	}
	return kept
}
