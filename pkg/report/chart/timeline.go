package chart

import (
	"math"
	"time"
	"unicode/utf8"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Band shades a stretch of time, such as a load step, and names it at its top: by Label, by Short where Label does not fit, or
// not at all.
type Band struct {
	Label, Short string
	From, To     time.Time
}

// name is the longest name that fits into a width in pixels.
func (b Band) name(width float64) string {
	for _, name := range []string{b.Label, b.Short} {
		if float64(utf8.RuneCountInString(name))*6.2 < width {
			return name
		}
	}
	return ""
}

// Point is a value at a time.
type Point struct {
	At    time.Time
	Value float64
}

// Series is a line or a set of dots of one arm; without an arm it is drawn as belonging to both.
type Series struct {
	Arm    swap.Arm
	Points []Point
}

// Timeline is what the charts on one time axis share.
type Timeline struct {
	From, To time.Time
	Bands    []Band
}

// Dots draws every point by itself, from zero up.
func (t Timeline) Dots(title, desc string, size Size, series []Series) Chart {
	c := Chart{Title: title, Desc: desc}
	f := t.frame(&c, size, FromZero(highest(series)))
	for _, s := range series {
		var d string
		for _, p := range s.Points {
			if finite(p.Value) {
				d += marker(s.Arm, f.px(seconds(p.At)), f.py(p.Value), 3)
			}
		}
		c.path(armClass(s.Arm, "dot"), d)
	}
	return c
}

// Lines joins the points of each series. Several points on one pixel are drawn as their extremes.
func (t Timeline) Lines(title, desc string, size Size, series []Series) Chart {
	c := Chart{Title: title, Desc: desc}
	y := FromZero(highest(series))
	if low := lowest(series); low < 0 {
		y = Linear(low, highest(series))
	}
	f := t.frame(&c, size, y)
	for _, s := range series {
		c.path(armClass(s.Arm, "line thin"), f.polyline(s.Points))
	}
	return c
}

func (t Timeline) frame(c *Chart, size Size, y Scale) frame {
	f := newFrame(c, size, Clock(t.From, t.To), y)
	for i, b := range t.Bands {
		from, to := f.px(seconds(b.From)), f.px(seconds(b.To))
		if to <= from {
			continue
		}
		class := "band"
		if i%2 == 1 {
			class = "band alternate"
		}
		c.path(class, rectangle(from, f.top, to-from, f.bottom-f.top))
		if name := b.name(to - from); name != "" {
			c.label("band-name middle", (from+to)/2, f.top-3, name)
		}
	}
	f.axes()
	return f
}

// polyline joins finite points in order of time and keeps the lowest and highest of those on one pixel.
func (f frame) polyline(points []Point) string {
	var d string
	command := "M"
	emit := func(x, v float64) {
		d += point(command, x, f.py(v))
		command = "L"
	}
	for i := 0; i < len(points); {
		if !finite(points[i].Value) {
			command = "M"
			i++
			continue
		}
		x := f.px(seconds(points[i].At))
		first, low, high, last := points[i].Value, points[i].Value, points[i].Value, points[i].Value
		for i++; i < len(points) && finite(points[i].Value) && math.Floor(f.px(seconds(points[i].At))) == math.Floor(x); i++ {
			last = points[i].Value
			low, high = math.Min(low, last), math.Max(high, last)
		}
		emit(x, first)
		for _, v := range []float64{low, high, last} {
			if v != first {
				emit(x, v)
			}
		}
	}
	return d
}

func highest(series []Series) float64 {
	high := math.Inf(-1)
	for _, s := range series {
		for _, p := range s.Points {
			if finite(p.Value) {
				high = math.Max(high, p.Value)
			}
		}
	}
	return high
}

func lowest(series []Series) float64 {
	low := math.Inf(1)
	for _, s := range series {
		for _, p := range s.Points {
			if finite(p.Value) {
				low = math.Min(low, p.Value)
			}
		}
	}
	return low
}
