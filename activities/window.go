package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/engine/protocol"
	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/rollout"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/workload"
)

// ObserveWindow watches live traffic at one weight for a window and decides what follows. While it watches it asks the
// guard again and again; when the guard fires it sets all traffic back itself, at once, before anyone else hears of it.
func (a *Activities) ObserveWindow(ctx context.Context, in swap.ObserveWindowInput) (swap.ObserveWindowResult, error) {
	o, err := a.openObserver(ctx, in)
	if err != nil {
		return swap.ObserveWindowResult{}, err
	}
	defer o.close()
	stop := startProgress(ctx, o.progress)
	defer stop()

	window, err := o.watch(ctx)
	if err != nil {
		return swap.ObserveWindowResult{}, err
	}
	var online []swap.PerArm[[]float64]
	if window.GuardFired == nil {
		window.Online, online = a.askPrometheus(ctx, o.plan.Prometheus, window)
	}
	return o.decide(ctx, window, online)
}

// longestWaiting bounds a window that only keeps watch, so that no worker is held for long.
const longestWaiting = swap.Duration(time.Minute)

// observer is one attempt at a window.
type observer struct {
	in      swap.ObserveWindowInput
	plan    rollout.Plan
	state   rollout.State
	run     swap.RunKey
	attempt string
	route   traffic.Controller
	store   *runstore.Store
	client  *engine.Client
	prompts *workload.Generator
	meter   load.Meter
	now     func() time.Time
	// before is what the gateway had counted when the window began; counts says whether it counts at all.
	before swap.PerArm[traffic.Counters]
	counts bool

	mu      sync.Mutex
	records []rawlog.Record
	fired   *swap.Reason
	brake   *swap.Restored
	// unasked says that a request has failed since the guard was asked, latest when the latest record came.
	unasked bool
	latest  time.Time
}

func (a *Activities) openObserver(ctx context.Context, in swap.ObserveWindowInput) (o *observer, err error) {
	plan := rollout.Plan{Rollout: *in.Spec.Rollout, Gates: in.Spec.Gates, Waiting: in.Waiting}
	plan.MaxExtensions += in.Extensions
	if in.Waiting {
		plan.Window = min(plan.Window, longestWaiting)
	}
	o = &observer{in: in, plan: plan, run: runKey(ctx, in.Spec.Target), attempt: attemptID(ctx), now: a.Now}
	if len(in.State) > 0 {
		if err := json.Unmarshal(in.State, &o.state); err != nil {
			return nil, invalidRequest("state of the rollout: %w; the workers run different versions", err)
		}
	}
	if o.prompts, err = workload.New(in.Spec.Workload); err != nil {
		return nil, invalidRequest("%w", err)
	}
	// Through the gateway clients speak the baseline's public name, with the baseline's key.
	t, err := target(swap.Endpoint{URL: plan.Route.URL, Model: in.Spec.Baseline.Model, APIKey: in.Spec.Baseline.APIKey})
	if err != nil {
		return nil, fmt.Errorf("route: %w", err)
	}
	o.client, err = engine.NewClient(t, engine.ClientOptions{
		Capabilities: protocol.CapabilitiesOf(in.Facts.Baseline),
		ArmHeader:    swap.ArmHeader,
	})
	if err != nil {
		return nil, invalidRequest("route: %w", err)
	}
	if o.route, err = a.OpenRoute(plan.Route); err != nil {
		return nil, err
	}
	o.store, err = a.OpenStore(in.Spec.Store)
	return o, err
}

func (o *observer) close() {
	o.client.Close()
	o.store.Close()
}

// watch observes the window and stores the raw records of its probes.
func (o *observer) watch(ctx context.Context) (swap.Window, error) {
	w := swap.Window{Index: o.in.Index, Weights: o.in.Weights}
	found, err := o.route.Read(ctx)
	if err != nil {
		return w, err
	}
	if err := o.settle(ctx); err != nil {
		return w, err
	}
	w.Started = o.now().UTC()
	if err := o.stretch(ctx, windowStream, o.plan.Window.Std()); err != nil {
		return w, err
	}
	w.Ended = o.now().UTC()
	state, err := o.route.Read(ctx)
	if err != nil {
		return w, err
	}
	w.ReadBack, w.Rewritten = state.Weights, state.Version != found.Version
	records, fired, brake := o.seen()
	w.GuardFired, w.Brake = fired, brake
	w.Arms = statsOf(records)
	if o.counts {
		after, _, err := o.route.Counters(ctx)
		if err != nil {
			return w, err
		}
		countGateway(&w.Arms, o.before, after)
	}
	w.Unattributed = rawlog.Unattributed(records)
	key := runstore.WindowKey(o.run, o.in.Index, o.attempt)
	w.Raw, err = runstore.WriteTable(ctx, o.store, key, rawlog.Schema, records)
	return w, err
}

// settle lets a change of weights reach every process of the gateway, and requests from before it end. The guard watches, and
// nothing else of that time counts.
func (o *observer) settle(ctx context.Context) error {
	length := o.route.Capabilities().Propagation + o.plan.Settle.Std()
	if !o.in.Changed || length <= 0 {
		return nil
	}
	if err := o.stretch(ctx, settleStream, length); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fired == nil {
		o.records = nil
	}
	return nil
}

// stretch drives probes through the gateway for some time, with the guard beside them. Once the guard has fired there is nothing
// left to do.
func (o *observer) stretch(ctx context.Context, stream uint64, length time.Duration) (err error) {
	if _, fired, _ := o.seen(); fired != nil {
		return nil
	}
	if o.before, o.counts, err = o.route.Counters(ctx); err != nil {
		return err
	}
	probing, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var wg sync.WaitGroup
	wg.Go(func() { o.guard(probing, stop) })
	err = o.drive(probing, stream, length)
	stop(nil)
	wg.Wait()
	if ctx.Err() == nil && errors.Is(context.Cause(probing), errGuardFired) {
		return nil
	}
	return err
}

func (o *observer) drive(ctx context.Context, stream uint64, length time.Duration) error {
	if o.plan.ProbeRate == 0 {
		select {
		case <-time.After(length):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	step := swap.Step{Rate: o.plan.ProbeRate}
	plan := load.PlanBlock(o.prompts, step, 0, length, o.in.Spec.Workload.Seed, stream+uint64(o.in.Index), nil) //nolint:gosec // counts from 1
	_, err := load.Run(ctx, o.client, plan, load.Options{
		Model: o.in.Spec.Baseline.Model, RunSalt: o.attempt, Timeout: o.in.Spec.Workload.RequestTimeout.Std(),
		Meter: &o.meter, OnRecord: o.keep,
	})
	return err
}

// windowStream keeps the prompts of windows apart from those of blocks, settleStream those of the time before them.
const (
	windowStream = uint64(1) << 63
	settleStream = windowStream | 1<<62
)

func (o *observer) keep(r *rawlog.Record) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.records = append(o.records, *r)
	o.unasked, o.latest = o.unasked || !r.Good(), o.now()
}

// hasUnasked reports whether a request has failed that the guard was not asked about, and forgets it.
func (o *observer) hasUnasked() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	unasked := o.unasked
	o.unasked = false
	return unasked
}

func (o *observer) seen() ([]rawlog.Record, *swap.Reason, *swap.Restored) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.records, o.fired, o.brake
}

// decide adds the planner's decision and its next state. Where that is to roll back, and the guard did not do so while the window
// ran, the weights go back before the workflow hears of it.
func (o *observer) decide(ctx context.Context, w swap.Window, online []swap.PerArm[[]float64]) (swap.ObserveWindowResult, error) {
	probes, fired, _ := o.seen()
	w, next := rollout.Next(o.plan, o.state, w, rollout.Evidence{Probes: probes, Online: online, Feedback: o.in.Feedback})
	if w.Decision.Action == swap.ActionRollback && fired == nil {
		o.latest = w.Ended // nothing runs beside this any more
		o.pull(ctx, &w.Decision.Reason[0])
		_, _, w.Brake = o.seen()
	}
	state, err := json.Marshal(next)
	return swap.ObserveWindowResult{Window: w, State: state}, err
}

func (o *observer) progress() swap.Progress {
	p := o.meter.Snapshot(o.now())
	p.What, p.Done = fmt.Sprintf("window %d at %d %%", o.in.Index, o.in.Weights.Candidate), p.Requests
	p.Total = int(o.plan.ProbeRate * o.plan.Window.Seconds())
	return p
}
