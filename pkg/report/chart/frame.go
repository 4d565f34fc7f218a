package chart

import "math"

// Size is the size of a chart in pixels, its axes included.
type Size struct{ Width, Height float64 }

// The margins of the plotting area. They are the same for every chart, so that charts on one time axis line up.
const (
	marginLeft   = 48
	marginRight  = 12
	marginTop    = 14
	marginBottom = 24
	axisGap      = 6
)

// tickRoom is the width that one label of the x axis needs.
const tickRoom = 62

// frame is a plotting area with its two scales.
type frame struct {
	chart                    *Chart
	x, y                     Scale
	left, right, top, bottom float64
}

func newFrame(c *Chart, size Size, x, y Scale) frame {
	c.Width, c.Height = size.Width, size.Height
	return frame{
		chart: c, x: x, y: y,
		left: marginLeft, right: size.Width - marginRight, top: marginTop, bottom: size.Height - marginBottom,
	}
}

func (f frame) px(v float64) float64 { return f.left + f.x.At(v)*(f.right-f.left) }

func (f frame) py(v float64) float64 { return f.bottom - f.y.At(v)*(f.bottom-f.top) }

// yAxis draws a grid line and a label for every tick.
func (f frame) yAxis(ticks []Tick) {
	var grid string
	for _, t := range ticks {
		y := f.py(t.Value)
		grid += segment(f.left, y, f.right, y)
		f.chart.label("tick end", f.left-axisGap, y+4, t.Label)
	}
	f.chart.path("gridline", grid)
}

// xAxis draws a base line and a label for every tick.
func (f frame) xAxis(ticks []Tick) {
	base := segment(f.left, f.bottom, f.right, f.bottom)
	for _, t := range ticks {
		x := f.px(t.Value)
		base += segment(x, f.bottom, x, f.bottom+4)
		f.chart.label("tick middle", f.clearOfEdges(x, t.Label), f.bottom+17, t.Label)
	}
	f.chart.path("axis", base)
}

// clearOfEdges moves the centre of a label inside the drawing.
func (f frame) clearOfEdges(x float64, text string) float64 {
	half := float64(len(text)) * 3.2
	return math.Min(math.Max(x, half), f.chart.Width-half)
}

func (f frame) axes() {
	f.yAxis(f.y.Ticks(max(2, int((f.bottom-f.top)/36))))
	f.xAxis(f.x.Ticks(int((f.right - f.left) / tickRoom)))
}
