package activities

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/load/ensemble"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

// Shards says how the load workers that share a step find each other.
type Shards struct {
	// Listen is the host:port at which the conductor of a step listens; by default all interfaces and any port.
	Listen string
	// Advertise is the host, or host:port, at which others reach it; by default the addresses of its interfaces.
	Advertise string
	// JoinWithin is how long a step waits for all its load workers to begin; 0 is two minutes.
	JoinWithin time.Duration
}

const (
	// returnWithin is how long a lost load worker is waited for: the heartbeat timeout, the pause before the retry, and the
	// start of a new process.
	returnWithin = 3 * time.Minute
	// silence is after how long load workers take each other for dead: as long as Temporal takes.
	silence = 10 * time.Second
	// shardHeadway is how long before its start a drive must begin: what load.Run needs, with room for a busy machine.
	shardHeadway = load.Lead + 400*time.Millisecond
	shardLead    = shardHeadway + 500*time.Millisecond
	// aloneLead is the time from the decision to drive a block to its start where nobody else has to hear of it.
	aloneLead = load.Lead + 20*time.Millisecond
)

// shardWork is one attempt at a load worker's part of a step.
type shardWork struct {
	in      swap.LoadStepInput
	spec    swap.Step
	shard   load.Shard
	run     swap.RunKey
	attempt string
	now     func() time.Time
	shift   *shift

	store     *runstore.Store
	log       sliceLog
	prompts   *workload.Generator
	replay    *load.Replay
	clients   swap.PerArm[*engine.Client]
	calibrate Calibrate

	// client is the load client's account of itself, once it was calibrated.
	client *swap.SliceClient
	// plan is that of the block to be driven.
	plan  load.Plan
	meter load.Meter
	done  atomic.Int64
}

// sliceLog takes the records of slices, one after another.
type sliceLog interface {
	Begin(block swap.BlockPlan, started time.Time) error
	Write(rows []rawlog.Record) error
	Store(planned int, outcomes swap.OutcomeCounts) (swap.BlockSlice, error)
	Void()
	Drain(ctx context.Context) error
	Pending() int
	Outage() error
	Close(ctx context.Context) error
}

func (w *shardWork) config(s Shards) ensemble.Config {
	c := ensemble.Config{
		Shard: w.shard.Index, Of: w.shard.Of, Attempt: w.attempt, Board: board{store: w.store, key: runstore.NoticeboardKey(w.run, w.in.Step)},
		Listen: s.Listen, Advertise: s.Advertise, Now: w.now, JoinWithin: s.JoinWithin, ReturnWithin: returnWithin, Silence: silence,
		Headway: shardHeadway, Lead: shardLead, OnWait: w.shift.wait,
	}
	if w.shard.Whole() {
		c.Headway, c.Lead = load.Lead/2, aloneLead
	}
	return c
}

func (w *shardWork) part() ensemble.Part { return ensemble.Part{Plan: w.planBlock, Drive: w.drive} }

// planBlock lays a block out. Before the first one the load client is calibrated: all shards do it at the same time, as they
// will drive.
func (w *shardWork) planBlock(ctx context.Context, block swap.BlockPlan) (sha256 string, err error) {
	if err := w.shift.over(); err != nil {
		return "", err
	}
	l, asked := w.in.Spec.Load, w.in.Spec.Workload
	w.plan = load.PlanBlock(w.prompts, w.spec, l.Settle.Std(), l.Block.Std(), asked.Seed, load.StreamOf(block), w.replay)
	if err := load.CheckLimits(w.plan.PeakOf(w.shard, asked.RequestTimeout.Std())); err != nil {
		return "", err
	}
	return w.plan.SHA256, w.checkClient(ctx)
}

func (w *shardWork) progress() swap.Progress {
	l := w.in.Spec.Load
	p := w.meter.Snapshot(w.now())
	p.What, p.Done, p.Pending, p.Problem = "blocks", int(w.done.Load()), w.log.Pending(), w.shift.waitsFor()
	p.Total = max(2*l.BlocksPerArm(w.spec), p.Done)
	if outage := w.log.Outage(); outage != nil {
		p.Problem = outage.Error()
	}
	left := time.Duration(p.Total-p.Done) * (l.Block.Std() + l.Settle.Std())
	p.ETA = left.Round(time.Second).String()
	return p
}

// close stores what is still on its way, within a bound, and lets everything go.
func (w *shardWork) close(ctx context.Context) {
	if w.log != nil {
		end, done := context.WithTimeout(context.WithoutCancel(ctx), sealTimeout)
		defer done()
		// What could not be stored is not sealed, and the next attempt drives it again.
		_ = w.log.Close(end)
	}
	w.store.Close()
	w.clients.Baseline.Close()
	w.clients.Candidate.Close()
}
