package trace

import (
	"crypto/sha256"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Request is one recorded request.
type Request struct {
	// At is the time after the first request.
	At time.Duration
	// Input and Output are the lengths of prompt and answer in tokens, in the tokens of the recorded service; 0 or more.
	Input, Output int
}

// Recording is recorded arrivals.
type Recording struct {
	Format swap.TraceFormat
	// Requests are ascending in time, at least two. Those of one instant keep the order of the file.
	Requests []Request
	// Backwards counts the requests that are earlier than the one before them in the file.
	Backwards int
	// Unanswered counts the requests with no output. In BurstGPT these failed.
	Unanswered int
	// Tick is the step to which the times are rounded where that makes many requests share an instant, else 0. Taken at face
	// value such times are bursts that never were.
	Tick time.Duration

	sha256 [sha256.Size]byte
}

// Span is the time from the first request to the last.
func (r *Recording) Span() time.Duration { return r.Requests[len(r.Requests)-1].At }

// SHA256 is the hash of the file.
func (r *Recording) SHA256() [sha256.Size]byte { return r.sha256 }

// Gaps returns the times from each request to the next, one fewer than there are requests. With a seed, the requests are
// first spread over their ticks: moved forward by independent uniform times below Tick, in an unchanged order. Without a tick
// a seed changes nothing.
func (r *Recording) Gaps(jitterSeed *uint64) []time.Duration {
	at := make([]time.Duration, len(r.Requests))
	for i, q := range r.Requests {
		at[i] = q.At
	}
	if jitterSeed != nil && r.Tick > 0 {
		spread(at, r.Tick, *jitterSeed)
	}
	gaps := make([]time.Duration, len(at)-1)
	for i := range gaps {
		gaps[i] = at[i+1] - at[i]
	}
	return gaps
}

// Circle is Gaps with a last one, from the last request back to the first, so that a recording that begins anew repeats all of its
// requests. No recording tells how long that is: it is the mean gap.
func (r *Recording) Circle(jitterSeed *uint64) []time.Duration {
	gaps := r.Gaps(jitterSeed)
	var sum time.Duration
	for _, gap := range gaps {
		sum += gap
	}
	return append(gaps, sum/time.Duration(len(gaps)))
}

// jitterStream keeps jitter independent of what else is drawn from a seed.
const jitterStream = 0x8ebc6af09c88c6e3

func spread(at []time.Duration, tick time.Duration, seed uint64) {
	random := rand.New(rand.NewPCG(seed, jitterStream))
	for i := range at {
		at[i] += time.Duration(random.Float64() * float64(tick))
	}
	slices.Sort(at)
}

// LongestRequest is the most tokens, prompt and answer together, that a request needs which repeats the recorded lengths: what
// the context of a model must hold. topology is nil where every request stands alone. A unit of work may begin with any recorded
// request, and those after it are its further turns.
func (r *Recording) LongestRequest(topology *swap.Topology) int {
	shape, size := swap.Shape(""), 1
	if topology != nil {
		shape, size = topology.Shape, topology.Size
	}
	circle, longest := r.Requests, 0
	unit := make([]Request, size)
	for start := range circle {
		for k := range unit {
			q := circle[(start+k)%len(circle)]
			unit[k] = Request{Input: max(1, q.Input), Output: max(1, q.Output)}
		}
		longest = max(longest, longestTurn(unit, shape))
	}
	return longest
}

// longestTurn is the longest request of a unit: in a session each turn holds all before it, in a ring the answer before it, and
// in a star all prompts are as long as the first.
func longestTurn(unit []Request, shape swap.Shape) int {
	longest, carried := 0, 0
	for _, q := range unit {
		if shape == swap.ShapeStar {
			q.Input = unit[0].Input
		}
		longest = max(longest, carried+q.Input+q.Output)
		switch shape {
		case swap.ShapeSession:
			carried += q.Input + q.Output
		case swap.ShapeRing:
			carried = q.Output
		case swap.ShapeStar:
		}
	}
	return longest
}
