package activities

import (
	"context"
	"errors"
	"time"

	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/load/instrument"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// resume takes in the blocks that earlier attempts sealed, as far as they follow each other from the first.
func (s *step) resume(ctx context.Context) error {
	sealed := s.log.Sealed()
	for {
		b, ok := sealed[len(s.driven)+1]
		if !ok {
			return nil
		}
		tally := load.NewBlockTally(b.BlockPlan, s.deadline(b.Started))
		err := runstore.EachLeanRecord(ctx, s.store, b, func(rows []rawlog.Record) error {
			for i := range rows {
				tally.Add(&rows[i])
				s.instrument.records.Add(&rows[i])
			}
			return nil
		})
		if err != nil {
			return err
		}
		s.take(b, tally)
	}
}

// deadline is until when an answer counts as in time: as long after the block as was left out at its start.
func (s *step) deadline(start time.Time) time.Time {
	l := s.in.Spec.Load
	return start.Add(l.Block.Std() + 2*l.Settle.Std())
}

// take counts a sealed block.
func (s *step) take(b swap.BlockResult, tally *load.BlockTally) {
	s.driven = append(s.driven, tally.Hold())
	s.tally.Add(b, tally)
	s.done.Add(1)
}

// driveBlock drives and seals one block.
func (s *step) driveBlock(ctx context.Context, block swap.BlockPlan) error {
	spec := s.in.Spec
	plan := load.PlanBlock(s.prompts, s.spec, spec.Load.Settle.Std(), spec.Load.Block.Std(), spec.Workload.Seed, load.StreamOf(block), s.replay)
	if err := load.CheckLimits(plan.Peak(spec.Workload.RequestTimeout.Std())); err != nil {
		return err
	}
	if err := s.log.Begin(block, s.now()); err != nil {
		return err
	}
	start := s.now().Add(load.Lead)
	tally := load.NewBlockTally(block, s.deadline(start))
	tape := startBlockTape(s.log)
	watch := instrument.StartWatch()
	result, err := load.Run(ctx, s.clients.Get(block.Arm), plan, load.Options{
		Block: block, Model: endpoint(spec, block.Arm).Model, RunSalt: s.attempt, Start: start,
		Timeout: spec.Workload.RequestTimeout.Std(), Meter: &s.meter,
		OnRecord: func(r *rawlog.Record) {
			tally.Add(r)
			s.instrument.records.Add(r)
			tape.keep(r)
		},
	})
	s.instrument.watched(watch.Stop())
	if err := errors.Join(err, tape.close()); err != nil {
		return err
	}
	b := tally.Result(plan.SHA256, result.Started, result.Measured)
	if err := s.log.Seal(b); err != nil {
		return err
	}
	s.take(b, tally)
	return nil
}
