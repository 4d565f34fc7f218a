package load

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/load/pace"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Options of one block.
type Options struct {
	// Block places the records. With an empty arm, for a window driven through a gateway, each record takes the arm that
	// answered.
	Block swap.BlockPlan
	// Model is the model asked for.
	Model string
	// RunSalt makes the prompts of this run new to every cache; it should differ from run to run.
	RunSalt string
	// Timeout bounds one request.
	Timeout time.Duration
	// Shard is the part of the plan to drive; the zero value is the whole.
	Shard Shard
	// Start, if set, is when the block begins, on this machine's clock; it leaves time to open the first connections.
	Start time.Time
	// Meter, if set, counts along.
	Meter *Meter
	// OnRecord, if set, is called with each record as its request ends, one call at a time. It must be quick. The record is
	// the callee's to keep.
	OnRecord func(*rawlog.Record)
}

// Shard is one load worker's part of a plan: number Index, from 0, of Of.
type Shard struct{ Index, Of int }

// Whole reports whether the shard is the whole plan.
func (s Shard) Whole() bool { return s.Of <= 1 }

// share is the shard's part of n equal things.
func (s Shard) share(n int) int {
	if s.Whole() {
		return n
	}
	return (n + s.Of - 1 - s.Index) / s.Of
}

// Result is a driven block. Its records went to Options.OnRecord.
type Result struct {
	Started time.Time
	// Measured is the measured time that was driven, settle time left out.
	Measured time.Duration
	// Planned requests equal the sum of Outcomes.
	Planned  int
	Outcomes swap.OutcomeCounts
}

// Run drives a block and returns when its last request has ended. An open loop sends at the planned times however the
// server answers, with any number in flight, unless the step limits it. A closed loop keeps its concurrency in flight; a
// slot whose request failed at once pauses for a moment. At the end of the block nothing more is planned, and what is in
// flight may finish within its timeout. What the step's own limits hold back in an open loop may be sent for as long again as
// settle time, and no longer than a block; what is left then is abandoned.
//
// When ctx is cancelled, Run stops at once, counts what is in flight or unsent as abandoned, and returns an error. It
// returns ErrLostRecords if the records do not add up.
func Run(ctx context.Context, sender Sender, plan Plan, opt Options) (Result, error) {
	d, err := newDriver(sender, plan, opt)
	if err != nil {
		return Result{}, err
	}
	if !plan.Open() {
		d.closed(ctx)
		return d.result(ctx)
	}
	accurate(func(wait waiter) { d.open(ctx, wait) })
	return d.result(ctx)
}

type driver struct {
	sender Sender
	plan   Plan
	opt    Options
	asker  asker
	start  time.Time
	wg     sync.WaitGroup
	ledger ledger
	units  atomic.Int64
	// gate and bucket are the step's own limits; nil without one.
	gate   *pace.Gate[*flight]
	bucket *pace.TokenBucket
}

func newDriver(sender Sender, plan Plan, opt Options) (*driver, error) {
	d := &driver{
		sender: sender, plan: plan, opt: opt, start: time.Now(),
		ledger: ledger{onRecord: opt.OnRecord, meter: opt.Meter, outcomes: swap.OutcomeCounts{}},
		asker: asker{
			prompts: plan.prompts, stream: plan.Stream, arm: opt.Block.Arm,
			model: opt.Model, runSalt: opt.RunSalt, timeout: opt.Timeout,
		},
	}
	if n := plan.Step.MaxInFlight; n > 0 {
		d.gate = pace.NewGate[*flight](opt.Shard.share(n))
	}
	if limit := plan.Step.TokenRate; limit != nil {
		var err error
		if d.bucket, err = pace.NewTokenBucket(limit.Limit/float64(max(1, opt.Shard.Of)), limit.Burst.Std()); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// begin sets the start of the block: the one that was agreed on, or soon.
func (d *driver) begin(lead time.Duration) {
	d.start = time.Now().Add(lead)
	if d.opt.Start.After(d.start) {
		d.start = d.opt.Start
	}
}

func (d *driver) end() time.Time { return d.start.Add(d.plan.Length()) }

// keep writes down what became of a request.
func (d *driver) keep(f *flight, o engine.Observation) {
	r := newRecord(d.opt, f, d.measured(f.due), o)
	d.ledger.keep(&r)
}

func (d *driver) measured(planned time.Time) bool { return planned.Sub(d.start) >= d.plan.Settle }

func (d *driver) result(ctx context.Context) (Result, error) {
	d.wg.Wait()
	driven := min(time.Since(d.start), d.plan.Length())
	res := Result{
		Started: d.start, Measured: max(0, driven-d.plan.Settle),
		Planned: d.ledger.planned, Outcomes: d.ledger.outcomes,
	}
	if err := d.ledger.check(); err != nil {
		return res, err
	}
	unfinished := driven < d.plan.Length() || res.Outcomes[swap.Abandoned] > 0
	if ctx.Err() != nil && unfinished {
		return res, fmt.Errorf("block %d of step %d was cut off: %w", d.opt.Block.Block, d.opt.Block.Step, context.Cause(ctx))
	}
	return res, nil
}
