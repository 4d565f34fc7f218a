package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// ErrLostRecords says that the records of a block do not add up to what was planned. Such a block must not be judged.
var ErrLostRecords = errors.New("planned requests and records differ")

// Sender sends one request and reports what happened; *engine.Client is one. It must return at once when ctx is cancelled.
type Sender interface {
	Stream(ctx context.Context, ask engine.Ask) engine.Observation
}

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
	// Meter, if set, counts along.
	Meter *Meter
	// OnRecord, if set, is called with each record as its request ends, one call at a time. It must be quick.
	OnRecord func(*rawlog.Record)
}

// Result is a driven block.
type Result struct {
	// Records holds one record for every planned request, in the order of Seq.
	Records []rawlog.Record
	Started time.Time
	// Measured is the measured time that was driven, settle time left out.
	Measured time.Duration
}

// Run drives a block and returns when its last request has ended. An open loop sends at the planned times however the
// server answers, with any number in flight. A closed loop keeps its concurrency in flight; a slot whose request failed at
// once pauses for a moment. At the end of the block nothing more is sent, and what is in flight may finish within its
// timeout.
//
// When ctx is cancelled, Run stops at once, counts what is in flight or unsent as abandoned, and returns the records with
// an error. It returns ErrLostRecords if the records do not add up.
func Run(ctx context.Context, sender Sender, plan Plan, opt Options) (Result, error) {
	d := newDriver(sender, plan, opt)
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

	mu      sync.Mutex
	planned int
	records []rawlog.Record
}

func newDriver(sender Sender, plan Plan, opt Options) *driver {
	return &driver{
		sender: sender, plan: plan, opt: opt, start: time.Now(),
		records: make([]rawlog.Record, 0, len(plan.Arrivals)),
		asker: asker{
			prompts: plan.prompts, stream: plan.Stream, arm: opt.Block.Arm,
			model: opt.Model, runSalt: opt.RunSalt, timeout: opt.Timeout,
		},
	}
}

// send sends one request and keeps its record.
func (d *driver) send(ctx context.Context, j job, planned time.Time) engine.Observation {
	o := d.sender.Stream(ctx, j.ask)
	d.keep(j, planned, o)
	return o
}

func (d *driver) keep(j job, planned time.Time, o engine.Observation) {
	r := newRecord(d.opt.Block, j, planned, d.measured(planned), o)
	d.opt.Meter.end(&r)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.records = append(d.records, r)
	if d.opt.OnRecord != nil {
		d.opt.OnRecord(&r)
	}
}

func (d *driver) measured(planned time.Time) bool { return planned.Sub(d.start) >= d.plan.Settle }

// plans counts n more planned requests.
func (d *driver) plans(n int) {
	d.mu.Lock()
	d.planned += n
	d.mu.Unlock()
}

func (d *driver) result(ctx context.Context) (Result, error) {
	d.wg.Wait()
	driven := min(time.Since(d.start), d.plan.Length())
	slices.SortFunc(d.records, func(a, b rawlog.Record) int { return cmp.Compare(a.Seq, b.Seq) })
	res := Result{Records: d.records, Started: d.start, Measured: max(0, driven-d.plan.Settle)}
	if err := accountFor(d.planned, d.records); err != nil {
		return res, err
	}
	unfinished := driven < d.plan.Length() || rawlog.Outcomes(d.records)[swap.Abandoned] > 0
	if ctx.Err() != nil && unfinished {
		return res, fmt.Errorf("block %d of step %d was cut off: %w", d.opt.Block.Block, d.opt.Block.Step, context.Cause(ctx))
	}
	return res, nil
}

// accountFor checks that every planned request has exactly one record.
func accountFor(planned int, records []rawlog.Record) error {
	if n := rawlog.Outcomes(records).Total(); n != planned {
		return fmt.Errorf("%w: %d planned, %d recorded", ErrLostRecords, planned, n)
	}
	for i := range records {
		if int(records[i].Seq) != i {
			return fmt.Errorf("%w: request %d has no record of its own", ErrLostRecords, i)
		}
	}
	return nil
}
