package ensemble_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/ensemble"
	"github.com/swapgate/swapgate/pkg/load/ensemble/ensembletest"
	"github.com/swapgate/swapgate/pkg/swap"
)

func TestShardsDriveExactlyThePlanTogether(t *testing.T) {
	for _, of := range []int{1, 2, 4, 8} {
		t.Run(fmt.Sprint(of), func(t *testing.T) {
			s := newStage(t, of, 3)
			p := s.open(t)
			p.wait(p.startAll()...)
			s.requireWhole(t)
		})
	}
}

// The first attempt of shard 1 dies at one moment of block 2, and the next takes its place.
func TestFollowerDies(t *testing.T) {
	for _, when := range []string{"planning", "driving", "before its start"} {
		t.Run(when, func(t *testing.T) {
			s := newStage(t, 3, 3)
			s.tune = func(c *ensemble.Config) { c.Headway, c.Lead = 1, 300*time.Millisecond }
			dying := make(chan struct{})
			die := func(ctx context.Context, attempt string) error {
				if attempt != "s1-a1" || s.sealedBlocks() != 1 {
					return nil
				}
				close(dying)
				<-ctx.Done()
				return context.Cause(ctx)
			}
			if when == "planning" {
				s.onPlan = func(ctx context.Context, _ int, attempt string) error { return die(ctx, attempt) }
			}
			s.onDrive = func(ctx context.Context, _ int, attempt string, turn ensemble.Turn) error {
				if when == "driving" {
					select {
					case <-time.After(time.Until(turn.Start.Add(-skew(1)))):
					case <-ctx.Done():
					}
				}
				if when != "planning" {
					return die(ctx, attempt)
				}
				return nil
			}
			p := s.open(t)
			actors := p.startAll()
			<-dying
			actors[1].kill()
			require.ErrorIs(t, <-actors[1].done, errKilled)
			p.wait(p.start(1, "s1-a2"), actors[0], actors[2])
			s.requireWhole(t)
			require.Equal(t, "s1-a1", s.sealed[1][1].Attempt)
			require.Equal(t, "s1-a2", s.sealed[2][1].Attempt)
		})
	}
}

func (s *stage) sealedBlocks() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sealed)
}

func TestFollowerDiesBetweenBlocks(t *testing.T) {
	s := newStage(t, 2, 2)
	sealing, died := make(chan struct{}), make(chan struct{})
	s.onSeal = func(block int) error {
		if block == 1 {
			close(sealing)
			<-died
		}
		return nil
	}
	p := s.open(t)
	actors := p.startAll()
	<-sealing
	actors[1].kill()
	require.ErrorIs(t, <-actors[1].done, errKilled)
	close(died)
	p.wait(p.start(1, "s1-a2"), actors[0])
	s.requireWhole(t)
}

// When a shard is lost, the others stop at once, and are told why.
func TestLossStopsEverybody(t *testing.T) {
	s := newStage(t, 3, 1)
	driving := make(chan struct{}, 3)
	s.onDrive = func(ctx context.Context, _ int, _ string, turn ensemble.Turn) error {
		if turn.Round > 1 {
			return nil
		}
		driving <- struct{}{}
		<-ctx.Done()
		return context.Cause(ctx)
	}
	p := s.open(t)
	actors := p.startAll()
	for range 3 {
		<-driving
	}
	actors[1].kill()
	require.ErrorIs(t, <-actors[1].done, errKilled)
	p.wait(p.start(1, "s1-a2"), actors[0], actors[2])
	s.requireWhole(t)
	require.Len(t, s.causes, 3)
	voided := 0
	for _, cause := range s.causes {
		if errors.Is(cause, ensemble.ErrVoid) {
			voided++
			require.EqualError(t, cause, "the round is void: shard 1 was lost: the connection was closed by the other side")
		}
	}
	require.Equal(t, 2, voided)
}

func TestFollowerFails(t *testing.T) {
	s := newStage(t, 2, 1)
	s.onDrive = func(_ context.Context, _ int, attempt string, _ ensemble.Turn) error {
		if attempt == "s1-a1" {
			return errors.New("no free port")
		}
		return nil
	}
	p := s.open(t)
	actors := p.startAll()
	require.EqualError(t, <-actors[1].done, "no free port")
	p.wait(p.start(1, "s1-a2"), actors[0])
	s.requireWhole(t)
}

func TestConductorDies(t *testing.T) {
	for _, when := range []string{"driving", "sealing"} {
		t.Run(when, func(t *testing.T) {
			s := newStage(t, 3, 3)
			dying, died := make(chan struct{}, 3), make(chan struct{})
			if when == "driving" {
				s.onDrive = func(ctx context.Context, _ int, _ string, turn ensemble.Turn) error {
					if turn.Block.Block != 2 || turn.Conductor != "s0-a1" {
						return nil
					}
					dying <- struct{}{}
					<-ctx.Done()
					return context.Cause(ctx)
				}
			} else {
				s.onSeal = func(block int) error {
					select {
					case <-died:
					default:
						if block == 2 {
							close(dying)
							<-died
							return errKilled
						}
					}
					return nil
				}
			}
			p := s.open(t)
			actors := p.startAll()
			for range 3 {
				<-dying
			}
			actors[0].kill()
			close(died)
			require.ErrorIs(t, <-actors[0].done, errKilled)
			p.wait(p.start(0, "s0-a2"), actors[1], actors[2])
			s.requireWhole(t)
			if when == "driving" {
				require.Len(t, s.causes, 3)
				require.ErrorIs(t, errors.Join(s.causes...), ensemble.ErrConductorLost)
			}
		})
	}
}

// A conductor that was given up, but lives on, is left by its followers once another is on the noticeboard.
func TestConductorIsReplaced(t *testing.T) {
	s := newStage(t, 2, 1)
	s.tune = func(c *ensemble.Config) { c.Silence = time.Second }
	driving := make(chan struct{}, 100)
	s.onDrive = func(ctx context.Context, _ int, _ string, turn ensemble.Turn) error {
		if turn.Conductor != "s0-a1" {
			return nil
		}
		driving <- struct{}{}
		<-ctx.Done()
		return context.Cause(ctx)
	}
	p := s.open(t)
	actors := p.startAll()
	<-driving
	<-driving
	p.wait(p.start(0, "s0-a2"), actors[1])
	s.requireWhole(t)
	actors[0].kill()
	require.ErrorIs(t, <-actors[0].done, errKilled)
}

func TestConductorFails(t *testing.T) {
	s := newStage(t, 3, 2)
	s.onSeal = func(int) error { return errors.New("the store\nis \x1b[31mfull " + strings.Repeat("x", 1000)) }
	p := s.open(t)
	actors := p.startAll()
	require.ErrorContains(t, <-actors[0].done, "the store\nis")
	for _, follower := range actors[1:] {
		err := <-follower.done
		require.ErrorIs(t, err, ensemble.ErrStopped)
		require.Regexp(t, `^the conductor stopped the step: the store is \[31mfull x{400,}…$`, err.Error())
	}
}

func TestPlansDiffer(t *testing.T) {
	s := newStage(t, 3, 1)
	other := newStage(t, 3, 1)
	other.board, other.plan.SHA256 = s.board, "f00d"
	p := s.open(t)
	conductor, same := p.start(0, "s0-a1"), p.start(1, "s1-a1")
	different := other.open(t).start(2, "s2-a1")
	require.ErrorIs(t, <-conductor.done, ensemble.ErrPlansDiffer)
	for _, a := range []*actor{same, different} {
		err := <-a.done
		require.ErrorIs(t, err, ensemble.ErrStopped)
		require.ErrorContains(t, err, "shard 2 has f00d; run the same version of the worker everywhere")
	}
	require.Zero(t, s.drives+other.drives)
}

func TestTooFewWorkers(t *testing.T) {
	s := newStage(t, 4, 1)
	waits := make(chan string, 100)
	s.tune = func(c *ensemble.Config) {
		c.JoinWithin = 300 * time.Millisecond
		if c.Shard == 0 {
			c.OnWait = func(sentence string) { waits <- sentence }
		}
	}
	p := s.open(t)
	err := <-p.start(0, "s0-a1").done
	require.EqualError(t, err, "too few load workers: 1 of 4 came within 300ms, missing: shard 1, shard 2, shard 3; "+getMore)
	require.ErrorIs(t, err, ensemble.ErrTooFew)
	require.Equal(t, "1 of 4 load workers have joined; for up to 300ms waiting for shard 1, shard 2, shard 3; "+getMore, <-waits)
}

const getMore = "start more load workers (swapgate-worker --role load), let them reach each other by TCP, or lower load.shards"

func TestNoConductor(t *testing.T) {
	s := newStage(t, 2, 1)
	waits := make(chan string, 100)
	s.tune = func(c *ensemble.Config) {
		c.JoinWithin, c.OnWait = 100*time.Millisecond, func(sentence string) { waits <- sentence }
	}
	p := s.open(t)
	err := <-p.start(1, "s1-a1").done
	require.ErrorIs(t, err, ensemble.ErrNoConductor)
	require.EqualError(t, err, "no conductor for shard 1 within 100ms (the noticeboard: no notice); look at the load worker that runs "+
		"shard 0, and whether this one reaches it by TCP")
	require.Equal(t, "shard 1 of 2 has begun and for up to 100ms waits for the load worker of shard 0, which conducts the step; "+
		"if none is free, "+getMore, <-waits)

	notice := ensemble.Notice{Attempt: "gone", Addresses: []string{"127.0.0.1:1"}, Token: ensemble.Token(strings.Repeat("5ec2e7", 11)[:64])}
	require.NoError(t, s.board.Publish(t.Context(), notice))
	s.tune = func(c *ensemble.Config) { c.JoinWithin = time.Second }
	err = <-p.start(1, "s1-a2").done
	require.ErrorContains(t, err, "connection refused")
	require.NotContains(t, err.Error()+fmt.Sprintf("%v %+v %#v %s", notice, notice, notice, notice.Token), "5ec2e7")
}

func TestSlowFollowerIsWaitedFor(t *testing.T) {
	s := newStage(t, 3, 1)
	s.tune = func(c *ensemble.Config) { c.Silence = time.Second }
	s.onDrive = func(ctx context.Context, shard int, _ string, _ ensemble.Turn) error {
		if shard != 2 {
			return nil
		}
		select {
		case <-time.After(1500 * time.Millisecond): // longer than the silence
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	p := s.open(t)
	p.wait(p.startAll()...)
	s.requireWhole(t)
}

func TestStartIsSetFartherAheadForLateShards(t *testing.T) {
	s := newStage(t, 3, 2)
	s.tune = func(c *ensemble.Config) { c.Headway, c.Lead = 100*time.Millisecond, time.Millisecond }
	p := s.open(t)
	p.wait(p.startAll()...)
	s.requireWhole(t)
	var first share
	require.NoError(t, json.Unmarshal(s.sealed[1][0].Payload, &first))
	require.NotEqual(t, "s0-a1/1/1", first.Turn)
}

func TestManySamples(t *testing.T) {
	board := &ensembletest.Board{}
	const samples = 700_000
	part := ensemble.Part{
		Plan: func(context.Context, swap.BlockPlan) (string, error) { return "h", nil },
		Drive: func(_ context.Context, turn ensemble.Turn) (ensemble.SliceResult, error) {
			ttft := make([]float32, samples)
			ttft[samples-1] = 7
			return ensemble.SliceResult{Planned: 1, Outcomes: swap.OutcomeCounts{swap.OK: 1}, Samples: ttft}, nil
		},
	}
	var sealed []ensemble.Slice
	step := ensemble.Step{
		Part: part,
		Next: func(context.Context) (swap.BlockPlan, bool, error) {
			return swap.BlockPlan{Block: 1}, sealed == nil, nil
		},
		Seal: func(_ context.Context, _ swap.BlockPlan, slices []ensemble.Slice) error {
			sealed = slices
			return nil
		},
	}
	followed := make(chan error, 1)
	go func() {
		followed <- ensemble.Follow(t.Context(), ensemble.Config{Shard: 1, Of: 2, Attempt: "f", Board: board, Poll: time.Millisecond}, part)
	}()
	// Listens on all interfaces and advertises them.
	require.NoError(t, ensemble.Conduct(t.Context(), ensemble.Config{Of: 2, Attempt: "c", Board: board, Lead: 50 * time.Millisecond}, step))
	require.NoError(t, <-followed)
	require.Len(t, sealed[1].Samples, samples)
	require.InDelta(t, 7, sealed[1].Samples[samples-1], 0)
}

// A slice that does not add up is its shard's failure.
func TestSliceMustAddUp(t *testing.T) {
	part := ensemble.Part{
		Plan: func(context.Context, swap.BlockPlan) (string, error) { return "h", nil },
		Drive: func(context.Context, ensemble.Turn) (ensemble.SliceResult, error) {
			return ensemble.SliceResult{Planned: 2, Outcomes: swap.OutcomeCounts{swap.OK: 1}}, nil
		},
	}
	err := ensemble.Conduct(t.Context(), ensemble.Config{Of: 1, Attempt: "c", Lead: time.Millisecond}, ensemble.Step{
		Part: part,
		Next: func(context.Context) (swap.BlockPlan, bool, error) { return swap.BlockPlan{Block: 1}, true, nil },
		Seal: func(context.Context, swap.BlockPlan, []ensemble.Slice) error { return errors.New("sealed a half") },
	})
	require.EqualError(t, err, "block 1: the slice cannot be used: slice: 2 requests planned, 1 outcomes")
}

// The followers are let go only when everything is stored; who comes after that learns from the noticeboard.
func TestEnd(t *testing.T) {
	s := newStage(t, 3, 1)
	var finished atomic.Bool
	var actors []*actor
	started := make(chan struct{})
	s.finish = func(context.Context) error {
		<-started
		for _, follower := range actors[1:] {
			select {
			case err := <-follower.done:
				return fmt.Errorf("a follower left early: %w", err)
			default:
			}
		}
		finished.Store(true)
		return nil
	}
	p := s.open(t)
	actors = p.startAll()
	close(started)
	p.wait(actors...)
	require.True(t, finished.Load())
	p.wait(p.start(2, "s2-a2"))
	p.wait(p.start(0, "s0-a2")) // all is sealed: needs nobody
	s.requireWhole(t)
}
