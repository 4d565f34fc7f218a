package calibration

import (
	"time"

	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/workload"
)

// mostSampled is how many requests of the plan are looked at for their lengths, about. Writing a prompt to learn its length costs as
// much as to send it.
const mostSampled = 256

// length is how long a request and its answer are, in tokens.
type length struct{ input, output int }

// turn is a request of a unit of work.
type turn struct {
	length
	follows bool
	think   time.Duration
}

// sample is the first units of work of a plan. Later ones are taken to be like them.
type sample [][]turn

func sampleOf(p load.Plan) sample {
	units := make(sample, max(1, mostSampled/p.UnitSize()))
	for n := range units {
		units[n] = turnsOf(p.Unit(n))
	}
	return units
}

// turnsOf are lengths of at least one token, also of what is not counted in tokens.
func turnsOf(u workload.Unit) []turn {
	turns := make([]turn, len(u.Turns))
	for i, t := range u.Turns {
		turns[i] = turn{length{max(1, t.InputTokens), max(1, t.MaxTokens)}, t.Follows, t.Think}
	}
	return turns
}

// of is what unit n is like.
func (s sample) of(n int) []turn { return s[n%len(s)] }

// lengths are those of all requests, unit after unit.
func (s sample) lengths() []length {
	var all []length
	for _, unit := range s {
		for _, t := range unit {
			all = append(all, t.length)
		}
	}
	return all
}
