package ensemble_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/ensemble"
	"github.com/swapgate/swapgate/pkg/load/ensemble/ensembletest"
)

// faultyBoard fails its first reads and, on demand, to publish.
type faultyBoard struct {
	ensembletest.Board
	faults     atomic.Int64
	publishing func(ensemble.Notice) error
}

var errOutage = errors.New("the store is away")

func (b *faultyBoard) Read(ctx context.Context) (ensemble.Notice, error) {
	if b.faults.Add(-1) >= 0 {
		return ensemble.Notice{}, errOutage
	}
	return b.Board.Read(ctx)
}

func (b *faultyBoard) Publish(ctx context.Context, n ensemble.Notice) error {
	if b.publishing != nil {
		if err := b.publishing(n); err != nil {
			return err
		}
	}
	return b.Board.Publish(ctx, n)
}

func TestFollowersOutlastAnOutageOfTheBoard(t *testing.T) {
	s := newStage(t, 3, 1)
	board := &faultyBoard{}
	board.faults.Store(10)
	s.board = board
	p := s.open(t)
	p.wait(p.startAll()...)
	s.requireWhole(t)
}

func TestConductorThatCannotPublish(t *testing.T) {
	s := newStage(t, 2, 1)
	s.board = &faultyBoard{publishing: func(n ensemble.Notice) error {
		if n.Ended {
			return nil
		}
		return errOutage
	}}
	require.ErrorIs(t, <-s.open(t).start(0, "s0-a1").done, errOutage)
}

// A conductor that cannot say that all is over fails, and its next attempt says it without anybody's help.
func TestEndThatCannotBePublished(t *testing.T) {
	s := newStage(t, 2, 1)
	var ends atomic.Int64
	s.board = &faultyBoard{publishing: func(n ensemble.Notice) error {
		if n.Ended && ends.Add(1) == 1 {
			return errOutage
		}
		return nil
	}}
	p := s.open(t)
	actors := p.startAll()
	require.ErrorIs(t, <-actors[0].done, errOutage)
	p.wait(actors[1], p.start(0, "s0-a2"))
	s.requireWhole(t)
}

// A conductor that gives up on the missing tells those who came.
func TestTooFewStopsThoseWhoCame(t *testing.T) {
	s := newStage(t, 3, 1)
	s.tune = func(c *ensemble.Config) {
		if c.Shard == 0 {
			c.JoinWithin = 3 * time.Second
		}
	}
	p := s.open(t)
	conductor, follower := p.start(0, "s0-a1"), p.start(1, "s1-a1")
	require.ErrorContains(t, <-conductor.done, "2 of 3 came within 3s, missing: shard 2;")
	require.ErrorIs(t, <-follower.done, ensemble.ErrStopped)
}

// A lost shard that does not come back ends the step.
func TestLostForGood(t *testing.T) {
	s := newStage(t, 3, 1)
	s.tune = func(c *ensemble.Config) { c.ReturnWithin = 200 * time.Millisecond }
	driving := make(chan struct{}, 3)
	s.onDrive = func(ctx context.Context, _ int, _ string, _ ensemble.Turn) error {
		driving <- struct{}{}
		<-ctx.Done()
		return context.Cause(ctx)
	}
	p := s.open(t)
	actors := p.startAll()
	for range 3 {
		<-driving
	}
	actors[2].kill()
	require.ErrorIs(t, <-actors[2].done, errKilled)
	err := <-actors[0].done
	require.ErrorIs(t, err, ensemble.ErrTooFew)
	require.ErrorContains(t, err, "2 of 3 are left, and within 200ms there came no new attempt of shard 2 (the connection was closed")
	require.ErrorIs(t, <-actors[1].done, ensemble.ErrStopped)
	require.Empty(t, s.sealed)
}

// A follower waits for a lost conductor for a while only.
func TestConductorLostForGood(t *testing.T) {
	s := newStage(t, 2, 1)
	s.tune = func(c *ensemble.Config) { c.ReturnWithin = 200 * time.Millisecond }
	driving := make(chan struct{}, 2)
	s.onDrive = func(ctx context.Context, _ int, _ string, _ ensemble.Turn) error {
		driving <- struct{}{}
		<-ctx.Done()
		return context.Cause(ctx)
	}
	p := s.open(t)
	actors := p.startAll()
	<-driving
	<-driving
	actors[0].kill()
	require.ErrorIs(t, <-actors[0].done, errKilled)
	err := <-actors[1].done
	require.ErrorIs(t, err, ensemble.ErrNoConductor)
	require.ErrorContains(t, err, "no conductor for shard 1 within 200ms (")
}
