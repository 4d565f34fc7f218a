package jitter

import (
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/load/hold"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/stats/outlier"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// deviations is how many standard deviations of the logarithm above the median are unusual.
	deviations = 3.5
	// normalMAD makes a median absolute deviation the standard deviation of normal values.
	normalMAD = 1.4826
	// coldRequests of a block may be slow because caches and connections are cold.
	coldRequests = 10
	// apart is how many neighbours in time on each side of a glitch are no outliers.
	apart = 2
)

// slow is an outlier with its label.
type slow struct {
	request
	// step and block place it.
	step, block int
	kind        swap.JitterKind
	// gap is the time in seconds since the outlier before it in its block, or since the block's first request; in is the time since the
	// step began.
	gap, in float64
}

// fence is the time to first token above which a request of a step is unusual: latencies are nearly lognormal, so that a fence on
// the plain scale would take their tail for jitter.
func fence(blocks []block) float64 {
	var logs []float64
	for _, b := range blocks {
		logs = append(logs, b.logs()...)
	}
	slices.Sort(logs)
	median := stats.Quantile(logs, .5)
	for i, v := range logs {
		logs[i] = math.Abs(v - median)
	}
	slices.Sort(logs)
	return math.Exp(median + deviations*normalMAD*stats.Quantile(logs, .5))
}

func (b block) logs() []float64 {
	logs := make([]float64, len(b.requests))
	for i, r := range b.requests {
		logs[i] = math.Log(r.ttft)
	}
	return logs
}

// label labels the outliers of a block in the order of time. The first kind that fits is the one: a block that begins cold
// has slow requests side by side, which would pass for part of a period or for none.
func (b block) label(above float64) (found []slow, period float64) {
	var at []int
	for i, r := range b.requests {
		if r.ttft > above {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return nil, 0
	}
	settled := b.settled()
	warm := slices.DeleteFunc(slices.Clone(at), func(i int) bool { return i < settled })
	beat, periodic := findBeat(b.requests, settled, warm)
	glitches := b.glitches()
	last := b.requests[0].sent
	for k, i := range at {
		r := b.requests[i]
		s := slow{request: r, step: b.step, block: b.number, kind: swap.JitterUnexplained, gap: seconds(r.sent - last)}
		last = r.sent
		switch {
		case i < settled:
			s.kind = swap.JitterColdStart
		case periodic && beat.has(r.sent):
			s.kind = swap.JitterPeriodic
		case glitches[i] && alone(at, k):
			s.kind = swap.JitterGlitch
		}
		found = append(found, s)
	}
	if periodic {
		period = beat.period
	}
	return found, period
}

// settled is how many requests of a block count as its cold start: the first ones, and all before MSER-5 sees it steady.
func (b block) settled() int {
	ttft := make([]float64, len(b.requests))
	for i, r := range b.requests {
		ttft[i] = r.ttft
	}
	n, _ := hold.Transient(ttft)
	return max(n, coldRequests)
}

// glitches are the requests that Hampel's filter sees.
func (b block) glitches() map[int]bool {
	seen := map[int]bool{}
	found, err := outlier.Hampel(b.logs(), outlier.HampelDefaults())
	if err != nil {
		return seen
	}
	for _, i := range found {
		seen[i] = true
	}
	return seen
}

// alone reports whether no other outlier is near outlier k in time.
func alone(at []int, k int) bool {
	return (k == 0 || at[k]-at[k-1] > apart) && (k == len(at)-1 || at[k+1]-at[k] > apart)
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }
