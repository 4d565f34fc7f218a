package activities

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/engine/admin"
	"github.com/swapgate/swapgate/pkg/engine/protocol"
	"github.com/swapgate/swapgate/pkg/judge/transition"
	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// swapStream keeps the prompts of swaps apart from those of blocks and windows.
const swapStream = uint64(1) << 62

// errSeenEnough ends the load of a swap.
var errSeenEnough = errors.New("the swap was observed for long enough")

// SwapModel makes the server serve an arm while the first load step runs on it, and measures what clients see of that. It does not
// swap again what an earlier attempt has swapped; then there is nothing to measure.
func (a *Activities) SwapModel(ctx context.Context, in swap.ModelSwapInput) (swap.ModelSwapResult, error) {
	s, err := a.openSwap(ctx, in)
	if err != nil {
		return swap.ModelSwapResult{}, err
	}
	defer s.close()
	stop := startProgress(ctx, s.progress)
	defer stop()
	return s.run(ctx)
}

// swapUnderLoad is one attempt at a swap.
type swapUnderLoad struct {
	in      swap.ModelSwapInput
	goal    admin.Goal
	key     string
	attempt string
	now     func() time.Time
	server  *inPlaceServer
	sender  *followingSender
	plan    load.Plan
	store   *runstore.Store
	meter   load.Meter
	// doing is what the attempt is at, for people.
	doing atomic.Pointer[string]

	mu      sync.Mutex
	records []rawlog.Record
}

func (a *Activities) openSwap(ctx context.Context, in swap.ModelSwapInput) (*swapUnderLoad, error) {
	leaving := in.Known.Get(in.Arm.Other())
	if leaving == nil {
		return nil, invalidRequest("swap %d: what identifies the %s is not known, and nothing can be proven without", in.Index, in.Arm.Other())
	}
	s := &swapUnderLoad{
		in: in, attempt: attemptID(ctx), now: a.Now,
		goal: admin.Goal{Model: in.Spec.InPlaceModelOf(in.Arm), Before: *leaving, Known: in.Known.Get(in.Arm)},
	}
	s.key = runstore.SwapKey(runKey(ctx, in.Spec.Target), in.Index, s.attempt)
	s.at("load before the swap")
	err := s.lay(ctx, a)
	if err != nil {
		return nil, err
	}
	if s.server, err = a.openInPlace(in.Spec, in.Facts, s.follow); err != nil {
		return nil, err
	}
	s.sender = newFollowingSender(s.server.client, leaving.Model.Name)
	if s.store, err = a.OpenStore(in.Spec.Store); err != nil {
		s.server.close()
		return nil, err
	}
	return s, nil
}

// lay plans the load: long enough for the slowest swap that is permitted, since it ends when enough was seen.
func (s *swapUnderLoad) lay(ctx context.Context, a *Activities) error {
	spec, in := s.in.Spec.Load.Steps[0], s.in.Spec.InPlace
	prompts, err := stepPrompts(s.in.Spec.Workload, spec)
	if err != nil {
		return err
	}
	facts := swap.PerArm[swap.ArmFacts]{Baseline: s.in.Facts, Candidate: s.in.Facts}
	step := swap.LoadStepInput{Spec: s.in.Spec, Step: 1, Facts: facts}
	if spec, err = a.settleConcurrency(ctx, step, spec, prompts.Spec()); err != nil {
		return err
	}
	replay, err := openReplay(s.in.Spec.Workload.Seed, spec.Arrival)
	if err != nil {
		return err
	}
	stream := swapStream + uint64(s.in.Index) //nolint:gosec // counts from 1
	longest := 2*in.Observe.Std() + in.Timeout.Std() + time.Minute
	s.plan = load.PlanBlock(prompts, spec, s.in.Spec.Load.Settle.Std(), longest, s.in.Spec.Workload.Seed, stream, replay)
	return load.CheckLimits(s.plan.Peak(s.in.Spec.Workload.RequestTimeout.Std()))
}

func (s *swapUnderLoad) close() {
	s.server.close()
	s.store.Close()
}

func (s *swapUnderLoad) at(phase string) { s.doing.Store(&phase) }

func (s *swapUnderLoad) progress() swap.Progress {
	p := s.meter.Snapshot(s.now())
	p.What = fmt.Sprintf("swap %d to the %s: %s", s.in.Index, s.in.Arm, *s.doing.Load())
	return p
}

// follow makes the load ask for the new name, and waits until no request that was made ready with the old one is still to be sent.
func (s *swapUnderLoad) follow(ctx context.Context, m swap.InPlaceModel) {
	s.sender.ask(m.Name)
	select {
	case <-time.After(2 * load.Lead):
	case <-ctx.Done():
	}
}

// run drives the load, swaps in its middle, and measures.
func (s *swapUnderLoad) run(ctx context.Context) (swap.ModelSwapResult, error) {
	loading, enough := context.WithCancelCause(ctx)
	defer enough(nil)
	ended := make(chan error, 1)
	began := s.now()
	go func() { ended <- s.drive(loading) }()
	var span transition.Span
	done, err := s.swap(ctx, began, ended, &span)
	enough(errSeenEnough)
	if loadErr := <-ended; err == nil && !errors.Is(loadErr, errSeenEnough) {
		err = loadErr
	}
	if err != nil {
		return swap.ModelSwapResult{}, err
	}
	return s.measure(ctx, done, span)
}

// swap waits, swaps and waits. The load that ends before that has failed.
func (s *swapUnderLoad) swap(ctx context.Context, began time.Time, ended chan error, span *transition.Span) (swap.ModelSwap, error) {
	settle, observe := s.in.Spec.Load.Settle.Std(), s.in.Spec.InPlace.Observe.Std()
	span.From = began.Add(load.Lead + settle)
	if err := wait(ctx, load.Lead+settle+observe, ended); err != nil {
		return swap.ModelSwap{}, err
	}
	s.at("swapping")
	done, err := s.server.Swap(ctx, s.goal)
	if err != nil {
		return done, err
	}
	s.at("load after the swap")
	err = wait(ctx, observe, ended)
	span.To = s.now()
	return done, err
}

// wait waits for d; what ends earlier is ctx, or the load.
func wait(ctx context.Context, d time.Duration, ended chan error) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case err := <-ended:
		ended <- err
		return err
	}
}

func (s *swapUnderLoad) drive(ctx context.Context) error {
	_, err := load.Run(ctx, s.sender, s.plan, load.Options{
		Block: swap.BlockPlan{Arm: s.in.Arm.Other()}, Model: s.goal.Before.Model.Name, RunSalt: s.attempt,
		Timeout: s.in.Spec.Workload.RequestTimeout.Std(), Meter: &s.meter, OnRecord: s.keep,
	})
	return err
}

// keep leaves out what was only planned for after the end.
func (s *swapUnderLoad) keep(r *rawlog.Record) {
	if r.SentUnixNS == 0 && swap.Outcome(r.Outcome) == swap.Abandoned {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, *r)
}

// measure stores the records and says what they tell.
func (s *swapUnderLoad) measure(ctx context.Context, done swap.ModelSwap, span transition.Span) (swap.ModelSwapResult, error) {
	res := swap.ModelSwapResult{Swap: done}
	for i := range s.records {
		if s.records[i].SentUnixNS >= done.Served.UnixNano() {
			s.records[i].Arm = string(s.in.Arm)
		}
	}
	if done.Changed {
		seen := transition.Of(s.records, done, span)
		res.Transition = &seen
		res.Findings = transition.Findings(fmt.Sprintf("swap %d to the %s", s.in.Index, s.in.Arm), done, seen)
	}
	var err error
	res.Raw, err = runstore.WriteTable(ctx, s.store, s.key, rawlog.Schema, s.records)
	return res, err
}

// followingSender asks for whatever model is served.
type followingSender struct {
	client *engine.Client
	model  atomic.Pointer[string]
}

func newFollowingSender(c *engine.Client, model string) *followingSender {
	s := &followingSender{client: c}
	s.ask(model)
	return s
}

func (s *followingSender) ask(model string) { s.model.Store(&model) }

// Ready makes a request ready for the model that is served now.
func (s *followingSender) Ready(ctx context.Context, ask protocol.Ask) engine.Shot {
	ask.Model = *s.model.Load()
	return s.client.Ready(ctx, ask)
}
