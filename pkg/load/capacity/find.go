package capacity

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/stats/knee"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// kneeFall is by how much growth falls at the knee, relative to the growth before.
	kneeFall = 0.4
	// assumedError is the relative standard error of a throughput that does not tell its own.
	assumedError = 0.02
	// fewestLevels can have a knee.
	fewestLevels = 3
)

// Point is what one arm did at one load level.
type Point struct {
	// Step counts from 1: the step of the load that it comes from.
	Step int
	// Label names the level, as swap.Step does.
	Label string
	// Load is the concurrency, the share of the KV cache or the offered rate.
	Load float64
	// Throughput of good requests, in tokens per second.
	Throughput swap.Value
	// ThroughputSE is its standard error, such as by batch means over blocks; absent, 2 % of the throughput is assumed.
	ThroughputSE swap.Value
	// Blocks are the throughputs of the single blocks; without at least two at each level there are no intervals.
	Blocks []float64
	// TTFTP95ms is told with the knee.
	TTFTP95ms swap.Value
	// Limited says that a limit ended the step.
	Limited bool
}

// Find reads knee and saturation from the points of one arm, in any order. Of several points at one load the first counts.
// A point without a throughput, or with none at all, counts only for the limit that ended its step.
func Find(points []Point) swap.ArmCapacity {
	all := ordered(points)
	known := slices.DeleteFunc(slices.Clone(all), func(p Point) bool { return p.Throughput.Or(0) <= 0 })
	r := search{}
	if len(known) > 0 {
		r.Peak = level(slices.MaxFunc(known, func(a, b Point) int { return cmp.Compare(a.rate(), b.rate()) }))
	}
	r.findKnee(known)
	r.Bend = bend(known)
	r.findSaturation(all, known)
	return swap.ArmCapacity(r)
}

// search is a result while it is being found.
type search swap.ArmCapacity

// ordered sorts by load and keeps the first of equal loads. A load that is not positive has no place on the curve.
func ordered(points []Point) []Point {
	out := slices.DeleteFunc(slices.Clone(points), func(p Point) bool { return !(p.Load > 0) || math.IsInf(p.Load, 1) })
	slices.SortStableFunc(out, func(a, b Point) int { return cmp.Compare(a.Load, b.Load) })
	return slices.CompactFunc(out, func(a, b Point) bool { return a.Load == b.Load })
}

func (r *search) findKnee(known []Point) {
	if len(known) < fewestLevels {
		r.KneeMessage = fmt.Sprintf("a knee needs at least %d load levels with a throughput, and there %s %d",
			fewestLevels, isAre(len(known)), len(known))
		return
	}
	levels := make([]knee.Level, len(known))
	for i, p := range known {
		levels[i] = p.level()
	}
	fall, found := knee.GrowthFall(levels, kneeFall)
	if !found {
		r.KneeMessage = fmt.Sprintf("no knee was found up to %s: growth did not fall by %.0f %% beyond noise",
			known[len(known)-1].Label, 100*kneeFall)
		return
	}
	r.Knee = level(known[fall.At])
	r.KneeMessage = fmt.Sprintf("the knee is at %s (%s): 1 %% more load gives %s %% more throughput up to there, and %s %% from there to %s",
		r.Knee.Label, words(r.Knee), fixed(fall.Before.Value), fixed(fall.After.Value), known[fall.Next].Label)
}

func (r *search) findSaturation(all, known []Point) {
	flat, flatAt := firstFlat(known)
	limited := slices.IndexFunc(all, func(p Point) bool { return p.Limited })
	switch {
	case limited >= 0 && !(flat && flatAt.Load < all[limited].Load):
		r.Saturation = level(all[limited])
		r.SaturationMessage = fmt.Sprintf("a limit ended %s; %s", all[limited].Label, r.peakWords())
	case flat:
		r.Saturation = level(flatAt)
		r.SaturationMessage = fmt.Sprintf("%s adds no throughput beyond noise; %s", flatAt.Label, r.peakWords())
	case len(known) < 2:
		r.SaturationMessage = "saturation needs at least 2 load levels with a throughput, and there " +
			fmt.Sprintf("%s %d", isAre(len(known)), len(known))
	default:
		r.SaturationMessage = fmt.Sprintf("saturation was not reached up to %s; %s", known[len(known)-1].Label, r.peakWords())
	}
}

func (r *search) peakWords() string {
	if r.Peak == nil {
		return "no throughput is known"
	}
	return fmt.Sprintf("the highest throughput was %s tokens/s at %s", r.Peak.Throughput, r.Peak.Label)
}

// firstFlat is the first point that is not above the best before it beyond noise, although half of the growth so far would
// have shown.
func firstFlat(known []Point) (found bool, at Point) {
	best := 0
	for i := 1; i < len(known); i++ {
		gain := between(known[best], known[i])
		expected := 1.0
		if best > 0 {
			expected = between(known[0], known[best]).Value
		}
		if gain.Value <= gain.Noise && expected/2 > gain.Noise {
			return true, known[i]
		}
		if known[i].rate() > known[best].rate() {
			best = i
		}
	}
	return false, Point{}
}

func between(a, b Point) knee.Growth { return knee.Between(a.level(), b.level()) }

func (p Point) level() knee.Level {
	return knee.Level{Load: p.Load, Throughput: p.rate(), RelativeError: p.ThroughputSE.Or(assumedError*p.rate()) / p.rate()}
}

func (p Point) rate() float64 { return p.Throughput.Or(0) }
