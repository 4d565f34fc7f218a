package registry

import (
	"math"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// metrics are those that a single request has.
var metrics = [...]swap.Metric{
	swap.MetricTTFT, swap.MetricTTFTScheduled, swap.MetricTPOT, swap.MetricE2E, swap.MetricOutputTokens,
}

// Meter computes an arm's numbers from its raw records, as they are read. It is not safe for concurrent use.
type Meter struct {
	arm    swap.Arm
	levels []levelMeter
	sealed rawlog.PerBlock[blockMeter]
}

type levelMeter struct {
	manifest swap.StepManifest
	// blocks are a part of those of the meter.
	blocks []blockMeter
}

// blockMeter gathers the measured requests of one block.
type blockMeter struct {
	result   swap.BlockResult
	answered [len(metrics)][]float64
	requests int
	failed   int
	tokens   float64
	counted  bool // the server counts tokens
}

// NewMeter has the arm's blocks of the manifests, without records. The manifests decide what counts.
func NewMeter(manifests []swap.StepManifest, arm swap.Arm) *Meter {
	var own []swap.BlockResult
	ends := make([]int, 0, len(manifests))
	for _, manifest := range manifests {
		for _, result := range manifest.Blocks {
			if result.Arm == arm {
				own = append(own, result)
			}
		}
		ends = append(ends, len(own))
	}
	m := &Meter{arm: arm, sealed: rawlog.NewPerBlock(own, func(r swap.BlockResult) blockMeter { return blockMeter{result: r} })}
	from := 0
	for i, manifest := range manifests {
		m.levels = append(m.levels, levelMeter{manifest: manifest, blocks: m.sealed.Blocks[from:ends[i]]})
		from = ends[i]
	}
	return m
}

// Add takes records in any order; they may be used again after it returns. Those that were not measured, are of no sealed
// block of the arm, or were abandoned are ignored.
func (m *Meter) Add(records []rawlog.Record) {
	for i := range records {
		r := &records[i]
		block := m.sealed.Of(r)
		if block != nil && r.Measured && r.Arm == string(m.arm) && swap.Outcome(r.Outcome) != swap.Abandoned {
			block.add(r)
		}
	}
}

func (b *blockMeter) add(r *rawlog.Record) {
	b.requests++
	if !r.Good() {
		b.failed++
		return
	}
	for i, metric := range metrics {
		if v, has := r.PerRequest(metric).Get(); has {
			b.answered[i] = append(b.answered[i], v)
		}
	}
	if r.OutputTokens != nil {
		b.tokens += float64(*r.OutputTokens)
		b.counted = true
	}
}

// ranked are the block's values of a metric in which a failed request has the worst latency. It has no answer length.
func (b *blockMeter) ranked(metric int) []float64 {
	ranked := append([]float64{}, b.answered[metric]...)
	if metrics[metric] != swap.MetricOutputTokens {
		for range b.failed {
			ranked = append(ranked, math.Inf(1))
		}
	}
	return ranked
}

// Levels are the numbers of all load levels.
func (m *Meter) Levels() []Level {
	levels := make([]Level, 0, len(m.levels))
	for _, l := range m.levels {
		levels = append(levels, l.numbers())
	}
	return levels
}

func (l levelMeter) numbers() Level {
	level := Level{Step: l.manifest.Step, Label: l.manifest.Spec.Label(), Load: l.manifest.Spec}
	seconds, tokens := make([]float64, len(l.blocks)), make([]float64, len(l.blocks))
	for k := range l.blocks {
		block := l.blocks[k].numbers()
		level.Blocks = append(level.Blocks, block)
		level.Seconds += block.Seconds
		level.Requests += block.Requests
		level.Failed += block.Failed
		seconds[k], tokens[k] = block.Seconds, block.Tokens.Or(math.NaN())
	}
	level.ErrorRate = swap.Of(float64(level.Failed) / float64(level.Requests))
	level.Throughput = swap.Of(stats.Sum(tokens) / level.Seconds)
	level.ThroughputLow = lowerRate(tokens, seconds)
	for i := range metrics {
		level.Metrics = append(level.Metrics, l.metric(i))
	}
	return level
}

func (b *blockMeter) numbers() Block {
	block := Block{
		Block: b.result.Block, Started: b.result.Started.UTC(), Seconds: float64(b.result.MeasuredMS) / 1e3,
		Requests: b.requests, Failed: b.failed,
	}
	if b.counted {
		block.Tokens = swap.Of(b.tokens)
	}
	for i, metric := range metrics {
		q := stats.Quantiles(b.ranked(i), .5, .95, .99)
		block.Metrics = append(block.Metrics, BlockMetrics{
			Metric: metric, N: len(b.answered[i]), P50: swap.Of(q[0]), P95: swap.Of(q[1]), P99: swap.Of(q[2]),
		})
	}
	return block
}

func (l levelMeter) metric(i int) Metric {
	byBlock := make([][]float64, len(l.blocks))
	result := Metric{Metric: metrics[i], Histogram: &stats.Histogram{}}
	sum := 0.0
	for k := range l.blocks {
		b := &l.blocks[k]
		byBlock[k] = b.ranked(i)
		for _, v := range b.answered[i] {
			result.Histogram.Add(v)
			sum += v
		}
		result.N += len(b.answered[i])
	}
	pooled := stats.Pool(byBlock)
	at := func(q float64) swap.Value { return swap.Of(stats.Quantile(pooled.Sorted(), q)) }
	result.Mean = swap.Of(sum / float64(result.N))
	result.P50, result.P90, result.P95, result.P99 = at(.5), at(.9), at(.95), at(.99)
	result.P95High, result.P99High = upperQuantile(pooled, len(l.blocks), .95), upperQuantile(pooled, len(l.blocks), .99)
	return result
}
