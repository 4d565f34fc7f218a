package raster

import (
	"image/color"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/report/chart"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Plain is the colour of text.
var Plain = textInk

// Colours of the report on a white page.
var (
	white     = color.RGBA{0xff, 0xff, 0xff, 0xff}
	textInk   = color.RGBA{0x1b, 0x1f, 0x24, 0xff}
	muted     = color.RGBA{0x57, 0x60, 0x6a, 0xff}
	gridInk   = color.RGBA{0xe6, 0xea, 0xee, 0xff}
	bandInk   = color.RGBA{0xf0, 0xf3, 0xf6, 0xff}
	band2Ink  = color.RGBA{0xe6, 0xeb, 0xf0, 0xff}
	baseline  = color.RGBA{0x00, 0x68, 0xa8, 0xff}
	candidate = color.RGBA{0xb8, 0x4a, 0x00, 0xff}
	shared    = color.RGBA{0x3d, 0x46, 0x50, 0xff}
	passInk   = color.RGBA{0x1a, 0x6b, 0x3c, 0xff}
	failInk   = color.RGBA{0xb0, 0x20, 0x1a, 0xff}
	failSoft  = color.RGBA{0xfd, 0xea, 0xe8, 0xff}
	openInk   = color.RGBA{0x7a, 0x52, 0x00, 0xff}
	neutral   = color.RGBA{0x4a, 0x55, 0x60, 0xff}
)

// look is how a path is drawn. Widths are in units; 0 draws no line.
type look struct {
	fill, line *color.RGBA
	width      float64
	// on and off are the lengths of dashes; 0 draws a line without.
	on, off float64
}

// Ink is the colour of a decision.
func Ink(d swap.Decision) color.RGBA {
	switch d {
	case swap.Pass:
		return passInk
	case swap.Fail:
		return failInk
	case swap.Inconclusive:
		return openInk
	}
	return neutral
}

// lookOf reads the classes of a path, as the style sheet of the report does.
func lookOf(class string) look {
	words := strings.Fields(class)
	has := func(word string) bool { return slices.Contains(words, word) }
	switch {
	case has("gridline"):
		return look{line: &gridInk, width: 1}
	case has("axis"), has("zero"):
		return look{line: &muted, width: 1}
	case has("band"):
		if has("alternate") {
			return look{fill: &band2Ink}
		}
		return look{fill: &bandInk}
	case has("beyond"):
		return look{fill: &failSoft}
	case has("margin"):
		return look{line: &failInk, width: 1.5, on: 3, off: 2}
	case has("interval"):
		return intervalLook(has)
	}
	return armLook(has)
}

func intervalLook(has func(string) bool) look {
	ink := neutral
	for _, d := range []swap.Decision{swap.Pass, swap.Fail, swap.Inconclusive} {
		if has(string(d)) {
			ink = Ink(d)
		}
	}
	if has("dot") {
		return look{fill: &ink}
	}
	return look{line: &ink, width: 2.2}
}

func armLook(has func(string) bool) look {
	switch {
	case has("arm-baseline") && has("dot"):
		return look{fill: &white, line: &baseline, width: 1.6}
	case has("arm-candidate") && has("dot"):
		return look{fill: &candidate}
	case has("arm-baseline"):
		return look{line: &baseline, width: 1.8, on: 5, off: 3.5}
	case has("arm-candidate"):
		return look{line: &candidate, width: 1.8}
	}
	return look{line: &shared, width: 1.8}
}

// Chart draws a chart with its top left corner at x, y.
func (c *Canvas) Chart(x, y float64, ch chart.Chart) {
	for _, p := range ch.Paths {
		c.path(x, y, lookOf(p.Class), p.D)
	}
	for _, l := range ch.Labels {
		at := x + l.X
		switch {
		case strings.Contains(l.Class, "middle"):
			at -= TextWidth(l.Text, labelSize) / 2
		case strings.Contains(l.Class, "end"):
			at -= TextWidth(l.Text, labelSize)
		}
		c.Text(at, y+l.Y, labelSize, muted, l.Text)
	}
}

// labelSize is the size of a chart's labels, in units.
const labelSize = 11

func (c *Canvas) path(x, y float64, l look, d string) {
	lines, closed := outlines(d)
	for i := range lines {
		for j := range lines[i] {
			lines[i][j].x += x
			lines[i][j].y += y
		}
	}
	if l.fill != nil {
		for _, line := range lines {
			c.outline(c.pixels(line))
		}
		c.fill(*l.fill)
	}
	if l.width == 0 {
		return
	}
	for i, line := range lines {
		if closed[i] {
			line = append(line, line[0])
		}
		pieces := [][]vec{line}
		if l.on > 0 {
			pieces = dashed(line, l.on, l.off)
		}
		for _, piece := range pieces {
			c.stroke(c.pixels(piece), l.width*c.scale)
		}
	}
	c.fill(*l.line)
}

func (c *Canvas) pixels(line []vec) []vec {
	out := make([]vec, len(line))
	for i, v := range line {
		out[i] = vec{v.x * c.scale, v.y * c.scale}
	}
	return out
}
