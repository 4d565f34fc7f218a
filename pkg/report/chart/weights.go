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

// Weights draws the candidate's weight as steps over time up to the final one, with the realised share of every window as
// a diamond.
func (t Timeline) Weights(title, desc string, size Size, windows []WeightPoint, final float64) Chart {
	c := Chart{Title: title, Desc: desc}
	f := t.frame(&c, size, Linear(0, 100))
	var asked, realised string
	for i, w := range windows {
		x, y := f.px(seconds(w.From)), f.py(w.Asked)
		if i == 0 {
			asked = point("M", x, y)
		} else {
			asked += "H" + coord(x) + "V" + coord(y)
		}
		if share, ok := w.Realised.Get(); ok {
			realised += marker(swap.Candidate, (x+f.px(seconds(w.To)))/2, f.py(share), 3)
		}
	}
	if len(windows) > 0 {
		end := f.px(seconds(windows[len(windows)-1].To))
		asked += "H" + coord(end) + "V" + coord(f.py(final)) + "H" + coord(f.right)
	}
	c.path(armClass("", "line"), asked)
	c.path(armClass(swap.Candidate, "dot"), realised)
	return c
}
