package chart

import (
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// WeightPoint is the candidate's share of traffic from a time on, in percent.
type WeightPoint struct {
	From, To time.Time
	// Asked is the weight that was set, Realised the share of requests that the candidate answered.
	Asked    float64
	Realised swap.Value
}

// Weights draws the candidate's weight as steps over time, with the realised share of every window as a diamond.
func (t Timeline) Weights(title, desc string, size Size, windows []WeightPoint) Chart {
	c := Chart{Title: title, Desc: desc}
	f := t.frame(&c, size, Linear(0, 100))
	var asked, realised string
	command := "M"
	for _, w := range windows {
		y := f.py(w.Asked)
		asked += point(command, f.px(seconds(w.From)), y) + point("L", f.px(seconds(w.To)), y)
		command = "L"
		if share, ok := w.Realised.Get(); ok {
			middle := (f.px(seconds(w.From)) + f.px(seconds(w.To))) / 2
			realised += marker(swap.Candidate, middle, f.py(share), 3)
		}
	}
	c.path(armClass("", "line"), asked)
	c.path(armClass(swap.Candidate, "dot"), realised)
	return c
}
