package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/load/ensemble"
	"github.com/swapgate/swapgate/pkg/load/hold"
	"github.com/swapgate/swapgate/pkg/load/instrument"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// resume takes in the blocks that earlier attempts sealed, as far as they follow each other from the first.
func (s *step) resume(ctx context.Context) error {
	sealed := s.steps.Sealed()
	for {
		b, ok := sealed[s.course.Len()+1]
		if !ok {
			return nil
		}
		if err := s.resumeBlock(ctx, b); err != nil {
			return err
		}
	}
}

// resumeBlock tallies the records of a sealed block as they were tallied when it was driven: each slice by its own clock.
func (s *step) resumeBlock(ctx context.Context, b swap.BlockResult) error {
	tallies, records := make([]*load.BlockTally, len(b.Slices)), make([]*instrument.Tally, len(b.Slices))
	for i, slice := range b.Slices {
		offset := time.Duration(slice.ClockOffsetMS.Or(0) * float64(time.Millisecond))
		tallies[i], records[i] = load.NewBlockTally(b.BlockPlan, b.Started.Add(-offset)), &instrument.Tally{}
	}
	err := runstore.EachLeanRecord(ctx, s.store, b, func(rows []rawlog.Record) error {
		for i := range rows {
			shard := int(rows[i].Shard)
			if shard < 0 || shard >= len(tallies) {
				return fmt.Errorf("%w: block %d holds a request of shard %d", runstore.ErrCorrupt, b.Block, shard)
			}
			tallies[shard].Add(&rows[i])
			records[shard].Add(&rows[i])
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, other := range tallies[1:] {
		if err := tallies[0].Merge(other.Pack()); err != nil {
			return err
		}
	}
	s.take(b, tallies[0].Hold(), tallies[0], records)
	return nil
}

// take counts a sealed block.
func (s *step) take(b swap.BlockResult, judged hold.Block, tally *load.BlockTally, records []*instrument.Tally) {
	s.course.Add(judged)
	s.tally.Add(b, tally)
	s.instrument.add(b.Slices, records)
	s.done.Add(1)
}

// seal makes a block count whose slices are all driven.
func (s *step) seal(_ context.Context, block swap.BlockPlan, slices []ensemble.Slice) error {
	tally := load.NewBlockTally(block, time.Time{})
	reports, records := make([]sliceReport, len(slices)), make([]*instrument.Tally, len(slices))
	for i, slice := range slices {
		reports[i].Records = &instrument.Tally{}
		if err := json.Unmarshal(slice.Payload, &reports[i]); err != nil {
			return fmt.Errorf("the report of shard %d on block %d cannot be read: %w", i, block.Block, err)
		}
		if err := tally.Merge(reports[i].Tally, slice.Samples); err != nil {
			return fmt.Errorf("shard %d, block %d: %w", i, block.Block, err)
		}
		records[i] = reports[i].Records
	}
	b := tally.Result(s.plan.SHA256, reports[0].Started, shortest(reports))
	b.Slices = tables(slices, reports)
	if err := s.steps.Seal(b); err != nil {
		return err
	}
	judged := tally.Hold()
	judged.KVUsage, judged.GPUUtilization = s.pressure.taken(block.Arm)
	s.take(b, judged, tally, records)
	return nil
}

// tables are the slices of a block with the clocks of their load workers.
func tables(slices []ensemble.Slice, reports []sliceReport) []swap.BlockSlice {
	out := make([]swap.BlockSlice, len(slices))
	for i := range slices {
		out[i] = reports[i].Slice
		out[i].Shard = i
		if i > 0 {
			out[i].ClockOffsetMS, out[i].ClockUncertaintyMS = milliseconds(slices[i].Clock.Offset), milliseconds(slices[i].Clock.Uncertainty)
		}
	}
	return out
}

func milliseconds(d time.Duration) swap.Value { return swap.Of(float64(d) / float64(time.Millisecond)) }

// shortest is the measured time that all slices have.
func shortest(reports []sliceReport) time.Duration {
	least := reports[0].Measured
	for _, r := range reports {
		least = min(least, r.Measured)
	}
	return least
}
