package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/swapgate/swapgate/starter/internal/control"
	"github.com/swapgate/swapgate/starter/internal/view"
)

const (
	observeEvery = time.Second
	// patience is the longest outage of Temporal that following a run survives.
	patience = 5 * time.Minute
	// finalLook bounds the last observation of a closed run.
	finalLook = 2 * time.Second
)

// followed is a run that can be followed.
type followed interface {
	Observe(ctx context.Context) (control.Observation, error)
	Wait(ctx context.Context, out any) error
}

// display shows a run as it goes on.
type display interface {
	Show(o control.Observation, now time.Time)
}

// follow shows a run until it closes and reads its result. It ends early only with ctx, or when Temporal stays out of
// reach.
func follow(ctx context.Context, run followed, show display, result any) error {
	watchCtx, stop := context.WithCancel(ctx)
	defer stop()
	f := follower{run: run, show: show, answered: time.Now()}
	var watching sync.WaitGroup
	watching.Go(func() { f.watch(watchCtx) })
	err := f.wait(ctx, result)
	stop()
	watching.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	lookCtx, cancel := context.WithTimeout(ctx, finalLook)
	defer cancel()
	if o, lookErr := run.Observe(lookCtx); lookErr == nil {
		show.Show(o, time.Now())
	}
	return err
}

type follower struct {
	run  followed
	show display

	mu sync.Mutex
	// answered is when Temporal last told where the run stands.
	answered time.Time
}

// watch shows the run once a second.
func (f *follower) watch(ctx context.Context) {
	next := time.NewTicker(observeEvery)
	defer next.Stop()
	var last control.Observation
	for {
		o, err := f.run.Observe(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			last.Problems = []string{err.Error()}
		} else {
			last = o
			f.reached()
		}
		f.show.Show(last, time.Now())
		select {
		case <-next.C:
		case <-ctx.Done():
			return
		}
	}
}

func (f *follower) reached() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answered = time.Now()
}

func (f *follower) outage() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return time.Since(f.answered)
}

// wait waits for the run's result through outages of Temporal.
func (f *follower) wait(ctx context.Context, result any) error {
	for {
		err := f.run.Wait(ctx, result)
		var unreachable *control.UnreachableError
		if !errors.As(err, &unreachable) || f.outage() > patience {
			return err
		}
		select {
		case <-time.After(observeEvery):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// display is a board that is redrawn in place on a terminal, and a log of changes everywhere else.
func (a *app) display() display {
	c, ok := a.err.(*console)
	if !ok || c.terminal == nil || a.env.first("CI") != "" {
		return view.NewLog(a.err)
	}
	return view.NewBoard(c, c.size)
}
