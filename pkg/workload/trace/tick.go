package trace

import (
	"math"
	"slices"
	"time"
)

const (
	// tickTies is the share of requests that must have the time of the one before for a tick to matter.
	tickTies = 0.05
	// tickGaps is the least number of different instants that show a tick.
	tickGaps = 10
	// tickError is how far from a multiple of the tick a gap may be, as a share of the tick: recorders are late.
	tickError = 0.01
	// tickStrays is the share of gaps that may be farther away.
	tickStrays = 0.01
)

// detectTick returns the step to which ascending times are rounded, or 0. It is the median of the shortest gaps between
// different instants, if nearly all gaps are multiples of it.
func detectTick(requests []Request) time.Duration {
	gaps := positiveGaps(requests)
	ties := len(requests) - 1 - len(gaps)
	if len(gaps) < tickGaps || float64(ties) < tickTies*float64(len(requests)-1) {
		return 0
	}
	slices.Sort(gaps)
	single, _ := slices.BinarySearch(gaps, gaps[0]+gaps[0]/2)
	tick := gaps[single/2]
	strays := 0
	for _, gap := range gaps {
		multiple := float64(gap) / float64(tick)
		if math.Abs(multiple-math.Round(multiple)) > tickError {
			strays++
		}
	}
	if float64(strays) > tickStrays*float64(len(gaps)) {
		return 0
	}
	return tick
}

func positiveGaps(requests []Request) []time.Duration {
	var gaps []time.Duration
	for i := 1; i < len(requests); i++ {
		if gap := requests[i].At - requests[i-1].At; gap > 0 {
			gaps = append(gaps, gap)
		}
	}
	return gaps
}
