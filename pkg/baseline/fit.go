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
var metrics = []swap.Metric{
	swap.MetricTTFT, swap.MetricTTFTScheduled, swap.MetricTPOT, swap.MetricE2E, swap.MetricOutputTokens,
}

// Fit summarises the measured records of the baseline arm; other records are ignored. In quantiles of a latency a failed
// request counts as the worst, as in a verdict, so a quantile that falls on failures is absent. Mean, log-normal and
// BlockCV describe answered requests only; Notes["failed"] says how many were not.
func Fit(model string, records []rawlog.Record) swap.BaselineFit {
	measured := slices.DeleteFunc(slices.Clone(records), func(r rawlog.Record) bool {
		return !r.Measured || r.Arm != string(swap.Baseline) || swap.Outcome(r.Outcome) == swap.Abandoned
	})
	fit := swap.BaselineFit{Model: model}
	for _, metric := range metrics {
		fit.Metrics = append(fit.Metrics, fitMetric(metric, measured))
	}
	if failed := countFailed(measured); failed > 0 {
		fit.Notes = map[string]string{"failed": fmt.Sprintf(
			"%d of %d requests failed; quantiles of latency count them as the worst, mean and log-normal leave them out",
			failed, len(measured))}
	}
	return fit
}

func fitMetric(metric swap.Metric, records []rawlog.Record) swap.MetricBaseline {
	var answered, ranked []float64
	blocks := blockValues{}
	for i := range records {
		record := &records[i]
		if !record.Good() {
			if metric != swap.MetricOutputTokens {
				ranked = append(ranked, math.Inf(1))
			}
			continue
		}
		if v, has := record.PerRequest(metric).Get(); has {
			answered, ranked = append(answered, v), append(ranked, v)
			blocks.add(record, v)
		}
	}
	q := stats.Quantiles(ranked, .5, .9, .95, .99)
	result := swap.MetricBaseline{
		Metric: metric, N: len(answered), Mean: swap.Of(stats.Mean(answered)),
		P50: swap.Of(q[0]), P90: swap.Of(q[1]), P95: swap.Of(q[2]), P99: swap.Of(q[3]),
		BlockCV: blocks.cv(),
	}
	if fitted, ok := stats.FitLogNormal(answered); ok {
		result.LogMean, result.LogSD = swap.Of(fitted.Mu), swap.Of(fitted.Sigma)
	}
	return result
}

func countFailed(records []rawlog.Record) int {
	failed := 0
	for i := range records {
		if !records[i].Good() {
			failed++
		}
	}
	return failed
}
