package activities

import (
	"context"

	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/load/ensemble"
	"github.com/swapgate/swapgate/pkg/load/hold"
	"github.com/swapgate/swapgate/pkg/load/instrument"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// LoadStep drives one load level on both arms in interleaved blocks until the step is over. Before its first block the load
// client is calibrated. Each block counts once its records are sealed in the store; an attempt goes on from what is sealed
// and drives the rest.
//
// Several load workers drive a step together, each with a LoadStep of its own: shard 0 conducts them, decides, seals, and has
// the result, and the others follow it and have none.
func (a *Activities) LoadStep(ctx context.Context, in swap.LoadStepInput) (swap.StepResult, error) {
	if in.Shard > 0 {
		return swap.StepResult{}, a.followStep(ctx, in)
	}
	s, err := a.openStep(ctx, in)
	if err != nil {
		return swap.StepResult{}, err
	}
	s.prolonged.tell = a.tell
	stop := startProgress(ctx, s.report)
	defer stop()
	defer s.close(ctx)
	defer s.pressure.close()
	defer s.server.close()
	if err := s.resume(ctx); err != nil {
		return swap.StepResult{}, err
	}
	shift := s.shift.start(ctx)
	defer s.shift.stop()
	err = ensemble.Conduct(shift, s.config(a.Shards), ensemble.Step{
		Part: s.pressure.watching(s.part()), Next: s.next, Seal: s.seal, Finish: s.finish,
	})
	return s.result, err
}

// followStep drives one shard of a step as its conductor tells.
func (a *Activities) followStep(ctx context.Context, in swap.LoadStepInput) error {
	w, err := a.openShard(ctx, in)
	if err != nil {
		return err
	}
	log, err := runstore.OpenSliceLog(context.WithoutCancel(ctx), w.store, w.run, in.Step, in.Shard, w.attempt)
	if err != nil {
		w.close(ctx)
		return err
	}
	w.log = log
	stop := startProgress(ctx, w.progress)
	defer stop()
	defer w.close(ctx)
	shift := w.shift.start(ctx)
	defer w.shift.stop()
	return ensemble.Follow(shift, w.config(a.Shards), w.part())
}

// step is one attempt at a load step as its conductor sees it.
type step struct {
	*shardWork
	steps *runstore.StepLog

	instrument stepInstrument
	pressure   *stepPressure
	// server is the one of a swap in place; nil where both arms are up.
	server *inPlaceServer
	// course are the blocks so far, tally what they came to.
	course *hold.Course
	tally  load.StepTally
	ended  swap.StepEnd
	result swap.StepResult
	// prolonged tells people why the step goes on for longer than planned.
	prolonged prolongation
}

// next chooses the block to drive until the step is over. Both blocks of a pair are driven even when the first broke a limit:
// whether the other arm holds it is what people want to know.
func (s *step) next(ctx context.Context) (block swap.BlockPlan, more bool, err error) {
	driven := s.course.Len()
	if end, ended := s.end(); ended && driven%2 == 0 {
		s.ended = end
		return swap.BlockPlan{}, false, nil
	}
	if err := s.shift.over(); err != nil {
		return swap.BlockPlan{}, false, err
	}
	if driven%2 == 0 {
		s.prolonged.note(ctx, s.now(), s.course.Prolonged())
	}
	block = load.BlockAt(s.in.Step, driven)
	return block, true, s.serve(ctx, block.Arm)
}

// end is why the step is over; false if it is not.
func (s *step) end() (swap.StepEnd, bool) {
	end, ended := s.course.End()
	if end.Code == swap.EndedLimit && s.course.Breaks(end.Arm.Other()) {
		end.Arm, end.Message = "", end.Message+"; the other arm breaks a limit too"
	}
	return end, ended
}

// finish waits for the uploads and writes the manifest.
func (s *step) finish(ctx context.Context) error {
	var needed instrument.Medians
	needed.TTFT, needed.TPOT = s.tally.Medians(swap.Baseline)
	manifest, ref, err := s.steps.Finish(ctx, s.course.Blocks(), s.ended, s.instrument.state(s.in.Spec.Load.Calibration, needed))
	if err != nil {
		return err
	}
	s.result = s.tally.Result(s.in.Step, s.spec)
	s.result.Ended, s.result.Instrument = manifest.Ended, manifest.Instrument
	s.result.Findings = append(s.result.Findings, s.pressure.findings(ctx)...)
	s.result.Discarded, s.result.Manifest = len(manifest.Discarded), ref
	return nil
}
