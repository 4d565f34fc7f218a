package judgebench

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/local/localtest"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// mostMB is the memory in which a run of this size must be judged. How fast depends on the machine: 10 s are wanted on two cores.
const mostMB = 1000

// BenchmarkVerdict: see the package comment.
func BenchmarkVerdict(b *testing.B) {
	store, err := runstore.Open(localtest.S3(b))
	require.NoError(b, err)
	b.Cleanup(store.Close)
	manifests := writeRun(b, store)
	for b.Loop() {
		sorted := measure(b, func() { sortPass(b, store, manifests) })
		var read time.Duration
		verdict := measure(b, func() { read = judgeRun(b, store, manifests) })
		verdict.report(b, "verdict")
		sorted.report(b, "sort")
		b.ReportMetric(read.Seconds(), "read-s")
		b.ReportMetric(verdict.seconds-read.Seconds(), "judge-s")
		b.ReportMetric(verdict.seconds/sorted.seconds, "x-sort")
		b.ReportMetric(verdict.cpuSeconds/sorted.cpuSeconds, "x-sort-cpu")
		if verdict.megabytes > mostMB {
			b.Errorf("judging took %.0f MB; at most %d are wanted", verdict.megabytes, mostMB)
		}
	}
	b.ReportMetric(tableMB(manifests), "table-MB")
	b.ReportMetric(0, "ns/op")
}

func tableMB(manifests []swap.StepManifest) float64 {
	bytes := int64(0)
	for _, m := range manifests {
		for _, block := range m.Blocks {
			bytes += block.Slices[0].Raw.Bytes
		}
	}
	return float64(bytes) / 1e6
}

// gates are the default ones, and what else is usual.
func gates() []swap.Gate {
	latency := func(metric swap.Metric, stat swap.Stat, margin float64) swap.Gate {
		return swap.Gate{Metric: metric, Stat: stat, Margin: margin, Unit: swap.Relative, Better: swap.LowerIsBetter}
	}
	return []swap.Gate{
		latency(swap.MetricTTFT, swap.StatP50, .1), latency(swap.MetricTTFT, swap.StatP95, .15), latency(swap.MetricTTFT, swap.StatP99, .25),
		latency(swap.MetricTPOT, swap.StatP50, .05), latency(swap.MetricTPOT, swap.StatP95, .1),
		latency(swap.MetricE2E, swap.StatP99, .25),
		{Metric: swap.MetricThroughput, Stat: swap.StatRate, Margin: .05, Unit: swap.Relative, Better: swap.HigherIsBetter},
		{Metric: swap.MetricOutputTokens, Stat: swap.StatMean, Margin: .05, Unit: swap.Relative, Better: swap.Either},
		{Metric: swap.MetricErrorRate, Stat: swap.StatRate, Margin: .005, Unit: swap.Absolute, Better: swap.LowerIsBetter},
	}
}

// judgeRun reads and judges the run, and returns how long it read.
func judgeRun(b *testing.B, store *runstore.Store, manifests []swap.StepManifest) (read time.Duration) {
	b.Helper()
	start := time.Now()
	collected := judge.NewCollector(manifests)
	require.NoError(b, runstore.EachJudgedRecord(b.Context(), store, blocksOf(manifests), func(rows []rawlog.Record) error {
		collected.Add(rows)
		return nil
	}))
	read = time.Since(start)
	const blocksPerArm = steps * pairsPerStep
	verdict := judge.Decide(judge.Evidence{
		Blocks: collected.Blocks(), Gates: gates(),
		Settings:    swap.Judge{Level: .95, Resamples: 1999, MinBlocks: 10, MinTail: 30, Seed: 1},
		Ends:        judge.EndsFrom(manifests),
		Instruments: judge.InstrumentsFrom(manifests),
		Planned:     swap.PerArm[int]{Baseline: blocksPerArm, Candidate: blocksPerArm},
	})
	require.Equal(b, swap.Pass, verdict.Decision, "%+v", verdict.Reasons)
	require.Len(b, verdict.Gates, len(gates()))
	return read
}

func blocksOf(manifests []swap.StepManifest) []swap.BlockResult {
	var blocks []swap.BlockResult
	for _, m := range manifests {
		blocks = append(blocks, m.Blocks...)
	}
	return blocks
}

// sortPass reads the same tables in full, and sorts the values of each per-request metric of each arm.
func sortPass(b *testing.B, store *runstore.Store, manifests []swap.StepManifest) {
	b.Helper()
	metrics := []swap.Metric{swap.MetricTTFT, swap.MetricTPOT, swap.MetricE2E, swap.MetricOutputTokens}
	values := map[swap.Arm][][]float64{}
	for _, arm := range swap.Arms {
		values[arm] = make([][]float64, len(metrics))
	}
	for _, block := range blocksOf(manifests) {
		columns := values[block.Arm]
		require.NoError(b, runstore.EachRecord(b.Context(), store, block, func(rows []rawlog.Record) error {
			for i := range rows {
				for k, metric := range metrics {
					if v, has := rows[i].PerRequest(metric).Get(); has && rows[i].Measured {
						columns[k] = append(columns[k], v)
					}
				}
			}
			return nil
		}))
	}
	for _, columns := range values {
		for _, column := range columns {
			slices.Sort(column)
			for _, p := range []float64{.5, .95, .99} {
				require.False(b, math.IsNaN(stats.Quantile(column, p)))
			}
		}
	}
}
