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

// guardEvery is how often the guard is asked while a window runs.
const guardEvery = 100 * time.Millisecond

// countEvery is how often the gateway's own counters are read for the guard.
const countEvery = time.Second

// errGuardFired ends a window's probes early.
var errGuardFired = errors.New("the guard fired")

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
	return o.decide(window)
}

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
}

func (a *Activities) openObserver(ctx context.Context, in swap.ObserveWindowInput) (o *observer, err error) {
	plan := rollout.Plan{Rollout: *in.Spec.Rollout, Gates: in.Spec.Gates, Waiting: in.Waiting}
	plan.MaxExtensions += in.Extensions
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
	w := swap.Window{Index: o.in.Index, Weights: o.in.Weights, Started: o.now().UTC()}
	var err error
	if o.before, o.counts, err = o.route.Counters(ctx); err != nil {
		return w, err
	}
	if err := o.probe(ctx); err != nil {
		return w, err
	}
	w.Ended = o.now().UTC()
	state, err := o.route.Read(ctx)
	if err != nil {
		return w, err
	}
	w.ReadBack = state.Weights
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

// probe drives probes through the gateway for the length of the window, with the guard beside it.
func (o *observer) probe(ctx context.Context) error {
	probing, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var wg sync.WaitGroup
	wg.Go(func() { o.guard(probing, stop) })
	err := o.drive(probing)
	stop(nil)
	wg.Wait()
	if ctx.Err() == nil && errors.Is(context.Cause(probing), errGuardFired) {
		return nil
	}
	return err
}

func (o *observer) drive(ctx context.Context) error {
	length := o.plan.Window.Std()
	if o.plan.ProbeRate == 0 {
		select {
		case <-time.After(length):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	step := swap.Step{Rate: o.plan.ProbeRate}
	stream := windowStream + uint64(o.in.Index) //nolint:gosec // counts from 1
	plan := load.PlanBlock(o.prompts, step, 0, length, o.in.Spec.Workload.Seed, stream, nil)
	_, err := load.Run(ctx, o.client, plan, load.Options{
		Model: o.in.Spec.Baseline.Model, RunSalt: o.attempt, Timeout: o.in.Spec.Workload.RequestTimeout.Std(),
		Meter: &o.meter, OnRecord: o.keep,
	})
	return err
}

// windowStream keeps the prompts of windows apart from those of blocks.
const windowStream = uint64(1) << 63

func (o *observer) keep(r *rawlog.Record) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.records = append(o.records, *r)
}

func (o *observer) seen() ([]rawlog.Record, *swap.Reason, *swap.Restored) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.records, o.fired, o.brake
}

// guard asks until ctx ends. When it fires, the weights go back first and the probes end second.
func (o *observer) guard(ctx context.Context, stop context.CancelCauseFunc) {
	t := time.NewTicker(guardEvery)
	defer t.Stop()
	gateway, asked := o.before, o.now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if o.counts && o.now().Sub(asked) >= countEvery {
			asked = o.now()
			// A gateway that does not answer now is asked again; the probes tell whether it serves.
			if after, _, err := o.route.Counters(ctx); err == nil {
				gateway = after
			}
		}
		records, _, _ := o.seen()
		arms := statsOf(records)
		if o.counts {
			countGateway(&arms, o.before, gateway)
		}
		if reason := rollout.GuardFired(o.plan.Guard, o.state.BaselineFor(arms.Baseline), arms.Candidate); reason != nil {
			o.pull(ctx, reason)
			stop(errGuardFired)
			return
		}
	}
}

// pull is the brake: all traffic to the baseline. If the gateway refuses, the workflow's restore follows all the same.
func (o *observer) pull(ctx context.Context, reason *swap.Reason) {
	// The window may end while the brake is pulled.
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), controlTimeout)
	defer done()
	started := o.now()
	state, err := o.route.Apply(ctx, swap.AllBaseline)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.fired = reason
	if err == nil {
		o.brake = &swap.Restored{Weights: &state.Weights, Changed: true, At: o.now(), TookMS: ms(o.now().Sub(started))}
	}
}

// decide adds the planner's decision and its next state.
func (o *observer) decide(w swap.Window) (swap.ObserveWindowResult, error) {
	probes, _, _ := o.seen()
	w, next := rollout.Next(o.plan, o.state, w, probes)
	state, err := json.Marshal(next)
	return swap.ObserveWindowResult{Window: w, State: state}, err
}

func (o *observer) progress() swap.Progress {
	p := o.meter.Snapshot(o.now())
	p.What, p.Done = fmt.Sprintf("window %d at %d %%", o.in.Index, o.in.Weights.Candidate), p.Requests
	p.Total = int(o.plan.ProbeRate * o.plan.Window.Seconds())
	return p
}

func statsOf(records []rawlog.Record) (arms swap.PerArm[swap.WindowStats]) {
	for _, arm := range swap.Arms {
		*arms.Ptr(arm) = rawlog.WindowOf(records, arm)
	}
	return arms
}

// countGateway adds what the gateway itself counted during the window.
func countGateway(arms *swap.PerArm[swap.WindowStats], before, after swap.PerArm[traffic.Counters]) {
	for _, arm := range swap.Arms {
		b, a := before.Get(arm), after.Get(arm)
		if a.Requests < b.Requests {
			// The gateway restarted: its counters say nothing about the window.
			continue
		}
		arms.Ptr(arm).GatewayRequests = swap.Of(float64(a.Requests - b.Requests))
		arms.Ptr(arm).GatewayErrors = swap.Of(float64(a.Errors - b.Errors))
	}
}
