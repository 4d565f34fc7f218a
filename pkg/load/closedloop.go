package load

import (
	"context"
	"time"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/swap"
)

// failurePause is the least time between two requests of a slot when the first one failed. Without it, a server that
// refuses at once would be flooded and its failures counted by the hundred thousand.
const failurePause = 100 * time.Millisecond

// closed keeps the step's concurrency in flight until the block's end.
func (d *driver) closed(ctx context.Context) {
	d.start = time.Now()
	end := d.start.Add(d.plan.Length())
	for range d.plan.Step.Concurrency {
		d.wg.Go(func() { d.slot(ctx, end) })
	}
	d.wg.Wait()
	waitTimer(ctx, end)
}

// slot sends one request after the other.
func (d *driver) slot(ctx context.Context, end time.Time) {
	for ctx.Err() == nil {
		free := time.Now()
		if !free.Before(end) {
			return
		}
		j := d.asker.job(d.nextSeq())
		d.opt.Meter.plan(1)
		if !pauseAfter(ctx, d.send(ctx, j, free), free) {
			return
		}
	}
}

func (d *driver) nextSeq() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.planned++
	return d.planned - 1
}

// pauseAfter holds a slot back after a failure; it reports false when ctx ended.
func pauseAfter(ctx context.Context, o engine.Observation, began time.Time) bool {
	if o.Outcome.Good() || o.Outcome == swap.Empty {
		return ctx.Err() == nil
	}
	return waitTimer(ctx, began.Add(failurePause))
}
