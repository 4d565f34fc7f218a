package registry

import (
	"time"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Level is how a model behaved at one load level.
type Level struct {
	Step  int       `json:"step"`
	Label string    `json:"label"`
	Load  swap.Step `json:"load"`
	// Seconds is the measured time.
	Seconds float64 `json:"seconds"`
	// Requests are the measured ones that ended, Failed those of them without a usable answer.
	Requests  int        `json:"requests"`
	Failed    int        `json:"failed"`
	ErrorRate swap.Value `json:"error_rate"`
	// Throughput is generated tokens per second; absent where the server counts no tokens. ThroughputLow is its lower 95 %
	// bound.
	Throughput    swap.Value `json:"throughput_tokens_per_s"`
	ThroughputLow swap.Value `json:"throughput_low"`
	Metrics       []Metric   `json:"metrics"`
	// Blocks are the numbers of each block, the unit of statistics.
	Blocks []Block `json:"blocks"`
}

// Metric is the distribution of one metric over all requests of a level, in the metric's unit. A failed request counts as
// the worst latency in the quantiles, so one that falls on failures is absent.
type Metric struct {
	Metric swap.Metric `json:"metric"`
	// N counts answers. Mean is theirs alone.
	N    int        `json:"n"`
	Mean swap.Value `json:"mean"`
	P50  swap.Value `json:"p50"`
	P90  swap.Value `json:"p90"`
	P95  swap.Value `json:"p95"`
	P99  swap.Value `json:"p99"`
	// P95High and P99High are upper 95 % bounds, from resampling whole blocks; absent with fewer than two blocks.
	P95High swap.Value `json:"p95_high"`
	P99High swap.Value `json:"p99_high"`
	// Histogram counts the answers and can be merged with others.
	Histogram *stats.Histogram `json:"histogram"`
}

// Block is one block of a level.
type Block struct {
	Block    int       `json:"block"`
	Started  time.Time `json:"started"`
	Seconds  float64   `json:"seconds"`
	Requests int       `json:"requests"`
	Failed   int       `json:"failed"`
	// Tokens generated in good answers; absent where the server counts none.
	Tokens  swap.Value     `json:"tokens"`
	Metrics []BlockMetrics `json:"metrics"`
}

// BlockMetrics are the quantiles of a metric in a block; failed requests count as in Metric.
type BlockMetrics struct {
	Metric swap.Metric `json:"metric"`
	N      int         `json:"n"`
	P50    swap.Value  `json:"p50"`
	P95    swap.Value  `json:"p95"`
	P99    swap.Value  `json:"p99"`
}

// Metric returns the distribution of a metric.
func (l Level) Metric(m swap.Metric) (Metric, bool) {
	for _, have := range l.Metrics {
		if have.Metric == m {
			return have, true
		}
	}
	return Metric{}, false
}
