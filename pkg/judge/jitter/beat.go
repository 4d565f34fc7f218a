package jitter

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats/outlier"
)

const (
	// mostBins bounds the series of a block that a period is looked for in; perBin requests fill a bin on average.
	mostBins, perBin = 512, 4
	// fewestCycles is how often a period must fit in: what comes once or twice is a drift.
	fewestCycles = 3
	// certain is the significance level of a period, for one block.
	certain = 0.001
	// fewestSlow outliers can be periodic.
	fewestSlow = 4
	// together is the mean resultant length above which outliers share a phase.
	together = 0.8
	// multiples of a period are tried: short spikes are as strong in the harmonics of their period as in the period itself.
	multiples = 8
	// tunings are tried on each side of a frequency.
	tunings = 10
	// nearby is how far from the common phase, in cycles, an outlier may be.
	nearby = 0.15
)

// beat is a period in seconds, with the phase at which outliers come, in cycles since the time from.
type beat struct {
	from          int64
	period, phase float64
}

// findBeat looks for a period in the mean logarithm of the latency over time by Fisher's g-test, and then whether the outliers
// keep to it, or to a multiple of it: the longest that they do.
func findBeat(requests []request, settled int, slowAt []int) (found beat, ok bool) {
	if len(slowAt) < fewestSlow || settled >= len(requests) {
		return beat{}, false
	}
	steady := requests[settled:]
	series, width := bins(steady)
	g, ok := outlier.GTest(series)
	if !ok || g.P > certain || g.Cycles < fewestCycles {
		return beat{}, false
	}
	ok = false
	length := width * float64(len(series))
	for k := 1; k <= multiples; k++ {
		if float64(k)*g.Period*width*fewestCycles > length {
			break
		}
		if b := tuned(steady[0].sent, float64(k), float64(g.Cycles)/length, length, requests, slowAt); b.meet(requests, slowAt) >= together {
			found, ok = b.at(requests, slowAt), true
		}
	}
	return found, ok
}

// tuned is k periods of a frequency, within half a step of the periodogram the one that the outliers keep to best: over many cycles
// the step is too coarse for a phase.
func tuned(from int64, k, frequency, length float64, requests []request, slowAt []int) (best beat) {
	most := -1.
	for i := -tunings; i <= tunings; i++ {
		b := beat{from: from, period: k / (frequency + float64(i)/(2*tunings*length))}
		if r := b.meet(requests, slowAt); r > most {
			best, most = b, r
		}
	}
	return best
}

// bins are the mean logarithms of the latency over equal times of width seconds; an empty bin has the value before it.
func bins(requests []request) (series []float64, width float64) {
	first := requests[0].sent
	length := seconds(requests[len(requests)-1].sent - first)
	n := min(mostBins, len(requests)/perBin)
	if n < 2 || length <= 0 {
		return nil, 0
	}
	width = length / float64(n)
	series = make([]float64, n)
	counts := make([]float64, n)
	for _, r := range requests {
		k := min(n-1, int(seconds(r.sent-first)/width))
		series[k] += math.Log(r.ttft)
		counts[k]++
	}
	for k := range series {
		switch {
		case counts[k] > 0:
			series[k] /= counts[k]
		case k > 0:
			series[k] = series[k-1]
		}
	}
	return series, width
}

// cycles is the time in periods.
func (b beat) cycles(sent int64) float64 { return seconds(sent-b.from) / b.period }

func (b beat) sums(requests []request, at []int) (cos, sin float64) {
	for _, i := range at {
		s, c := math.Sincos(2 * math.Pi * b.cycles(requests[i].sent))
		cos, sin = cos+c, sin+s
	}
	return cos, sin
}

// meet is the mean resultant length of the phases of the outliers: 1 where all share one, near 0 where they are spread evenly.
func (b beat) meet(requests []request, at []int) float64 {
	cos, sin := b.sums(requests, at)
	return math.Hypot(cos, sin) / float64(len(at))
}

// at is the beat with the phase of the outliers.
func (b beat) at(requests []request, at []int) beat {
	cos, sin := b.sums(requests, at)
	b.phase = math.Atan2(sin, cos) / (2 * math.Pi)
	return b
}

// has reports whether a time is at the phase of the beat.
func (b beat) has(sent int64) bool {
	off := b.cycles(sent) - b.phase
	return math.Abs(off-math.Round(off)) <= nearby
}
