package ensemble_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/load/arrival"
	"github.com/swapgate/swapgate/pkg/load/ensemble"
	"github.com/swapgate/swapgate/pkg/load/ensemble/ensembletest"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

const patience = 30 * time.Second

// stage is a step that shards play on this host. Its fields are set before the first shard starts.
type stage struct {
	of     int
	blocks int
	board  ensemble.Noticeboard
	tune   func(*ensemble.Config)
	// onPlan and onDrive, if set, run in the shards' functions.
	onPlan  func(ctx context.Context, shard int, attempt string) error
	onDrive func(ctx context.Context, shard int, attempt string, turn ensemble.Turn) error
	onSeal  func(block int) error
	finish  func(ctx context.Context) error
	plan    load.Plan

	mu     sync.Mutex
	sealed map[int][]ensemble.Slice
	seals  int
	drives int
	causes []error
}

// share is what a shard reports of its slice: which of the arrivals it had, and its start on a true clock.
type share struct {
	Units []int     `json:"units"`
	Start time.Time `json:"start"`
	Turn  string    `json:"turn"`
}

func newStage(t *testing.T, of, blocks int) *stage {
	t.Helper()
	prompts, err := workload.New(swap.Workload{
		API: swap.APIChat, Seed: 5, InputTokens: swap.Lengths{Median: 20}, OutputTokens: swap.Lengths{Median: 10},
	})
	require.NoError(t, err)
	step := swap.Step{Rate: 400, Hold: swap.Duration(2 * time.Second)}
	return &stage{
		of: of, blocks: blocks, board: &ensembletest.Board{}, sealed: map[int][]ensemble.Slice{},
		plan: load.PlanBlock(prompts, step, 0, 2*time.Second, 5, 1, nil),
	}
}

func (s *stage) config(shard int, attempt string) ensemble.Config {
	// Nobody is late with such a lead, and it costs no time: drives here do not wait for their start.
	c := ensemble.Config{
		Shard: shard, Of: s.of, Attempt: attempt, Board: s.board, Listen: "127.0.0.1:0",
		JoinWithin: patience, ReturnWithin: patience, Poll: 10 * time.Millisecond, Lead: 10 * time.Second,
		Now: func() time.Time { return time.Now().Add(skew(shard)) },
	}
	if s.tune != nil {
		s.tune(&c)
	}
	return c
}

// skew puts clocks up to 5 s before and behind the conductor's.
func skew(shard int) time.Duration {
	return []time.Duration{0, 5 * time.Second, -5 * time.Second, 1234567 * time.Microsecond}[shard%4]
}

func (s *stage) part(shard int, attempt string) ensemble.Part {
	return ensemble.Part{
		Plan: func(ctx context.Context, _ swap.BlockPlan) (string, error) {
			if s.onPlan != nil {
				if err := s.onPlan(ctx, shard, attempt); err != nil {
					return "", err
				}
			}
			return s.plan.SHA256, nil
		},
		Drive: func(ctx context.Context, turn ensemble.Turn) (ensemble.SliceResult, error) {
			s.mu.Lock()
			s.drives++
			s.mu.Unlock()
			if s.onDrive != nil {
				if err := s.onDrive(ctx, shard, attempt, turn); err != nil {
					s.mu.Lock()
					defer s.mu.Unlock()
					s.causes = append(s.causes, context.Cause(ctx))
					return ensemble.SliceResult{}, err
				}
			}
			return s.slice(shard, turn), nil
		},
	}
}

func (s *stage) slice(shard int, turn ensemble.Turn) ensemble.SliceResult {
	units := arrival.Slice(len(s.plan.Arrivals), s.of, shard, 5, 1)
	payload, _ := json.Marshal(share{
		Units: units, Start: turn.Start.Add(-skew(shard)), Turn: fmt.Sprintf("%s/%d/%d", turn.Conductor, turn.Round, turn.Block.Block),
	})
	return ensemble.SliceResult{
		Planned: len(units), Outcomes: swap.OutcomeCounts{swap.OK: len(units)}, Samples: make([]float32, len(units)), Payload: payload,
	}
}

// conduct runs an attempt of the conductor, which goes on from what is sealed.
func (s *stage) conduct(ctx context.Context, attempt string) error {
	return ensemble.Conduct(ctx, s.config(0, attempt), ensemble.Step{
		Part: s.part(0, attempt),
		Next: func(context.Context) (swap.BlockPlan, bool, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			next := len(s.sealed) + 1
			return swap.BlockPlan{Step: 1, Block: next, Arm: swap.Baseline, Pair: 1}, next <= s.blocks, nil
		},
		Seal: func(_ context.Context, block swap.BlockPlan, slices []ensemble.Slice) error {
			if s.onSeal != nil {
				if err := s.onSeal(block.Block); err != nil {
					return err
				}
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			s.seals++
			s.sealed[block.Block] = slices
			return nil
		},
		Finish: s.finish,
	})
}

func (s *stage) follow(ctx context.Context, shard int, attempt string) error {
	return ensemble.Follow(ctx, s.config(shard, attempt), s.part(shard, attempt))
}

// performance is what is running of a stage.
type performance struct {
	t       *testing.T
	ctx     context.Context
	s       *stage
	running sync.WaitGroup
}

func (s *stage) open(t *testing.T) *performance {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), 2*patience, errors.New("the test hangs"))
	p := &performance{t: t, ctx: ctx, s: s}
	t.Cleanup(func() {
		cancel()
		p.running.Wait()
	})
	return p
}

// actor is a shard that can be killed.
type actor struct {
	kill context.CancelFunc
	done chan error
}

var errKilled = errors.New("killed")

func (p *performance) start(shard int, attempt string) *actor {
	ctx, cancel := context.WithCancelCause(p.ctx)
	a := &actor{kill: func() { cancel(errKilled) }, done: make(chan error, 1)}
	p.running.Go(func() {
		defer cancel(nil)
		if shard == 0 {
			a.done <- p.s.conduct(ctx, attempt)
		} else {
			a.done <- p.s.follow(ctx, shard, attempt)
		}
	})
	return a
}

// startAll starts the first attempt of every shard.
func (p *performance) startAll() []*actor {
	actors := make([]*actor, p.s.of)
	for i := range actors {
		actors[i] = p.start(i, fmt.Sprintf("s%d-a1", i))
	}
	return actors
}

func (p *performance) wait(actors ...*actor) {
	p.t.Helper()
	for i, a := range actors {
		require.NoError(p.t, <-a.done, "actor %d", i)
	}
}

// requireWhole checks that each block was sealed once, from slices of one round that are together exactly the plan, and that
// all shards started together as well as they know.
func (s *stage) requireWhole(t *testing.T) {
	t.Helper()
	require.Len(t, s.sealed, s.blocks)
	require.Equal(t, s.blocks, s.seals)
	for _, slices := range s.sealed {
		require.Len(t, slices, s.of)
		merged := make([]int, len(s.plan.Arrivals))
		var first share
		for i, slice := range slices {
			var part share
			require.NoError(t, json.Unmarshal(slice.Payload, &part))
			if i == 0 {
				first = part
			}
			require.Equal(t, i, slice.Shard)
			require.Equal(t, first.Turn, part.Turn, "slices of one round")
			require.Len(t, slice.Samples, len(part.Units))
			require.Equal(t, len(part.Units), slice.Planned)
			for _, u := range part.Units {
				merged[u]++
			}
			requireTogether(t, first.Start, part.Start, slice)
		}
		for u, times := range merged {
			require.Equal(t, 1, times, "arrival %d at %s", u, s.plan.Arrivals[u])
		}
	}
}

func requireTogether(t *testing.T, conductors, start time.Time, slice ensemble.Slice) {
	t.Helper()
	require.LessOrEqual(t, start.Sub(conductors).Abs(), slice.Clock.Uncertainty, "shard %d starts with the conductor", slice.Shard)
	require.LessOrEqual(t, (slice.Clock.Offset + skew(slice.Shard)).Abs(), slice.Clock.Uncertainty, "the true offset")
	require.Less(t, slice.Clock.Uncertainty, time.Second)
}
