package activities

import (
	"cmp"
	"slices"
	"time"

	"github.com/swapgate/swapgate/pkg/load/hold"
	"github.com/swapgate/swapgate/pkg/load/instrument"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/report"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/telemetry"
)

// chartMetrics are the latencies whose distributions the report shows.
var chartMetrics = [...]swap.Metric{swap.MetricTTFT, swap.MetricTPOT, swap.MetricE2E}

// latencyChart is the distribution of each latency over the whole run.
func latencyChart(records []rawlog.Record) []report.Distribution {
	if len(records) == 0 {
		return nil
	}
	var out []report.Distribution
	for _, m := range chartMetrics {
		d := report.Distribution{Metric: m}
		for _, arm := range swap.Arms {
			own := measuredOf(records, arm)
			*d.Arms.Ptr(arm) = report.Samples{SortedMS: rawlog.Values(own, m), Failed: rawlog.Outcomes(own).Failed()}
		}
		out = append(out, d)
	}
	return out
}

// measuredOf are the measured records of one arm.
func measuredOf(records []rawlog.Record, arm swap.Arm) []rawlog.Record {
	var own []rawlog.Record
	for _, r := range records {
		if r.Measured && r.Arm == string(arm) {
			own = append(own, r)
		}
	}
	return own
}

func stepChart(s swap.StepResult, m swap.StepManifest, records []rawlog.Record, limits swap.Calibration) report.Step {
	out := report.Step{Label: s.Label}
	for _, arm := range swap.Arms {
		own := measuredOf(records, arm)
		p := report.StepPoint{
			Requests: len(own), Failed: rawlog.Outcomes(own).Failed(),
			TTFTP50ms:  rawlog.Quantile(own, swap.MetricTTFT, 0.5),
			TTFTP95ms:  rawlog.Quantile(own, swap.MetricTTFT, 0.95),
			TTFTP99ms:  rawlog.Quantile(own, swap.MetricTTFT, 0.99),
			TPOTP50ms:  rawlog.Quantile(own, swap.MetricTPOT, 0.5),
			Throughput: rawlog.Throughput(own, measuredTime(m, arm)),
			Unsteady:   unsteady(own),
		}
		p.ErrorShare = swap.Of(float64(p.Failed) / float64(p.Requests))
		*out.Arms.Ptr(arm) = p
	}
	needed := instrument.Medians{TTFT: out.Arms.Baseline.TTFTP50ms, TPOT: out.Arms.Baseline.TPOTP50ms}
	out.Limits = &report.InstrumentLimits{}
	out.Limits.Calibration, out.Limits.During = instrument.Tolerated(s.Instrument.During, limits, needed)
	return out
}

// unsteady is how many of the good requests, in the order in which they were sent, came before TTFT was steady.
func unsteady(records []rawlog.Record) swap.Value {
	good := slices.DeleteFunc(slices.Clone(records), func(r rawlog.Record) bool { return !r.Good() || !r.TTFT().Valid() })
	slices.SortStableFunc(good, func(a, b rawlog.Record) int { return cmp.Compare(a.SentUnixNS, b.SentUnixNS) })
	series := make([]float64, len(good))
	for i := range good {
		series[i] = good[i].TTFT().Or(0)
	}
	n, ok := hold.Transient(series)
	if !ok {
		return swap.Absent()
	}
	return swap.Of(float64(n))
}

func measuredTime(m swap.StepManifest, arm swap.Arm) time.Duration {
	var d time.Duration
	for _, b := range m.Blocks {
		if b.Arm == arm {
			d += time.Duration(b.MeasuredMS) * time.Millisecond
		}
	}
	return d
}

func blockChart(m swap.StepManifest) []report.Block {
	var out []report.Block
	for _, b := range m.Blocks {
		out = append(out, report.Block{Arm: b.Arm, Started: b.Started, TTFTP95ms: b.TTFTP95ms})
	}
	return out
}

// stepSpan is the time between the start of a step's first block and the end of its last one.
func stepSpan(s swap.StepResult, m swap.StepManifest) report.Span {
	span := report.Span{Label: s.Label}
	for _, b := range m.Blocks {
		end := b.Started.Add(time.Duration(b.MeasuredMS) * time.Millisecond)
		if span.From.IsZero() || b.Started.Before(span.From) {
			span.From = b.Started
		}
		if end.After(span.To) {
			span.To = end
		}
	}
	return span
}

func telemetryChart(samples []telemetry.Sample) []report.TimeSeries {
	var out []report.TimeSeries
	for _, s := range telemetry.Series(samples) {
		if s.Metric == telemetry.ProcessStartSeconds {
			// It tells restarts from resets and says nothing over time.
			continue
		}
		series := report.TimeSeries{Name: s.Metric, Arm: s.Arm}
		for _, p := range s.Points {
			series.Points = append(series.Points, report.TimePoint{At: p.Time, Value: p.Value})
		}
		out = append(out, series)
	}
	return out
}
