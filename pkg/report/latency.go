package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/report/chart"
	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

type latencySection struct {
	Figures []figure
	// Columns name the quantiles of the rows.
	Columns []string
	Rows    []latencyRow
	Missing string
}

type latencyRow struct {
	Metric, Arm      string
	Answered, Failed string
	Quantiles        []fact
}

// latencyQuantiles are the columns of the table of latencies.
var latencyQuantiles = [...]float64{0.5, 0.9, 0.95, 0.99}

func newLatencySection(d Data, ids *figureIDs) latencySection {
	if len(d.Latency) == 0 {
		return latencySection{Missing: unmeasured(d.Verdict, "latency of single requests was handed over")}
	}
	s := latencySection{Columns: make([]string, len(latencyQuantiles))}
	for i, q := range latencyQuantiles {
		s.Columns[i] = quantileName(q)
	}
	for _, dist := range d.Latency {
		name := phrase.Metric(dist.Metric)
		arms := swap.PerArm[chart.Sample]{Baseline: sample(dist.Arms.Baseline), Candidate: sample(dist.Arms.Candidate)}
		desc := "Share of requests answered within a time, on a logarithmic axis in ms."
		for _, arm := range swap.Arms {
			all := withFailures(arms.Get(arm))
			desc += fmt.Sprintf(" The %s has a median of %s and a P95 of %s.", arm, quantile(all, .5), quantile(all, .95))
		}
		s.Figures = append(s.Figures, ids.figure(name+" in ms", chart.ECDF(name+" distribution of both arms", desc, columnSize, arms)))
		for _, arm := range swap.Arms {
			s.Rows = append(s.Rows, newLatencyRow(name, arm, arms.Get(arm)))
		}
	}
	return s
}

func sample(s Samples) chart.Sample {
	return chart.Sample{Sorted: chart.Finite(s.SortedMS), Failed: max(0, s.Failed)}
}

func newLatencyRow(metric string, arm swap.Arm, s chart.Sample) latencyRow {
	row := latencyRow{Metric: metric, Arm: string(arm), Answered: phrase.Count(len(s.Sorted)), Failed: phrase.Count(s.Failed)}
	all := withFailures(s)
	for _, q := range latencyQuantiles {
		row.Quantiles = append(row.Quantiles, fact{Name: quantileName(q), Value: quantile(all, q)})
	}
	return row
}

// withFailures ranks failed requests as the worst, as the gates do.
func withFailures(s chart.Sample) []float64 {
	return append(slices.Clone(s.Sorted), slices.Repeat([]float64{math.Inf(1)}, s.Failed)...)
}

func quantileName(q float64) string { return fmt.Sprintf("P%.0f", 100*q) }

func quantile(sorted []float64, q float64) string {
	v := stats.Quantile(sorted, q)
	if math.IsInf(v, 1) {
		return "failed"
	}
	return phrase.Quantity(swap.Of(v), "ms")
}
