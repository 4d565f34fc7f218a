package load

import (
	"context"
	"sync"
	"time"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/load/pace"
	"github.com/swapgate/swapgate/pkg/swap"
)

// failurePause is the least time between two requests of a slot when the first one failed. Without it, a server that
// refuses at once would be flooded and its failures counted by the hundred thousand.
const failurePause = 100 * time.Millisecond

// longestSpread bounds the time over which the slots of a closed loop begin.
const longestSpread = 5 * time.Second

// closed keeps the step's concurrency in flight until the block's end: each slot has one unit of work at a time. Slots begin
// one after another over the first half of the settle time: thousands of connections at one moment would be a test of its
// own.
func (d *driver) closed(ctx context.Context) {
	d.begin(0)
	slots := d.opt.Shard.share(d.plan.Step.Concurrency)
	spread := min(d.plan.Settle/2, longestSpread)
	for i := range slots {
		if !waitTimer(ctx, d.start.Add(spread*time.Duration(i)/time.Duration(slots))) {
			break
		}
		d.wg.Go(func() { d.slot(ctx, i) })
	}
	d.wg.Wait()
	waitTimer(ctx, d.end())
}

// slot asks one unit of work after the other.
func (d *driver) slot(ctx context.Context, slot int) {
	think := d.plan.Step.ThinkTime.Std()
	seed := d.plan.prompts.Spec().Seed
	for i := 0; ctx.Err() == nil; i++ {
		free := time.Now()
		if !free.Before(d.end()) {
			return
		}
		o := d.ask(ctx, d.asker.unit(d.nextUnit()), free)
		if !pauseAfter(ctx, o, free) {
			return
		}
		pause := pace.ThinkTime(seed, d.plan.Stream^uint64(slot), uint64(i), think) //nolint:gosec // not negative
		if pause > 0 && !waitTimer(ctx, time.Now().Add(min(pause, time.Until(d.end())))) {
			return
		}
	}
}

// nextUnit numbers the units of this shard; those of the other shards lie between them.
func (d *driver) nextUnit() int {
	n := int(d.units.Add(1)) - 1
	if d.opt.Shard.Whole() {
		return n
	}
	return n*d.opt.Shard.Of + d.opt.Shard.Index
}

// ask asks a whole unit and returns what became of its last request.
func (d *driver) ask(ctx context.Context, u *unit, due time.Time) (last engine.Observation) {
	var wg sync.WaitGroup
	for k := 1; k < len(u.Turns) && !u.Turns[k].Follows; k++ {
		wg.Go(func() { d.first(ctx, u, k, due) })
	}
	last = d.first(ctx, u, 0, due)
	wg.Wait()
	return last
}

// first asks a request that builds on no other, and what follows it.
func (d *driver) first(ctx context.Context, u *unit, turn int, due time.Time) engine.Observation {
	j, _ := d.asker.job(u, turn)
	f := newFlight(j, u, due)
	if f.held = d.hold(due, j.tokens); f.held > 0 && !d.await(ctx, f) {
		return engine.Observation{Outcome: swap.Abandoned}
	}
	d.plans(1)
	o := d.fly(ctx, f)
	d.keep(f, o)
	return d.follow(ctx, f, o)
}

// pauseAfter holds a slot back after a failure; it reports false when nothing more is to be sent.
func pauseAfter(ctx context.Context, o engine.Observation, began time.Time) bool {
	switch {
	case o.Outcome == swap.Abandoned:
		return false
	case o.Outcome.Good() || o.Outcome == swap.Empty:
		return ctx.Err() == nil
	}
	return waitTimer(ctx, began.Add(failurePause))
}
