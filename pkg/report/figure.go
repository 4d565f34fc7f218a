package report

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/report/chart"
)

// figure is a chart on the page.
type figure struct {
	// ID is unique on the page.
	ID    string
	Chart chart.Chart
	// Fit is empty, or says for which width of page the figure is: "wide" or "narrow".
	Fit string
	// Heading stands above the chart; Missing stands in its place where there is nothing to draw.
	Heading, Missing string
}

// figureIDs hands out an id for every figure of a page.
type figureIDs struct{ last int }

func (ids *figureIDs) figure(heading string, c chart.Chart) figure {
	ids.last++
	f := figure{ID: fmt.Sprintf("figure-%d", ids.last), Chart: c, Heading: heading}
	if c.Empty() {
		f.Missing = "n/a: no value was measured."
	}
	return f
}

// panel is one chart drawn twice: for a wide page and for a narrow one, because shrinking would make its text unreadable.
type panel struct {
	Heading      string
	Wide, Narrow figure
}

func (ids *figureIDs) panel(heading string, height float64, draw func(chart.Size) chart.Chart) panel {
	wide := ids.figure(heading, draw(chart.Size{Width: wideWidth, Height: height}))
	narrow := ids.figure(heading, draw(chart.Size{Width: columnWidth, Height: height}))
	wide.Fit, narrow.Fit = "wide", "narrow"
	return panel{Heading: heading, Wide: wide, Narrow: narrow}
}

// Widths of charts in pixels: one that spans a wide page, and one that fits a column or a phone.
const (
	wideWidth   = 1100
	columnWidth = 358
)

var columnSize = chart.Size{Width: columnWidth, Height: 230}
