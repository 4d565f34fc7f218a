package chart

import (
	"math"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Interval is a change with its bounds, in units of the gate's margin and signed so that worse is positive: the margin
// is always at 1.
type Interval struct {
	Change, Low, High swap.Value
	// TwoSided has a margin at −1 too: a change either way is bad.
	TwoSided bool
	// Decision picks the look: pass, fail or inconclusive.
	Decision swap.Decision
}

// Reach is the largest change, in margins, that a set of intervals should show: between 1.6 and 4.
func Reach(intervals []Interval) float64 {
	reach := 1.6
	for _, i := range intervals {
		for _, v := range []swap.Value{i.Change, i.Low, i.High} {
			reach = math.Max(reach, math.Abs(v.Or(0))*1.1)
		}
	}
	return math.Min(reach, 4)
}

// Forest draws an interval on one line against no change and the margin. What lies beyond the reach ends in an arrow.
func Forest(title, desc string, size Size, reach float64, i Interval) Chart {
	c := Chart{Title: title, Desc: desc, Width: size.Width, Height: size.Height}
	const pad = 6
	scale := Linear(-reach, reach)
	x := func(v float64) float64 { return pad + scale.At(v)*(size.Width-2*pad) }
	middle := size.Height / 2
	c.path("beyond", rectangle(x(1), 0, x(reach)-x(1), size.Height))
	c.path("margin", segment(x(1), 0, x(1), size.Height))
	if i.TwoSided {
		c.path("beyond", rectangle(x(-reach), 0, x(-1)-x(-reach), size.Height))
		c.path("margin", segment(x(-1), 0, x(-1), size.Height))
	}
	c.path("zero", segment(x(0), 0, x(0), size.Height))
	look := "interval " + string(i.Decision)
	low, hasLow := i.Low.Get()
	high, hasHigh := i.High.Get()
	if hasLow && hasHigh {
		c.path(look+" line", segment(x(low), middle, x(high), middle))
		c.path(look+" line", endCap(x(low), middle, low < -reach, -1)+endCap(x(high), middle, high > reach, 1))
	}
	if v, ok := i.Change.Get(); ok && math.Abs(v) <= reach {
		c.path(look+" dot", marker(swap.Candidate, x(v), middle, 4))
	}
	return c
}

// endCap ends an interval: a stroke across where it is a bound, an arrow where the bound lies outside the drawing.
func endCap(x, y float64, outside bool, side float64) string {
	if outside {
		return point("M", x-side*5, y-4) + point("L", x, y) + point("L", x-side*5, y+4)
	}
	return segment(x, y-4, x, y+4)
}
