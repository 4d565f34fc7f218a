package report

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/report/chart"
	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/report/raster"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Sizes of a picture, in pixels of a page; it has twice as many of its own.
const (
	pictureWidth  = 640
	pictureScale  = 2
	pictureMargin = 16
	titleSize     = 18
	headingSize   = 12
	rowHeight     = 30
	// pictureGates is how many gates a picture shows: those that did not pass first.
	pictureGates = 8
	labelWidth   = 190
	changeWidth  = 120
	// A name is cut to fit its column.
	maxGateName, maxTitle = 30, 52
)

// part is one chart of a picture, or a row of it.
type part struct {
	height float64
	draw   func(c *raster.Canvas, y float64)
}

// PNG is the main charts of a verdict as a picture, for messages: the distribution of TTFT, the gates against their margins and the
// weights of the rollout, each where it was measured. Without any it is nil.
func PNG(d Data) ([]byte, error) {
	var parts []part
	parts = append(parts, ttftPart(d)...)
	parts = append(parts, gateParts(d.Verdict)...)
	parts = append(parts, weightsPart(d.Verdict)...)
	if len(parts) == 0 {
		return nil, nil
	}
	parts = append([]part{titlePart(d.Verdict)}, parts...)
	height := 2.0 * pictureMargin
	for _, p := range parts {
		height += p.height
	}
	c := raster.New(pictureWidth, height, pictureScale)
	y := float64(pictureMargin)
	for _, p := range parts {
		p.draw(c, y)
		y += p.height
	}
	return c.PNG()
}

func titlePart(v swap.Verdict) part {
	return part{height: 62, draw: func(c *raster.Canvas, y float64) {
		word := phrase.Word(v.Verdict)
		c.Text(pictureMargin, y+titleSize, titleSize, raster.Ink(v.Verdict), word)
		x := pictureMargin + raster.TextWidth(word+" ", titleSize)
		c.Text(x, y+titleSize, titleSize, raster.Plain, phrase.Clip(phrase.Clean(v.Target), maxTitle))
		x = float64(pictureMargin)
		for _, arm := range swap.Arms {
			c.Chart(x, y+32, swatch(arm))
			name := fmt.Sprintf("%s: %s", arm, phrase.Clip(phrase.Model(v.Arms.Get(arm)), maxGateName))
			c.Text(x+34, y+44, headingSize, raster.Plain, name)
			x += 34 + raster.TextWidth(name, headingSize) + 24
		}
	}}
}

// swatch is the sign of an arm, as the page's legend has it.
func swatch(arm swap.Arm) chart.Chart {
	d := "M13 4L17 8L13 12L9 8z"
	if arm == swap.Baseline {
		d = "M10 8a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z"
	}
	class := "arm-" + string(arm)
	return chart.Chart{Paths: []chart.Path{{Class: class + " line", D: "M0 8L26 8"}, {Class: class + " dot", D: d}}}
}

// titled is a chart below its heading.
func titled(heading string, ch chart.Chart) part {
	return part{height: ch.Height + 36, draw: func(c *raster.Canvas, y float64) {
		c.Text(pictureMargin, y+18, headingSize, raster.Plain, heading)
		c.Chart(pictureMargin, y+26, ch)
	}}
}

func ttftPart(d Data) []part {
	for _, l := range d.Latency {
		if l.Metric != swap.MetricTTFT {
			continue
		}
		sample := func(s Samples) chart.Sample { return chart.Sample{Sorted: chart.Finite(s.SortedMS), Failed: s.Failed} }
		arms := swap.PerArm[chart.Sample]{Baseline: sample(l.Arms.Baseline), Candidate: sample(l.Arms.Candidate)}
		size := chart.Size{Width: pictureWidth - 2*pictureMargin, Height: 200}
		if ch := chart.ECDF("", "", size, arms); !ch.Empty() {
			return []part{titled("Share of requests that had their first token within a time, in ms", ch)}
		}
	}
	return nil
}

func gateParts(v swap.Verdict) []part {
	gates := worstFirst(v.Gates)
	if len(gates) == 0 {
		return nil
	}
	intervals := make([]chart.Interval, len(gates))
	for i, g := range gates {
		intervals[i] = inMargins(g)
	}
	reach := chart.Reach(intervals)
	parts := []part{{height: 28, draw: func(c *raster.Canvas, y float64) {
		c.Text(pictureMargin, y+18, headingSize, raster.Plain, "Change against the margin (dashed); worse is to the right")
	}}}
	for i, g := range gates {
		size := chart.Size{Width: pictureWidth - 2*pictureMargin - labelWidth - changeWidth, Height: rowHeight - 4}
		forest := chart.Forest("", "", size, reach, intervals[i])
		parts = append(parts, part{height: rowHeight, draw: func(c *raster.Canvas, y float64) {
			c.Text(pictureMargin, y+17, headingSize, raster.Plain, phrase.Clip(phrase.Gate(g.Gate), maxGateName))
			c.Chart(pictureMargin+labelWidth, y, forest)
			c.Text(pictureWidth-pictureMargin-changeWidth+10, y+17, headingSize, raster.Ink(g.Decision), phrase.Change(g))
		}})
	}
	return parts
}

// worstFirst are the gates that a picture shows.
func worstFirst(all []swap.GateResult) []swap.GateResult {
	var gates []swap.GateResult
	for _, passed := range []bool{false, true} {
		for _, g := range all {
			if len(gates) < pictureGates && (g.Decision == swap.Pass) == passed {
				gates = append(gates, g)
			}
		}
	}
	return gates
}

func weightsPart(v swap.Verdict) []part {
	if v.Rollout == nil || len(v.Rollout.Windows) == 0 {
		return nil
	}
	axis, points := weightsOverTime(v.Rollout.Windows)
	size := chart.Size{Width: pictureWidth - 2*pictureMargin, Height: 150}
	ch := axis.Weights("", "", size, points, float64(v.Rollout.Final.Candidate))
	return []part{titled("Candidate's share of traffic, in %, over time (UTC)", ch)}
}
