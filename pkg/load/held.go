package load

import (
	"context"
	"time"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	notSent  = "not sent: the run ended"
	heldBack = "not sent: the step's own limits held it back beyond the end of the block"
	// queuedTooLong is a failure, as it would be for a user who waits for his turn.
	queuedTooLong = "its time went by while it waited for its turn under max_in_flight"
)

// timedOut reports whether a request that was held for so long has no time left.
func (d *driver) timedOut(held time.Duration) bool { return d.opt.Timeout > 0 && held > d.opt.Timeout }

// unsent is what becomes of a planned request that is never sent.
func unsent(why string) engine.Observation {
	return engine.Observation{Outcome: swap.Abandoned, Err: why}
}

// lastSend is until when a request may be sent that the step's own limits hold back. In an open loop that is as long after
// the end of the block as settle time, and no longer than a block. A closed loop sends nothing after the end.
func (d *driver) lastSend() time.Time {
	if !d.plan.Open() {
		return d.end()
	}
	return d.end().Add(min(d.plan.Settle, d.plan.Measure))
}

// tooLate reports whether the limit on tokens holds a request back for too long. It then does so with all that ask later.
func (d *driver) tooLate(f *flight) bool { return f.held > 0 && f.due.Add(f.held).After(d.lastSend()) }

// await waits until a request that is not of the plan, but of an answer or a free slot, may go; it reports false if the request
// is not to be sent. In a closed loop it was then never planned: a limit on tokens is what such a load is. In an open loop it
// was due.
func (d *driver) await(ctx context.Context, f *flight) bool {
	if !d.tooLate(f) {
		return waitTimer(ctx, f.due.Add(f.held))
	}
	if d.plan.Open() {
		d.plans(1)
		d.keep(f, unsent(heldBack))
	}
	return false
}

// plans counts n requests that are due.
func (d *driver) plans(n int) {
	d.ledger.plans(n)
	d.opt.Meter.plan(n)
}
