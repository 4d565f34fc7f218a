package activities

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/load/arrival"
	"github.com/swapgate/swapgate/pkg/load/calibration"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// shared is a site whose steps several load workers share.
func shared(t *testing.T, shards int) *site {
	t.Helper()
	s := newSite(t, func(p *plan) {
		p.deps = func(d *Deps) { d.Shards = Shards{Listen: "127.0.0.1:0", JoinWithin: patience} }
	})
	s.spec.Load.Shards = shards
	return s
}

// startShard begins an attempt at one load worker's part.
func startShard(t *testing.T, s *site, shard int) *call[swap.StepResult] {
	t.Helper()
	in := loadStepInput(s)
	in.Shard = shard
	return start[swap.StepResult](t, s, swap.ActivityLoadStep, in)
}

func startShards(t *testing.T, s *site) []*call[swap.StepResult] {
	t.Helper()
	var all []*call[swap.StepResult]
	for shard := range s.spec.Load.Shards {
		all = append(all, startShard(t, s, shard))
	}
	return all
}

// together waits for all load workers and returns the result of the conductor.
func together(t *testing.T, all ...*call[swap.StepResult]) swap.StepResult {
	t.Helper()
	var result swap.StepResult
	for shard, c := range all {
		got, err := c.wait(t)
		require.NoError(t, err, "shard %d", shard)
		if shard == 0 {
			result = got
		} else {
			require.Zero(t, got, "a follower returns nothing")
		}
	}
	return result
}

// requireWhole reads a step back and checks that every planned request is there once, in the slice of its shard.
func requireWhole(t *testing.T, s *site, got swap.StepResult) (swap.StepManifest, []rawlog.Record) {
	t.Helper()
	manifest, records := readStep(t, s, got)
	require.Len(t, records, got.Planned.Baseline+got.Planned.Candidate)
	for _, b := range manifest.Blocks {
		require.Len(t, b.Slices, s.spec.Load.Shards)
		for i, slice := range b.Slices {
			require.Equal(t, i, slice.Shard)
			require.Contains(t, slice.Raw.URI, "/"+slice.Attempt+"/requests.parquet")
			require.NotEmpty(t, slice.Client.Calibrated)
			require.Equal(t, i > 0, slice.ClockUncertaintyMS.Valid())
			for _, lost := range manifest.Discarded {
				require.False(t, lost.Block == b.Block && lost.Attempt == slice.Attempt, "%+v counts", lost)
			}
		}
	}
	require.Len(t, sealedBlocks(t, s), len(manifest.Blocks), "a block is sealed once")
	return manifest, records
}

func TestLoadWorkersDriveAStepTogether(t *testing.T) {
	t.Parallel()
	const shards = 3
	s := shared(t, shards)
	var mu sync.Mutex
	var shares []float64
	s.deps.Calibrate = func(ctx context.Context, c calibration.Config) (swap.InstrumentReading, error) {
		mu.Lock()
		defer mu.Unlock()
		shares = append(shares, c.Shard.Step(c.Plan.Step).Rate)
		return goodClient(ctx, c)
	}
	s.spec.Load.Steps[0].Rate = 120
	got := together(t, startShards(t, s)...)
	require.Equal(t, 4, got.Blocks)
	require.Zero(t, got.Discarded)
	require.Equal(t, got.Planned.Baseline, got.Planned.Candidate)
	require.Equal(t, []float64{40, 40, 40}, shares, "each is checked once, at its own share")
	require.Equal(t, 120, got.Instrument.Calibration.Requests, "and each check counts once")

	manifest, records := requireWhole(t, s, got)
	byShard := map[int32]int{}
	for _, r := range records {
		byShard[r.Shard]++
	}
	require.Len(t, byShard, shards, "all of them drove")
	for _, arm := range swap.Arms {
		require.Equal(t, got.Planned.Get(arm), s.served(arm), "nothing was asked that is not recorded")
	}
	requireAsOfOneWorker(t, s, manifest, records, got)
	requireOneStart(t, manifest, records)

	again := together(t, startShards(t, s)...)
	require.Equal(t, got, again, "a step that is complete is not driven again, and followers see that it has ended")
}

// requireAsOfOneWorker checks that a step's result is what one load worker would tell of the same records.
func requireAsOfOneWorker(t *testing.T, s *site, m swap.StepManifest, records []rawlog.Record, got swap.StepResult) {
	t.Helper()
	var whole load.StepTally
	for _, b := range m.Blocks {
		tally := load.NewBlockTally(b.BlockPlan, time.Time{})
		for i := range records {
			if int(records[i].Block) == b.Block {
				tally.Add(&records[i])
			}
		}
		one := tally.Result(b.ScheduleSHA256, b.Started, time.Duration(b.MeasuredMS)*time.Millisecond)
		one.Slices = b.Slices
		require.True(t, one.Started.Equal(b.Started))
		one.Started = b.Started
		require.Equal(t, one, b)
		whole.Add(b, tally)
	}
	want := whole.Result(1, s.spec.Load.Steps[0])
	want.Ended, want.Instrument, want.Discarded, want.Manifest = got.Ended, got.Instrument, got.Discarded, got.Manifest
	require.Equal(t, want, got)
}

// requireOneStart checks that what was planned is planned from one start, on clocks that are the same here.
func requireOneStart(t *testing.T, m swap.StepManifest, records []rawlog.Record) {
	t.Helper()
	planned := map[int32]map[int32]int64{} // by pair and sequence number, since the start of the block
	for _, r := range records {
		at := r.PlannedUnixNS - m.Blocks[r.Block-1].Started.UnixNano()
		if planned[r.Pair] == nil {
			planned[r.Pair] = map[int32]int64{}
		}
		if first, twice := planned[r.Pair][r.Seq]; twice {
			require.InDelta(t, first, at, float64(50*time.Millisecond), "both blocks of a pair run one schedule")
		}
		planned[r.Pair][r.Seq] = at
	}
}

// What several load workers send together arrives as the plan wants it: as a Poisson process.
func TestArrivalsOfAllLoadWorkersArePoisson(t *testing.T) {
	t.Parallel()
	s := shared(t, 2)
	s.spec.Load.Steps[0] = swap.Step{Rate: 300, Hold: swap.Duration(time.Second)}
	s.spec.Load.Block = swap.Duration(time.Second)
	got := together(t, startShards(t, s)...)
	manifest, records := requireWhole(t, s, got)
	for _, b := range manifest.Blocks {
		var at []time.Duration
		for _, r := range records {
			if int(r.Block) == b.Block && r.Measured {
				at = append(at, time.Duration(r.PlannedUnixNS-b.Started.UnixNano())-s.spec.Load.Settle.Std())
			}
		}
		slices.Sort(at)
		index, low, high := arrival.Dispersion(at, 10*time.Millisecond, s.spec.Load.Block.Std())
		require.True(t, low <= 1 && 1 <= high, "index %.2f, interval %.2f to %.2f", index, low, high)
	}
}

func TestLoadWorkersShareAClosedLoop(t *testing.T) {
	t.Parallel()
	s := shared(t, 2)
	s.spec.Load.Steps[0] = swap.Step{Concurrency: 5, Hold: swap.Duration(200 * time.Millisecond)}
	got := together(t, startShards(t, s)...)
	_, records := requireWhole(t, s, got)
	require.Len(t, records, s.served(swap.Baseline)+s.served(swap.Candidate))
}

// A load worker that is lost in the middle of a block costs that block and no other: it is repeated when its next attempt is
// there, and nothing of the void round counts.
func TestALostLoadWorkerCostsTheBlock(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]int{"the conductor": 0, "a follower": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shared(t, 2)
			s.spec.Load.Block, s.spec.Load.Steps[0].Hold = swap.Duration(600*time.Millisecond), swap.Duration(1200*time.Millisecond)
			all := startShards(t, s)
			eventually(t, "a block of the candidate runs", func() bool { return s.served(swap.Candidate) > 0 })
			all[lost].cancel()
			_, err := all[lost].wait(t)
			requireCancelled(t, err)
			kept := sealedBlocks(t, s)
			require.NotEmpty(t, kept)
			require.Less(t, len(kept), 4)

			all[lost] = startShard(t, s, lost)
			got := together(t, all...)
			manifest, _ := requireWhole(t, s, got)
			require.Len(t, manifest.Blocks, 4)
			require.Subset(t, sealedBlocks(t, s), kept)
			require.NotEmpty(t, manifest.Discarded)
			require.Equal(t, len(manifest.Discarded), got.Discarded)
			for _, d := range manifest.Discarded {
				require.Equal(t, len(kept)+1, d.Block, "only the block in which it was lost")
			}
			require.Equal(t, 120, got.Instrument.Calibration.Requests, "three attempts were checked, with 40 requests each")
		})
	}
}

// A load worker that is asked to stop ends the block, and the others wait for the next.
func TestAStoppingLoadWorkerHandsItsShardOver(t *testing.T) {
	t.Parallel()
	for name, stopping := range map[string]int{"the conductor": 0, "a follower": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shared(t, 2)
			s.spec.Load.Block, s.spec.Load.Steps[0].Hold = swap.Duration(600*time.Millisecond), swap.Duration(600*time.Millisecond)
			all := startShards(t, s)
			eventually(t, "the first block runs", func() bool { return s.served(swap.Baseline) > 0 })
			all[stopping].stopWorker()
			_, err := all[stopping].wait(t)
			requireType(t, err, TypeWorkerStopping, true)

			all[stopping] = startShard(t, s, stopping)
			if stopping == 0 { // it depends on who is quicker whether the follower waits or is told to stop and tried again
				if _, err := all[1].wait(t); err != nil {
					requireType(t, err, TypeConductorLost, true)
					all[1] = startShard(t, s, 1)
				}
			}
			got := together(t, all...)
			require.Zero(t, got.Discarded, "nothing is left half done")
			requireWhole(t, s, got)
		})
	}
}

// A load worker that waits for others stops at once when it is asked to.
func TestAWaitingLoadWorkerStopsAtOnce(t *testing.T) {
	t.Parallel()
	for name, shard := range map[string]int{"the conductor": 0, "a follower": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shared(t, 2)
			c := startShard(t, s, shard)
			if shard == 0 {
				eventually(t, "it listens", func() bool { return len(stepKeys(t, s)) > 0 })
			}
			asked := time.Now()
			c.stopWorker()
			_, err := c.wait(t)
			requireType(t, err, TypeWorkerStopping, true)
			require.Less(t, time.Since(asked), patience/2, "long before it would give up")
		})
	}
}

func TestTooFewLoadWorkersAreCounted(t *testing.T) {
	t.Parallel()
	s := shared(t, 3)
	s.deps.Shards.JoinWithin = 500 * time.Millisecond
	conductor := startShard(t, s, 0)
	_, err := conductor.wait(t)
	requireType(t, err, TypeTooFewLoadWorkers, false)
	require.ErrorContains(t, err, "1 of 3 came within 500ms, missing: shard 1, shard 2; start more load workers")
	requireSaid(t, conductor, "1 of 3 load workers have joined; for up to 500ms waiting for shard 1, shard 2; start more load workers")

	lonely := startShard(t, s, 1)
	_, err = lonely.wait(t)
	requireType(t, err, TypeConductorLost, true)
	requireSaid(t, lonely, "shard 1 of 3 has begun and for up to 500ms waits for the load worker of shard 0")
	require.Zero(t, s.served(swap.Baseline))
}

// requireSaid checks that a heartbeat told what a load worker waits for.
func requireSaid(t *testing.T, c *call[swap.StepResult], problem string) {
	t.Helper()
	require.Condition(t, func() bool {
		return slices.ContainsFunc(c.progress(t), func(p swap.Progress) bool { return strings.Contains(p.Problem, problem) })
	}, "%+v", c.progress(t))
}

func TestLoadWorkersMustFitTheRequest(t *testing.T) {
	t.Parallel()
	s := shared(t, 2)
	for _, shard := range []int{-1, 2} {
		_, err := startShard(t, s, shard).wait(t)
		requireType(t, err, TypeInvalidRequest, false)
	}
}

// The account of the load clients names the load worker at fault.
func TestAFaultNamesItsLoadWorker(t *testing.T) {
	t.Parallel()
	s := shared(t, 2)
	var mu sync.Mutex
	checks := 0
	s.deps.Calibrate = func(ctx context.Context, c calibration.Config) (swap.InstrumentReading, error) {
		mu.Lock()
		defer mu.Unlock()
		if checks++; checks == 1 {
			return swap.InstrumentReading{}, fmt.Errorf("%w: it saw no token", calibration.ErrMisread)
		}
		return goodClient(ctx, c)
	}
	got := together(t, startShards(t, s)...)
	at := slices.IndexFunc(got.Instrument.Faults, func(f swap.InstrumentFault) bool { return f.Signal == "calibration" })
	require.GreaterOrEqual(t, at, 0)
	require.Regexp(t, `^the load client could not be checked: the load client misread .* it saw no token \(shard [01]\)$`,
		got.Instrument.Faults[at].Message)
}

// The noticeboard keeps no token when a step is over.
func TestTheNoticeboardEndsWithoutToken(t *testing.T) {
	t.Parallel()
	s := shared(t, 2)
	together(t, startShards(t, s)...)
	key := runstore.NoticeboardKey(swap.RunKey{Target: "chat", RunID: testRunID}, 1)
	data, _, err := openStore(t, s.spec.Store).GetKey(t.Context(), key)
	require.NoError(t, err)
	require.NotContains(t, string(data), "token")
	require.Contains(t, string(data), `"ended": true`)
}
