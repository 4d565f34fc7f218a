package drill

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/swapgate/swapgate/pkg/swap"
)

// stopLimit bounds the stop of a site.
const stopLimit = 30 * time.Second

// Options say what is drilled.
type Options struct {
	// Exe is the swapgate executable, Dir gets the sites' files; those of runs that kept their promises are removed.
	Exe, Dir string
	Runs     int
	Seed     uint64
	// Parallel is how many runs go on at a time, each on a site of its own.
	Parallel int
	Faults   []Fault
	// Outage is how long a gateway refuses, Patience how long anything is waited for.
	Outage, Patience time.Duration
	// Done is told of each run; calls do not overlap.
	Done func(Run)
}

// Run is the outcome of one run.
type Run struct {
	Number int    `json:"run"`
	Fault  string `json:"fault"`
	Moment string `json:"moment"`
	// Struck is false where the run was over before the moment came.
	Struck  bool          `json:"struck"`
	Verdict swap.Decision `json:"verdict,omitempty"`
	// Final is where the traffic ended.
	Final swap.Weights `json:"final"`
	// BackAfterMS is how long after the fault began all traffic was on the baseline; absent where it never was.
	BackAfterMS swap.Value `json:"back_after_ms"`
	Seconds     float64    `json:"seconds"`
	// Broken are the promises that it did not keep.
	Broken []string `json:"broken,omitempty"`
}

// All drills as many runs as asked, and returns them in their order. A run that could not be drilled is a broken one.
func All(ctx context.Context, o Options) ([]Run, error) {
	runs := make([]Run, o.Runs)
	var telling sync.Mutex
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, o.Parallel))
	for i := range runs {
		group.Go(func() error {
			if gctx.Err() != nil {
				return gctx.Err()
			}
			runs[i] = o.one(gctx, i+1)
			if o.Done != nil {
				telling.Lock()
				defer telling.Unlock()
				o.Done(runs[i])
			}
			return nil
		})
	}
	return runs, group.Wait()
}

func (o Options) one(ctx context.Context, number int) (r Run) {
	fault, when := pick(o.Faults, o.Seed, number)
	r = Run{Number: number, Fault: fault.Name, Moment: when.name, BackAfterMS: swap.Absent()}
	started := time.Now()
	dir := filepath.Join(o.Dir, fmt.Sprintf("run-%03d", number))
	c := &course{exe: o.Exe, outage: o.Outage, patience: o.Patience}
	defer func() {
		if err := c.close(ctx); err != nil {
			r.Broken = append(r.Broken, err.Error())
		}
		if len(r.Broken) == 0 {
			_ = os.RemoveAll(dir)
		}
		r.Seconds = time.Since(started).Seconds()
	}()
	if err := c.open(ctx, dir, o.Seed+uint64(number)); err != nil { //nolint:gosec // counts from 1
		r.Broken = append(r.Broken, "the site did not start: "+err.Error())
		return r
	}
	c.play(ctx, &r, fault, when)
	return r
}

// play runs the validation and lets the fault strike.
func (c *course) play(ctx context.Context, r *Run, fault Fault, when moment) {
	stop, seen := make(chan struct{}), make(chan []sample, 1)
	go func() { seen <- c.watchWeights(ctx, stop) }()
	e := evidence{fault: fault}
	struckAt, err := c.strike(ctx, fault, when)
	e.struck = err == nil
	if errors.Is(err, errClosedBefore) {
		err = nil
	}
	var resultErr error
	if err == nil {
		e.verdict, resultErr = c.result(ctx)
	}
	close(stop)
	e.seen = <-seen
	if err := errors.Join(err, resultErr); err != nil {
		r.Broken = append(r.Broken, err.Error())
		return
	}
	final, err := c.weights(ctx)
	if err != nil {
		r.Broken = append(r.Broken, "read the weights at the end: "+err.Error())
		return
	}
	e.final, e.replay = final.Weights, c.replay(ctx)
	r.Struck, r.Verdict, r.Final, r.Broken = e.struck, e.verdict.Verdict, e.final, e.broken()
	if e.struck && fault.Name != "none" && e.final == swap.AllBaseline {
		r.BackAfterMS = e.backAfter(struckAt)
	}
}

// strike starts the run and lets the fault strike at its moment.
func (c *course) strike(ctx context.Context, fault Fault, when moment) (at time.Time, err error) {
	if err := c.start(ctx); err != nil {
		return at, fmt.Errorf("start the run: %w", err)
	}
	if err := c.await(ctx, when); err != nil {
		return at, err
	}
	at = time.Now()
	if err := fault.strike(ctx, c); err != nil {
		return at, fmt.Errorf("%s: %w", fault.Name, err)
	}
	return at, nil
}

func (c *course) close(ctx context.Context) error {
	if c.client != nil {
		c.client.Close()
	}
	if c.site == nil {
		return nil
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer done()
	return c.site.Stop(ctx)
}
