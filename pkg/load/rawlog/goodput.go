package rawlog

import (
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Objective is a limit in ms on a per-request metric.
type Objective struct {
	Metric swap.Metric
	MostMS float64
}

// Goodput is how many measured requests kept all objectives.
type Goodput struct {
	// Met kept them, Missed failed or broke one; Unknown gave an answer but lack a metric that an objective is about.
	Met, Missed, Unknown int
}

// GoodputOf holds the measured requests to objectives. A failed request has missed; one that was abandoned is not counted.
// An answer of fewer than two tokens has no time per token and keeps any objective on it.
func GoodputOf(records []Record, objectives ...Objective) Goodput {
	var g Goodput
	for i := range records {
		g.add(&records[i], objectives)
	}
	return g
}

func (g *Goodput) add(r *Record, objectives []Objective) {
	switch {
	case !r.Measured || swap.Outcome(r.Outcome) == swap.Abandoned:
		return
	case !r.Good():
		g.Missed++
		return
	}
	unknown := false
	for _, o := range objectives {
		v, has := r.PerRequest(o.Metric).Get()
		switch {
		case has && v > o.MostMS:
			g.Missed++
			return
		case !has && (o.Metric != swap.MetricTPOT || r.OutputTokens == nil || *r.OutputTokens > 1):
			unknown = true
		}
	}
	if unknown {
		g.Unknown++
		return
	}
	g.Met++
}

// Share is the part of the requests that met the objectives; absent where one of them is unknown or there are none.
func (g Goodput) Share() swap.Value {
	if g.Unknown > 0 {
		return swap.Absent()
	}
	return swap.Of(float64(g.Met) / float64(g.Met+g.Missed))
}

// PerSecond is the rate of requests that met the objectives in a measured time; absent where one is unknown.
func (g Goodput) PerSecond(measured time.Duration) swap.Value {
	if g.Unknown > 0 || measured <= 0 {
		return swap.Absent()
	}
	return swap.Of(float64(g.Met) / measured.Seconds())
}
