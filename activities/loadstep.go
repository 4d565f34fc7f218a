package activities

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

// LoadStep drives one load level on both arms in interleaved blocks. Each block counts once its records are sealed in the
// store; an attempt goes on from what is sealed and drives the rest.
func (a *Activities) LoadStep(ctx context.Context, in swap.LoadStepInput) (swap.StepResult, error) {
	s, err := a.openStep(ctx, in)
	if err != nil {
		return swap.StepResult{}, err
	}
	defer s.close(ctx)
	stop := startProgress(ctx, s.progress)
	defer stop()
	for _, block := range s.order {
		if err := s.drive(ctx, block); err != nil {
			return swap.StepResult{}, err
		}
	}
	return s.finish(ctx)
}

// step is one attempt at a load step.
type step struct {
	in      swap.LoadStepInput
	spec    swap.Step
	order   []swap.BlockPlan
	attempt string
	store   *runstore.Store
	log     *runstore.StepLog
	prompts *workload.Generator
	clients swap.PerArm[*engine.Client]
	meter   load.Meter
	done    atomic.Int64
	now     func() time.Time
}

func (a *Activities) openStep(ctx context.Context, in swap.LoadStepInput) (s *step, err error) {
	if in.Step < 1 || in.Step > len(in.Spec.Load.Steps) {
		return nil, invalidRequest("step %d: the request has steps 1 to %d", in.Step, len(in.Spec.Load.Steps))
	}
	s = &step{
		in: in, spec: in.Spec.Load.Steps[in.Step-1], attempt: attemptID(ctx), now: a.Now,
	}
	s.order = load.BlockOrder(in.Step, s.spec, in.Spec.Load.Block.Std())
	if s.prompts, err = workload.New(in.Spec.Workload); err != nil {
		return nil, invalidRequest("%w", err)
	}
	if s.clients, err = openClients(in.Spec, in.Facts); err != nil {
		return nil, err
	}
	if s.store, err = a.OpenStore(in.Spec.Store); err != nil {
		return nil, err
	}
	// Uploads outlast the activity's context: a cancelled step still stores what it sealed.
	uploads := context.WithoutCancel(ctx)
	s.log, err = runstore.OpenStepLog(uploads, s.store, runKey(ctx, in.Spec.Target), in.Step, s.spec, s.attempt)
	if err != nil {
		s.store.Close()
		return nil, err
	}
	return s, nil
}

// drive runs one block that is not sealed yet.
func (s *step) drive(ctx context.Context, block swap.BlockPlan) error {
	defer s.done.Add(1)
	if _, sealed := s.log.Sealed()[block.Block]; sealed {
		return nil
	}
	if workerStopping(ctx) {
		return errWorkerStopping
	}
	spec := s.in.Spec
	plan := load.PlanBlock(s.prompts, s.spec, spec.Load.Settle.Std(), spec.Load.Block.Std(), spec.Workload.Seed, load.StreamOf(block))
	if err := load.CheckLimits(plan.Peak(spec.Workload.RequestTimeout.Std())); err != nil {
		return err
	}
	if err := s.log.Begin(block, s.now()); err != nil {
		return err
	}
	tape := startBlockTape(s.log)
	result, err := load.Run(ctx, s.clients.Get(block.Arm), plan, load.Options{
		Block: block, Model: endpoint(spec, block.Arm).Model, RunSalt: s.attempt,
		Timeout: spec.Workload.RequestTimeout.Std(), Meter: &s.meter, OnRecord: tape.keep,
	})
	if err := errors.Join(err, tape.close()); err != nil {
		return err
	}
	return s.log.Seal(load.Summarise(block, plan, result))
}

func (s *step) progress() swap.Progress {
	p := s.meter.Snapshot(s.now())
	p.What, p.Done, p.Total, p.Pending = "blocks", int(s.done.Load()), len(s.order), s.log.Pending()
	if outage := s.log.Outage(); outage != nil {
		p.Problem = outage.Error()
	}
	left := time.Duration(p.Total-p.Done) * (s.in.Spec.Load.Block.Std() + s.in.Spec.Load.Settle.Std())
	p.ETA = left.Round(time.Second).String()
	return p
}

// finish waits for the uploads, writes the manifest and summarises what it counts.
func (s *step) finish(ctx context.Context) (swap.StepResult, error) {
	manifest, ref, err := s.log.Finish(ctx, s.order)
	if err != nil {
		return swap.StepResult{}, err
	}
	_, records, err := runstore.ReadStep(ctx, s.store, ref)
	if err != nil {
		return swap.StepResult{}, err
	}
	byBlock := map[int32][]rawlog.Record{}
	for _, r := range records {
		byBlock[r.Block] = append(byBlock[r.Block], r)
	}
	var tally load.StepTally
	for _, b := range manifest.Blocks {
		tally.Add(b, byBlock[int32(b.Block)]) //nolint:gosec // blocks are counted in thousands
	}
	result := tally.Result(s.in.Step, s.spec)
	result.Discarded, result.Manifest = len(manifest.Discarded), ref
	return result, nil
}

// close stores what is still on its way, within a bound, and lets everything go.
func (s *step) close(ctx context.Context) {
	seal, done := context.WithTimeout(context.WithoutCancel(ctx), sealTimeout)
	defer done()
	// What could not be stored is not sealed, and the next attempt drives it again.
	_ = s.log.Close(seal)
	s.store.Close()
	s.clients.Baseline.Close()
	s.clients.Candidate.Close()
}

// openClients makes one load client for each arm.
func openClients(spec swap.Spec, facts swap.PerArm[swap.ArmFacts]) (swap.PerArm[*engine.Client], error) {
	var clients swap.PerArm[*engine.Client]
	for _, arm := range swap.Arms {
		t, err := target(endpoint(spec, arm))
		if err != nil {
			return clients, fmt.Errorf("%s: %w", arm, err)
		}
		*clients.Ptr(arm), err = engine.NewClient(t, engine.ClientOptions{
			Peak: peak(spec), Capabilities: engine.CapabilitiesOf(facts.Get(arm)),
		})
		if err != nil {
			return clients, invalidRequest("%s: %w", arm, err)
		}
	}
	return clients, nil
}
