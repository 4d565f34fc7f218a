package telemetry

import (
	"cmp"
	"slices"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Point is one value at one time.
type Point struct {
	Time  time.Time
	Value float64
}

// TimeSeries is one metric of one source, arm and GPU over time, for charts.
type TimeSeries struct {
	Source string
	Arm    swap.Arm
	GPU    string
	// Metric is the canonical name; a counter appears under its RateName, in units per second.
	Metric string
	Points []Point
	// Resets counts the times a counter fell: its source restarted, and what was measured then does not count.
	Resets int
}

// Series groups samples by source, arm, GPU and metric, in the order of those and of time. A counter becomes its rate
// between two samples, stamped with the later one. No rate spans a reset or a change of origin.
func Series(samples []Sample) []TimeSeries {
	sorted := slices.SortedFunc(slices.Values(samples), compareSamples)
	var out []TimeSeries
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && sameSeries(sorted[0], sorted[n]) {
			n++
		}
		out = append(out, seriesOf(sorted[:n]))
		sorted = sorted[n:]
	}
	return out
}

func compareSamples(a, b Sample) int {
	return cmp.Or(
		cmp.Compare(a.Source, b.Source), cmp.Compare(a.Arm, b.Arm), cmp.Compare(a.Metric, b.Metric),
		cmp.Compare(a.GPU, b.GPU), cmp.Compare(a.TimeUnixNS, b.TimeUnixNS),
	)
}

func sameSeries(a, b Sample) bool {
	return a.Source == b.Source && a.Arm == b.Arm && a.Metric == b.Metric && a.GPU == b.GPU
}

func seriesOf(group []Sample) TimeSeries {
	first := group[0]
	ts := TimeSeries{Source: first.Source, Arm: swap.Arm(first.Arm), GPU: first.GPU, Metric: first.Metric}
	if IsCounter(first.Metric) {
		ts.Metric = RateName(first.Metric)
		ts.Points, ts.Resets = rates(group)
		return ts
	}
	for _, s := range group {
		ts.Points = append(ts.Points, Point{Time: time.Unix(0, s.TimeUnixNS), Value: s.Value})
	}
	return ts
}

func rates(group []Sample) (points []Point, resets int) {
	for i := 1; i < len(group); i++ {
		prev, next := group[i-1], group[i]
		grown, reset := Increase(prev.Value, next.Value)
		seconds := float64(next.TimeUnixNS-prev.TimeUnixNS) / 1e9
		switch {
		case reset:
			resets++
		case prev.Origin == next.Origin && seconds > 0:
			points = append(points, Point{Time: time.Unix(0, next.TimeUnixNS), Value: grown / seconds})
		}
	}
	return points, resets
}

// Increase is how far a counter grew between two readings. A counter that fell was reset: how far it had come before is
// not known, so the growth is 0 and says nothing.
func Increase(prev, next float64) (grown float64, reset bool) {
	if next < prev {
		return 0, true
	}
	return next - prev, false
}
