package load

import (
	"context"
	"time"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/swap"
)

// flight is one planned request on its way.
type flight struct {
	job
	of *unit
	// due is when the plan wants it sent. held is how much longer the step's own limits kept it.
	due  time.Time
	held time.Duration
	// shot is nil for a request that is made ready only when it may go.
	shot engine.Shot
	// admitted gets the time waited in the client's queue.
	admitted chan time.Duration
}

func newFlight(j job, of *unit, due time.Time) *flight {
	return &flight{job: j, of: of, due: due, admitted: make(chan time.Duration, 1)}
}

// fly sends a request that was not made ready beforehand and waits for its end.
func (d *driver) fly(ctx context.Context, f *flight) engine.Observation {
	if refusal, ok := d.enter(ctx, f); !ok {
		return refusal
	}
	defer d.leave()
	shot := d.sender.Ready(ctx, f.ask)
	shot.Fire()
	return shot.Observe()
}

// enter waits for a place in flight, until nothing may be sent any more.
func (d *driver) enter(ctx context.Context, f *flight) (engine.Observation, bool) {
	if d.gate == nil || d.gate.Arrive(f, time.Since(d.start)) {
		return engine.Observation{}, true
	}
	closing := time.NewTimer(time.Until(d.lastSend()))
	defer closing.Stop()
	select {
	case waited := <-f.admitted:
		if f.held += waited; d.timedOut(f.held) {
			d.leave()
			return engine.Observation{Outcome: swap.TimeoutFirst, Err: queuedTooLong}, false
		}
		return engine.Observation{}, true
	case <-closing.C:
		if d.timedOut(time.Since(f.due)) {
			return engine.Observation{Outcome: swap.TimeoutFirst, Err: queuedTooLong}, false
		}
		return unsent(heldBack), false
	case <-ctx.Done():
		return unsent(notSent), false
	}
}

// leave gives the place of an ended request to the one that waits longest.
func (d *driver) leave() {
	if d.gate == nil {
		return
	}
	if next, ok := d.gate.Leave(time.Since(d.start)); ok {
		next.Item.admitted <- next.Held
	}
}

// follow asks the later turns of a unit, each when the one before has ended well. Turns that would begin after the block
// are not planned.
func (d *driver) follow(ctx context.Context, f *flight, o engine.Observation) engine.Observation {
	u := f.of
	for k := f.turn + 1; k < len(u.Turns) && u.Turns[k].Follows && o.Outcome.Good(); k++ {
		u.answers = append(u.answers, o.Text)
		j, ok := d.asker.job(u, k)
		due := o.End.Add(u.Turns[k].Think)
		if !ok || !due.Before(d.end()) {
			return o
		}
		next := newFlight(j, u, due)
		if next.held = d.hold(due, j.tokens); !d.await(ctx, next) {
			return o
		}
		d.plans(1)
		o = d.fly(ctx, next)
		d.keep(next, o)
	}
	return o
}

// hold is how long a request that is due must wait for its tokens.
func (d *driver) hold(due time.Time, tokens int) time.Duration {
	if d.bucket == nil {
		return 0
	}
	at := due.Sub(d.start)
	return d.bucket.Due(at, tokens) - at
}
