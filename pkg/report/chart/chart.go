// Package chart lays out the charts of a report: pure geometry from numbers to marks, without any markup. The report's
// templates draw the marks as inline SVG, so that escaping stays theirs and colours follow the reader's light or dark theme.
// Every mark names its look by class, never by colour. Values that are not finite are left out, never drawn as zero.
package chart

import (
	"math"
	"strconv"
	"strings"
)

// Chart is a drawing in a coordinate system of Width × Height pixels, origin top left.
type Chart struct {
	Width, Height float64
	// Title and Desc are what a screen reader says.
	Title, Desc string
	// Paths are drawn in order, and the labels on top of them.
	Paths  []Path
	Labels []Label
}

// Path is one or more outlines in the syntax of SVG's d attribute.
type Path struct {
	Class string
	D     string
}

// Label is a short text whose class says how it is aligned to X.
type Label struct {
	Class string
	X, Y  float64
	Text  string
}

// Empty reports whether the chart shows no data at all.
func (c Chart) Empty() bool {
	for _, p := range c.Paths {
		if strings.HasPrefix(p.Class, "arm-") {
			return false
		}
	}
	return true
}

func (c *Chart) path(class, d string) {
	if d != "" {
		c.Paths = append(c.Paths, Path{Class: class, D: d})
	}
}

func (c *Chart) label(class string, x, y float64, text string) {
	c.Labels = append(c.Labels, Label{Class: class, X: round(x), Y: round(y), Text: text})
}

// round keeps a tenth of a pixel, which is all that an eye can tell and keeps the files small and stable.
func round(v float64) float64 { return math.Round(v*10) / 10 }

func coord(v float64) string { return strconv.FormatFloat(round(v), 'f', -1, 64) }

func point(command string, x, y float64) string { return command + coord(x) + " " + coord(y) }

func segment(x1, y1, x2, y2 float64) string { return point("M", x1, y1) + point("L", x2, y2) }

func rectangle(x, y, w, h float64) string {
	return point("M", x, y) + "h" + coord(w) + "v" + coord(h) + "h" + coord(-w) + "z"
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
