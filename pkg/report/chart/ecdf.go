package chart

import (
	"math"
	"sort"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Sample is the distribution of one arm.
type Sample struct {
	// Sorted holds the values in ascending order.
	Sorted []float64
	// Failed counts requests without a value. They rank above every value, so the curve ends below 100 %.
	Failed int
}

// quantileMarks are the quantiles that get a marker on a distribution.
var quantileMarks = [...]float64{0.5, 0.95, 0.99}

// ECDF draws the share of requests (0–100 %) that were at most x, on a logarithmic x axis.
func ECDF(title, desc string, size Size, arms swap.PerArm[Sample]) Chart {
	c := Chart{Title: title, Desc: desc}
	low, high := math.Inf(1), math.Inf(-1)
	for _, arm := range swap.Arms {
		for _, v := range arms.Get(arm).Sorted {
			if finite(v) && v > 0 {
				low, high = math.Min(low, v), math.Max(high, v)
			}
		}
	}
	f := newFrame(&c, size, Log(low, high), Linear(0, 1))
	f.yAxis([]Tick{{0, "0 %"}, {0.25, "25 %"}, {0.5, "50 %"}, {0.75, "75 %"}, {0.95, "95 %"}})
	f.xAxis(f.x.Ticks(int((f.right - f.left) / tickRoom)))
	for _, arm := range swap.Arms {
		s := arms.Get(arm)
		c.path(armClass(arm, "line"), f.steps(s))
		c.path(armClass(arm, "dot"), f.quantiles(arm, s))
	}
	return c
}

// steps outlines the curve with at most one step a pixel.
func (f frame) steps(s Sample) string {
	n := len(s.Sorted) + s.Failed
	if len(s.Sorted) == 0 {
		return ""
	}
	var d strings.Builder
	d.WriteString(point("M", f.px(s.Sorted[0]), f.py(0)))
	for i, v := range s.Sorted {
		last := i == len(s.Sorted)-1
		if !last && math.Floor(f.px(s.Sorted[i+1])) == math.Floor(f.px(v)) {
			continue
		}
		d.WriteString("H" + coord(f.px(v)) + "V" + coord(f.py(float64(i+1)/float64(n))))
	}
	return d.String()
}

func (f frame) quantiles(arm swap.Arm, s Sample) string {
	var d strings.Builder
	n := len(s.Sorted) + s.Failed
	for _, q := range quantileMarks {
		if rank := int(math.Ceil(q * float64(n))); rank >= 1 && rank <= len(s.Sorted) {
			d.WriteString(marker(arm, f.px(s.Sorted[rank-1]), f.py(float64(rank)/float64(n)), 3))
		}
	}
	return d.String()
}

// Finite returns a sorted copy of values without those that are not finite.
func Finite(values []float64) []float64 {
	kept := make([]float64, 0, len(values))
	for _, v := range values {
		if finite(v) {
			kept = append(kept, v)
		}
	}
	sort.Float64s(kept)
	return kept
}
