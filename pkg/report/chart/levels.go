package chart

import (
	"math"
	"unicode/utf8"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Levels draws one value per load step and arm, in the order of the steps. An absent value leaves a gap.
func Levels(title, desc string, size Size, steps []string, arms swap.PerArm[[]swap.Value]) Chart {
	c := Chart{Title: title, Desc: desc}
	high := math.Inf(-1)
	for _, arm := range swap.Arms {
		for _, v := range arms.Get(arm) {
			high = math.Max(high, v.Or(math.Inf(-1)))
		}
	}
	f := newFrame(&c, size, Linear(-0.5, float64(len(steps))-0.5), FromZero(high))
	f.yAxis(f.y.Ticks(4))
	f.xAxis(stepTicks(steps, f.right-f.left))
	for _, arm := range swap.Arms {
		var line, dots string
		command := "M"
		for i, v := range arms.Get(arm) {
			value, ok := v.Get()
			if !ok {
				command = "M"
				continue
			}
			x, y := f.px(float64(i)), f.py(value)
			line += point(command, x, y)
			dots += marker(arm, x, y, markerSize(arm))
			command = "L"
		}
		c.path(armClass(arm, "line"), line)
		c.path(armClass(arm, "dot"), dots)
	}
	return c
}

// markerSize leaves the baseline's circle visible around a candidate's diamond of the same value.
func markerSize(arm swap.Arm) float64 {
	if arm == swap.Baseline {
		return 4.5
	}
	return 3
}

// stepTicks labels as many steps as fit into width, and always the first.
func stepTicks(steps []string, width float64) []Tick {
	longest := 1
	for _, s := range steps {
		longest = max(longest, utf8.RuneCountInString(s))
	}
	fit := max(1, int(width/(float64(longest)*6.4+8)))
	var ticks []Tick
	for i, s := range steps {
		ticks = append(ticks, Tick{Value: float64(i), Label: s})
	}
	return everyNth(ticks, (len(ticks)+fit-1)/fit)
}
