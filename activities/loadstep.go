package activities

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/load/hold"
	"github.com/swapgate/swapgate/pkg/load/instrument"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

// LoadStep drives one load level on both arms in interleaved blocks until the step is over. Before its first block the load
// client is calibrated. Each block counts once its records are sealed in the store; an attempt goes on from what is sealed
// and drives the rest.
func (a *Activities) LoadStep(ctx context.Context, in swap.LoadStepInput) (swap.StepResult, error) {
	s, err := a.openStep(ctx, in)
	if err != nil {
		return swap.StepResult{}, err
	}
	defer s.close(ctx)
	stop := startProgress(ctx, s.progress)
	defer stop()
	if err := s.resume(ctx); err != nil {
		return swap.StepResult{}, err
	}
	if err := s.calibrate(ctx); err != nil {
		return swap.StepResult{}, err
	}
	end, err := s.drive(ctx)
	if err != nil {
		return swap.StepResult{}, err
	}
	return s.finish(ctx, end)
}

// step is one attempt at a load step.
type step struct {
	in      swap.LoadStepInput
	spec    swap.Step
	attempt string
	now     func() time.Time

	store   *runstore.Store
	log     *runstore.StepLog
	prompts *workload.Generator
	replay  *load.Replay
	clients swap.PerArm[*engine.Client]

	plan       hold.Plan
	instrument stepInstrument
	// driven are the blocks so far, tally what they came to.
	driven []hold.Block
	tally  load.StepTally
	meter  load.Meter
	done   atomic.Int64
}

// drive drives blocks until the step is over. Both blocks of a pair are driven even when the first broke a limit: whether
// the other arm holds it is what people want to know.
func (s *step) drive(ctx context.Context) (swap.StepEnd, error) {
	for {
		end := s.end()
		if end != nil && len(s.driven)%2 == 0 {
			return *end, nil
		}
		if workerStopping(ctx) {
			return swap.StepEnd{}, errWorkerStopping
		}
		if err := s.driveBlock(ctx, load.BlockAt(s.in.Step, len(s.driven))); err != nil {
			return swap.StepEnd{}, err
		}
	}
}

// end is why the step is over; nil if it is not.
func (s *step) end() *swap.StepEnd {
	if len(s.driven) == 0 {
		return nil
	}
	d := hold.Next(s.plan, s.driven)
	if d.More {
		return nil
	}
	if d.End.Code == swap.EndedLimit && hold.Breaks(s.plan, s.driven, d.End.Arm.Other()) {
		d.End.Arm, d.End.Message = "", d.End.Message+"; the other arm breaks a limit too"
	}
	return &d.End
}

func (s *step) progress() swap.Progress {
	p := s.meter.Snapshot(s.now())
	p.What, p.Done, p.Pending = "blocks", int(s.done.Load()), s.log.Pending()
	p.Total = max(2*s.plan.Blocks, p.Done)
	if outage := s.log.Outage(); outage != nil {
		p.Problem = outage.Error()
	}
	left := time.Duration(p.Total-p.Done) * (s.in.Spec.Load.Block.Std() + s.in.Spec.Load.Settle.Std())
	p.ETA = left.Round(time.Second).String()
	return p
}

// finish waits for the uploads and writes the manifest.
func (s *step) finish(ctx context.Context, end swap.StepEnd) (swap.StepResult, error) {
	plans := make([]swap.BlockPlan, len(s.driven))
	for i := range plans {
		plans[i] = s.driven[i].BlockPlan
	}
	var needed instrument.Medians
	needed.TTFT, needed.TPOT = s.tally.Medians(swap.Baseline)
	manifest, ref, err := s.log.Finish(ctx, plans, end, s.instrument.state(s.in.Spec.Load.Calibration, needed))
	if err != nil {
		return swap.StepResult{}, err
	}
	result := s.tally.Result(s.in.Step, s.spec)
	result.Ended, result.Instrument = manifest.Ended, manifest.Instrument
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
