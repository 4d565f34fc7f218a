package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/report/chart"
	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

type timeSection struct {
	// Panels are the blocks and then the telemetry, all on one time axis.
	Panels  []panel
	Sources []sourceRow
	Missing string
}

type sourceRow struct{ Source, Arm, Samples, Errors, Remark string }

const (
	blockHeight     = 210
	telemetryHeight = 120
)

func newTimeSection(d Data, ids *figureIDs) timeSection {
	s := timeSection{Sources: sourceRows(d.Verdict.Telemetry)}
	if len(d.Blocks) == 0 && len(d.Telemetry) == 0 {
		s.Missing = unmeasured(d.Verdict, "block or telemetry was handed over")
		return s
	}
	axis := axisOf(d)
	if len(d.Blocks) > 0 {
		s.Panels = append(s.Panels, ids.panel("TTFT P95 of every block, in ms", blockHeight, func(size chart.Size) chart.Chart {
			return axis.Dots("TTFT P95 of every block over time", blockDesc(d.Blocks), size, blockSeries(d.Blocks))
		}))
	}
	for _, group := range byName(d.Telemetry) {
		s.Panels = append(s.Panels, ids.panel(group.heading, telemetryHeight, func(size chart.Size) chart.Chart {
			return axis.Lines(group.heading+" over time", group.desc(), size, group.series)
		}))
	}
	return s
}

// axisOf spans everything that has a time in the load stage.
func axisOf(d Data) chart.Timeline {
	var t chart.Timeline
	labels := make([]string, len(d.Spans))
	for i, s := range d.Spans {
		labels[i] = s.Label
	}
	short := newStepAxis(labels).Labels
	for i, s := range d.Spans {
		extend(&t, s.From)
		extend(&t, s.To)
		t.Bands = append(t.Bands, chart.Band{Label: phrase.Clean(s.Label), Short: short[i], From: s.From, To: s.To})
	}
	for _, b := range d.Blocks {
		extend(&t, b.Started)
	}
	for _, s := range d.Telemetry {
		for _, p := range s.Points {
			extend(&t, p.At)
		}
	}
	return t
}

func extend(t *chart.Timeline, at time.Time) {
	if at.IsZero() {
		return
	}
	if t.From.IsZero() || at.Before(t.From) {
		t.From = at
	}
	if at.After(t.To) {
		t.To = at
	}
}

func blockSeries(blocks []Block) []chart.Series {
	arms := []chart.Series{{Arm: swap.Baseline}, {Arm: swap.Candidate}}
	for _, b := range blocks {
		v, ok := b.TTFTP95ms.Get()
		if !ok {
			continue
		}
		for i := range arms {
			if arms[i].Arm == b.Arm {
				arms[i].Points = append(arms[i].Points, chart.Point{At: b.Started, Value: v})
			}
		}
	}
	return arms
}

func blockDesc(blocks []Block) string {
	unknown := 0
	for _, b := range blocks {
		if !b.TTFTP95ms.Valid() {
			unknown++
		}
	}
	return fmt.Sprintf("%d blocks of both arms in the order of time; %d have no value.", len(blocks), unknown)
}

func sourceRows(results []swap.TelemetryResult) []sourceRow {
	var rows []sourceRow
	for _, t := range results {
		for _, s := range t.Sources {
			rows = append(rows, newSourceRow(s))
		}
	}
	return rows
}

func newSourceRow(s swap.SourceState) sourceRow {
	row := sourceRow{
		Source: phrase.Clean(s.Source), Arm: armOrBoth(s.Arm),
		Samples: phrase.Count(s.Samples), Errors: phrase.Count(s.Errors), Remark: phrase.Clean(s.LastError),
	}
	if s.Required && s.Samples == 0 {
		row.Remark = strings.TrimSpace("required, but gave nothing. " + row.Remark)
	}
	return row
}

func armOrBoth(a swap.Arm) string {
	if a == "" {
		return "both"
	}
	return phrase.Clean(string(a))
}
