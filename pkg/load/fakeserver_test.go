package load

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/engine/protocol"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// fakeServer is a Sender that answers as told and counts what is in flight.
type fakeServer struct {
	// answer says how the n-th request, from 0, ends and how long that takes.
	answer func(n int) (swap.Outcome, time.Duration)
	arm    func(n int) string

	n        atomic.Int64
	inFlight atomic.Int64
	peak     atomic.Int64
	mu       sync.Mutex
	asks     []protocol.Ask
}

// fakeShot is one request to a fakeServer.
type fakeShot struct {
	server *fakeServer
	ctx    context.Context
	ask    protocol.Ask
	fired  chan struct{}
}

func (f *fakeServer) Ready(ctx context.Context, ask protocol.Ask) engine.Shot {
	return &fakeShot{f, ctx, ask, make(chan struct{})}
}

func (s *fakeShot) Fire() { close(s.fired) }

func (s *fakeShot) Observe() engine.Observation {
	select {
	case <-s.fired:
		return s.server.serve(s.ctx, s.ask)
	case <-s.ctx.Done():
		return engine.Observation{Outcome: swap.Abandoned}
	}
}

func (f *fakeServer) serve(ctx context.Context, ask protocol.Ask) engine.Observation {
	n := int(f.n.Add(1)) - 1
	f.mu.Lock()
	f.asks = append(f.asks, ask)
	f.peak.Store(max(f.peak.Load(), f.inFlight.Add(1)))
	f.mu.Unlock()
	defer f.inFlight.Add(-1)
	o := engine.Observation{Sent: time.Now(), Status: 200, Attempts: 1, ConnReused: n > 0}
	outcome, takes := f.answer(n)
	if !waitTimer(ctx, time.Now().Add(takes)) {
		outcome = swap.Abandoned
	}
	o.Outcome = outcome
	o.End = time.Now()
	if f.arm != nil {
		o.Arm = f.arm(n)
	}
	if outcome.Good() {
		tokens := int32(ask.MaxTokens)
		o.First, o.Last, o.OutputTokens, o.Chunks = o.End, o.End, &tokens, 1
		if ask.KeepText {
			o.Text = "an answer"
		}
	} else {
		o.Err = "told to"
	}
	return o
}

func always(o swap.Outcome, d time.Duration) func(int) (swap.Outcome, time.Duration) {
	return func(int) (swap.Outcome, time.Duration) { return o, d }
}

// driven is a block with its records, in the order of Seq.
type driven struct {
	Result
	Records []rawlog.Record
}

// tape keeps the records of a block.
func tape(opt *Options) *driven {
	d := &driven{}
	tell := opt.OnRecord
	opt.OnRecord = func(r *rawlog.Record) {
		d.Records = append(d.Records, *r)
		if tell != nil {
			tell(r)
		}
	}
	return d
}

func (d *driven) sorted(r Result) driven {
	slices.SortFunc(d.Records, func(a, b rawlog.Record) int { return cmp.Compare(a.Seq, b.Seq) })
	d.Result = r
	return *d
}

// run is Run with its records.
func run(ctx context.Context, s Sender, p Plan, opt Options) (driven, error) {
	d := tape(&opt)
	res, err := Run(ctx, s, p, opt)
	return d.sorted(res), err
}

// drive runs a plan on synthetic time: like run, with a timer in place of the precise waiter.
func drive(ctx context.Context, s Sender, p Plan, opt Options) (driven, error) {
	kept := tape(&opt)
	d, err := newDriver(s, p, opt)
	if err != nil {
		return driven{}, err
	}
	if p.Open() {
		d.open(ctx, waitTimer)
	} else {
		d.closed(ctx)
	}
	res, err := d.result(ctx)
	return kept.sorted(res), err
}
