package load

import (
	"context"
	"runtime"
	"time"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/swap"
)

// preparedAhead is how many requests wait ready, so that making a prompt never delays a send.
const preparedAhead = 64

// open sends at the planned times. The start is moved to the moment when the first requests are ready.
func (d *driver) open(ctx context.Context, wait waiter) {
	preparing, stop := context.WithCancel(ctx)
	defer stop()
	jobs := d.prepare(preparing)
	d.plans(len(d.plan.Arrivals))
	d.start = time.Now()
	for i, at := range d.plan.Arrivals {
		due := d.start.Add(at)
		j, ok := <-jobs
		if !ok || !wait(ctx, due) {
			d.abandon(i)
			return
		}
		d.opt.Meter.plan(1)
		d.wg.Go(func() { d.send(ctx, j, due) })
		// The dispatcher sleeps in a system call and would keep its processor, and the new goroutine with it, for a while.
		runtime.Gosched()
	}
	wait(ctx, d.start.Add(d.plan.Length()))
}

// prepare makes the requests in order, a few ahead. The channel is closed after the last, or when ctx ends.
func (d *driver) prepare(ctx context.Context) <-chan job {
	jobs := make(chan job, preparedAhead)
	d.wg.Go(func() {
		defer close(jobs)
		for i := range d.plan.Arrivals {
			select {
			case jobs <- d.asker.job(i):
			case <-ctx.Done():
				return
			}
		}
	})
	return jobs
}

// abandon records the requests from the first that was not sent. They get no prompt, so that stopping is quick.
func (d *driver) abandon(first int) {
	for i := first; i < len(d.plan.Arrivals); i++ {
		o := engine.Observation{Outcome: swap.Abandoned, Err: "not sent: the run ended"}
		d.keep(job{seq: i}, d.start.Add(d.plan.Arrivals[i]), o)
	}
}
