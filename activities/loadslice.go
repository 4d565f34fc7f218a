package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/load/ensemble"
	"github.com/swapgate/swapgate/pkg/load/instrument"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// errStartMissed is a load worker that could not begin with the others.
var errStartMissed = errors.New("the load worker was too busy to start the block with the others")

// sliceReport is what the conductor is told of a driven slice, beside the values of its tally.
type sliceReport struct {
	Started  time.Time       `json:"started"`
	Measured time.Duration   `json:"measured_ns"`
	Slice    swap.BlockSlice `json:"slice"`
	Tally    load.SliceTally `json:"tally"`
	// Records is the client's account of itself that the records tell.
	Records *instrument.Tally `json:"records"`
}

// drive drives and stores the load worker's slice of a block.
func (w *shardWork) drive(ctx context.Context, turn ensemble.Turn) (ensemble.SliceResult, error) {
	if err := w.log.Begin(turn.Block, w.now()); err != nil {
		return ensemble.SliceResult{}, err
	}
	defer w.log.Void()
	tally, records := load.NewBlockTally(turn.Block, turn.Start), &instrument.Tally{}
	tape := startBlockTape(w.log)
	watch := instrument.StartWatch()
	result, err := load.Run(ctx, w.clients.Get(turn.Block.Arm), w.plan, load.Options{
		Block: turn.Block, Model: endpoint(w.in.Spec, turn.Block.Arm).Model, RunSalt: saltOf(turn), Shard: w.shard, Start: turn.Start,
		Timeout: w.in.Spec.Workload.RequestTimeout.Std(), Meter: &w.meter,
		OnRecord: func(r *rawlog.Record) {
			tally.Add(r)
			records.Add(r)
			tape.keep(r)
		},
	})
	process := watch.Stop()
	if err := errors.Join(err, tape.close(), w.inStep(turn, result)); err != nil {
		return ensemble.SliceResult{}, err
	}
	slice, err := w.storeSlice(ctx, result)
	if err != nil {
		return ensemble.SliceResult{}, err
	}
	slice.Client.Process = process
	counts, values := tally.Pack()
	payload, err := json.Marshal(sliceReport{
		Started: result.Started, Measured: result.Measured, Slice: slice, Tally: counts, Records: records,
	})
	if w.shard.Index > 0 {
		w.done.Add(1)
	}
	return ensemble.SliceResult{Planned: result.Planned, Outcomes: result.Outcomes, Samples: values, Payload: payload}, err
}

// inStep verifies that a slice began with the others.
func (w *shardWork) inStep(turn ensemble.Turn, r load.Result) error {
	if late := r.Started.Sub(turn.Start); late != 0 && !w.shard.Whole() && !r.Started.IsZero() {
		b := turn.Block
		return fmt.Errorf("%w: shard %d began block %d of step %d %s late", errStartMissed, w.shard.Index, b.Block, b.Step, late)
	}
	return nil
}

// storeSlice ends the table of a slice. A follower's must be in the store before the block can be sealed with it; the
// conductor's own goes there before the seal.
func (w *shardWork) storeSlice(ctx context.Context, r load.Result) (swap.BlockSlice, error) {
	slice, err := w.log.Store(r.Planned, r.Outcomes)
	if err == nil && w.shard.Index > 0 {
		err = w.log.Drain(ctx)
	}
	slice.Client = *w.client
	return slice, err
}

// saltOf makes prompts new to every cache: it differs between runs, and after a round that was void, whose prompts a cache may
// hold. It is the same for all shards, and for both blocks of a pair unless one was repeated.
func saltOf(t ensemble.Turn) string { return fmt.Sprintf("%s.%d", t.Conductor, t.Round-t.Block.Block) }
