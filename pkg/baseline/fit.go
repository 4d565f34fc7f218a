// Package baseline describes how the baseline arm behaves: the quantiles of its metrics, the log-normal that fits each
// best, and how steady it was from block to block. It is pure.
package baseline

import (
	"fmt"
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// metrics are those that a single request has.
var metrics = [...]swap.Metric{
	swap.MetricTTFT, swap.MetricTTFTScheduled, swap.MetricTPOT, swap.MetricE2E, swap.MetricOutputTokens,
}

// Sample gathers the measured requests of the baseline arm, as they are read. The zero value is empty.
type Sample struct {
	answered        [len(metrics)][]float64
	blocks          [len(metrics)]blockValues
	counted, failed int
}

// Add takes records in any order; they may be used again after it returns. Those that were not measured, not on the baseline, or
// abandoned are ignored.
func (s *Sample) Add(records []rawlog.Record) {
	for i := range records {
		record := &records[i]
		if !record.Measured || record.Arm != string(swap.Baseline) || swap.Outcome(record.Outcome) == swap.Abandoned {
			continue
		}
		s.counted++
		if !record.Good() {
			s.failed++
			continue
		}
		for m, metric := range metrics {
			if v, has := record.PerRequest(metric).Get(); has {
				s.answered[m] = append(s.answered[m], v)
				s.blocks[m].add(record, v)
			}
		}
	}
}

// Fit summarises the sample. In quantiles of a latency a failed request counts as the worst, as in a verdict, so a quantile that
// falls on failures is absent. Mean, log-normal and BlockCV describe answered requests only; Notes["failed"] says how many were
// not.
func (s *Sample) Fit(model string) swap.BaselineFit {
	fit := swap.BaselineFit{Model: model}
	for m := range metrics {
		fit.Metrics = append(fit.Metrics, s.fitMetric(m))
	}
	if s.failed > 0 {
		fit.Notes = map[string]string{"failed": fmt.Sprintf(
			"%d of %d requests failed; quantiles of latency count them as the worst, mean and log-normal leave them out",
			s.failed, s.counted)}
	}
	return fit
}

func (s *Sample) fitMetric(m int) swap.MetricBaseline {
	answered := s.answered[m]
	q := stats.Quantiles(s.ranked(m), .5, .9, .95, .99)
	result := swap.MetricBaseline{
		Metric: metrics[m], N: len(answered), Mean: swap.Of(stats.Mean(answered)),
		P50: swap.Of(q[0]), P90: swap.Of(q[1]), P95: swap.Of(q[2]), P99: swap.Of(q[3]),
		BlockCV: s.blocks[m].cv(),
	}
	if fitted, ok := stats.FitLogNormal(answered); ok {
		result.LogMean, result.LogSD = swap.Of(fitted.Mu), swap.Of(fitted.Sigma)
	}
	return result
}

// ranked are the values of a metric in which a failed request has the worst latency. It has no answer length.
func (s *Sample) ranked(m int) []float64 {
	if metrics[m] == swap.MetricOutputTokens {
		return s.answered[m]
	}
	ranked := slices.Clone(s.answered[m])
	for range s.failed {
		ranked = append(ranked, math.Inf(1))
	}
	return ranked
}
