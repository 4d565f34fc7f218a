package config

import (
	"fmt"
	"math"
	"time"

	"github.com/swapgate/swapgate/pkg/load/arrival"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Requests is the expected number of measured requests of one arm. Where it depends on how fast the servers answer, it is the
// range over all latencies.
type Requests struct {
	Least float64 `json:"least"`
	// Most is absent where faster servers always get more requests.
	Most swap.Value `json:"most"`
}

// Get returns the number, and whether the plan alone decides it.
func (r Requests) Get() (n float64, known bool) {
	most, bounded := r.Most.Get()
	return r.Least, bounded && most == r.Least
}

// String names the number for a person, or why there is none.
func (r Requests) String() string {
	most, bounded := r.Most.Get()
	_, known := r.Get()
	switch {
	case known:
		return fmt.Sprintf("about %s per arm", requestsText(r.Least))
	case bounded && r.Least > 0:
		return fmt.Sprintf("about %.0f to %s per arm, by how fast the servers answer", r.Least, requestsText(most))
	case bounded:
		return fmt.Sprintf("at most about %s per arm, by how fast the servers answer", requestsText(most))
	case r.Least > 0:
		return fmt.Sprintf("at least about %s per arm, by how fast the servers answer", requestsText(r.Least))
	}
	return "as many requests as the servers answer"
}

// requestsText is such as "12 requests".
func requestsText(n float64) string {
	text := fmt.Sprintf("%.0f request", n)
	if text != "1 request" {
		text += "s"
	}
	return text
}

func (r Requests) plus(o Requests) Requests {
	sum := Requests{Least: r.Least + o.Least}
	a, bounded := r.Most.Get()
	if b, ok := o.Most.Get(); ok && bounded {
		sum.Most = swap.Of(a + b)
	}
	return sum
}

func (r Requests) times(n int) Requests {
	r.Least *= float64(n)
	if most, bounded := r.Most.Get(); bounded {
		r.Most = swap.Of(most * float64(n))
	}
	return r
}

// atMost is r with a bound of its own.
func (r Requests) atMost(n float64) Requests {
	r.Most = swap.Of(min(r.Most.Or(n), n))
	return r
}

func exactly(n float64) Requests { return Requests{Least: n, Most: swap.Of(n)} }

// arrivals is the expected number of units of work that an open loop begins in one block, settle time included.
func arrivals(s swap.Step, l swap.Load) float64 {
	return arrival.NewProfile(s, l.Settle.Std(), l.Block.Std()).Cumulative(l.Settle.Std() + l.Block.Std())
}

// armRequests is the expected number of measured requests of a step in all of its blocks of one arm. In a closed loop it is no
// more than token_rate lets go: what waits for tokens when the block ends was never planned.
func armRequests(s swap.Step, spec swap.Spec) Requests {
	requests := blockRequests(s, spec.Load, spec.Workload.Topology)
	if s.Rate == 0 && s.TokenRate != nil {
		requests = requests.atMost(tokensPassed(*s.TokenRate, spec.Load.Block) / leastTokens(s, spec.Workload))
	}
	return requests.times(spec.Load.BlocksPerArm(s))
}

// tokensPassed is how many tokens a limit lets go in a time, burst included.
func tokensPassed(limit swap.TokenRate, during swap.Duration) float64 {
	return limit.Limit * (during + limit.Burst).Seconds()
}

// blockRequests is the expected number of measured requests in one block of a step.
func blockRequests(s swap.Step, l swap.Load, t *swap.Topology) Requests {
	if s.Rate > 0 {
		return openRequests(s, l, t)
	}
	return closedRequests(s, l, t)
}

// openRequests rests on the expected number of arrivals, which is the integral of the rate whatever the process: each is in
// equilibrium when the block begins. A star sends all its requests at its arrival. Of sessions and rings only the first request
// is sure to be measured: the later ones wait for answers.
func openRequests(s swap.Step, l swap.Load, t *swap.Topology) Requests {
	profile := arrival.NewProfile(s, l.Settle.Std(), l.Block.Std())
	end := l.Settle.Std() + l.Block.Std()
	units := profile.Cumulative(end) - profile.Cumulative(l.Settle.Std())
	switch {
	case t == nil:
		return exactly(units)
	case t.Shape == swap.ShapeStar:
		return exactly(units * float64(t.Size))
	}
	return Requests{Least: units, Most: swap.Of(units + followers(profile, end, *t))}
}

// followers is how many requests follow another one within a block whose servers answer at once. Slower servers move them to
// later, from the settle time into the measured time or beyond the end, where they are not sent: no servers get more of them
// measured.
func followers(profile arrival.Profile, end time.Duration, t swap.Topology) float64 {
	think := time.Duration(0)
	if t.Shape == swap.ShapeSession {
		think = t.ThinkTime.Std()
	}
	if think <= 0 {
		return profile.Cumulative(end) * float64(t.Size-1)
	}
	const slices = 512
	slice, sum := max(1, end/slices), 0.0
	for from := time.Duration(0); from < end; from += slice {
		to := min(from+slice, end)
		left := end - (from+to)/2
		sum += (profile.Cumulative(to) - profile.Cumulative(from)) * meanTurns(left.Seconds()/think.Seconds(), t.Size-1)
	}
	return sum
}

// meanTurns is how many of up to most pauses, exponentially distributed, are over after a time in means: E[min(N, most)] of a
// Poisson number N with that mean.
func meanTurns(means float64, most int) float64 {
	sum, tail, mass := 0.0, 1.0, math.Exp(-means)
	for k := 1; k <= most; k++ {
		tail -= mass // the probability of k or more
		sum += max(tail, 0)
		mass *= means / float64(k)
	}
	return sum
}

// closedRequests bounds a closed loop only where its slots pause: by the pauses of servers that answer at once. A slot begins at
// most one unit of work and one more after each pause, and may be within a session or a ring when the measured time begins.
func closedRequests(s swap.Step, l swap.Load, t *swap.Topology) Requests {
	if s.Concurrency == 0 || s.ThinkTime <= 0 {
		return Requests{}
	}
	units := 1 + l.Block.Seconds()/s.ThinkTime.Seconds()
	size := 1
	if t != nil {
		size = t.Size
		if t.Shape != swap.ShapeStar {
			units++
		}
	}
	return Requests{Most: swap.Of(float64(s.Concurrency*size) * units)}
}
