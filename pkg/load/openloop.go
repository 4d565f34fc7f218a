package load

import (
	"context"
	"time"

	"github.com/swapgate/swapgate/pkg/engine"
)

const (
	// Lead is how long before its time a request is made ready: long enough to open a connection and to write a prompt.
	Lead = 100 * time.Millisecond
	// readyAhead bounds how many requests wait ready for the dispatcher.
	readyAhead = 1 << 14
)

// open sends at the planned times. A request is made ready by a goroutine of its own, which then waits for the answer; the
// dispatcher only waits for the time and writes.
func (d *driver) open(ctx context.Context, wait waiter) {
	d.begin(Lead)
	ready := make(chan *flight, readyAhead)
	d.wg.Go(func() { d.prepare(ctx, ready) })
	for f := range ready {
		if wait(ctx, f.due.Add(f.held)) {
			d.opt.Meter.plan(1)
			d.launch(ctx, f)
		} else if f.shot == nil { // a shot observes by itself that it was never fired
			d.keep(f, unsent(notSent))
		}
	}
	wait(ctx, d.end())
}

// prepare makes the requests of this shard ready in order, each a little before its time. The channel is closed after the
// last, or when ctx ends, or when the step's limits hold back all that is left for too long; what was not made ready then is
// abandoned.
func (d *driver) prepare(ctx context.Context, ready chan<- *flight) {
	defer close(ready)
	sends := d.plan.sends(d.opt.Shard)
	d.ledger.plans(sends.len())
	var u *unit
	for i := range sends.len() {
		s := sends.at(i)
		due := d.start.Add(s.at)
		if !waitTimer(ctx, due.Add(-Lead)) {
			d.abandon(sends, i, notSent)
			return
		}
		if u == nil || u.number != s.unit {
			u = d.asker.unit(s.unit)
		}
		j, _ := d.asker.job(u, s.turn) // a turn that is sent by the plan builds on no answer
		f := newFlight(j, u, due)
		f.held = d.hold(due, j.tokens)
		if d.tooLate(f) {
			d.abandon(sends, i, heldBack)
			return
		}
		if !waitTimer(ctx, due.Add(f.held-Lead)) {
			d.abandon(sends, i, notSent)
			return
		}
		d.makeReady(ctx, f)
		ready <- f
	}
}

// abandon records requests that were not made ready, from one on. They get no prompt, so that stopping is quick.
func (d *driver) abandon(sends sendList, from int, why string) {
	for i := from; i < sends.len(); i++ {
		s := sends.at(i)
		f := &flight{job: job{seq: s.unit*d.asker.prompts.Size() + s.turn, unit: s.unit, turn: s.turn}, due: d.start.Add(s.at)}
		d.keep(f, unsent(why))
	}
}

// makeReady opens the request's connection ahead of its time, unless it may have to wait for a place in flight.
func (d *driver) makeReady(ctx context.Context, f *flight) {
	if d.gate != nil {
		return
	}
	f.shot = d.sender.Ready(ctx, f.ask)
	d.wg.Go(func() { d.complete(ctx, f, f.shot.Observe()) })
}

// launch sends a request whose time has come.
func (d *driver) launch(ctx context.Context, f *flight) {
	if f.shot != nil {
		f.shot.Fire()
		return
	}
	d.wg.Go(func() { d.complete(ctx, f, d.fly(ctx, f)) })
}

// complete writes down a request that has ended, and goes on with its unit.
func (d *driver) complete(ctx context.Context, f *flight, o engine.Observation) {
	d.keep(f, o)
	d.follow(ctx, f, o)
}
