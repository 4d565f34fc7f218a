package ensemble

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/swapgate/swapgate/pkg/load/ensemble/internal/wire"
)

// exchanges measure a clock; the best of them counts.
const exchanges = 8

// session is a follower's connection to one conductor.
type session struct {
	f         *follower
	conductor string
	link      *link
	player    *player
	// welcome says that the conductor took this follower in.
	welcome bool
	heard   chan wire.Message
	pongs   chan received
	reports chan report
	// over is closed when nothing is heard any more.
	over chan struct{}
}

func newSession(f *follower, conductor string, l *link) *session {
	s := &session{
		f: f, conductor: conductor, link: l, player: newPlayer(f.cfg, f.part, conductor, f.line),
		heard: make(chan wire.Message), pongs: make(chan received, 1), reports: make(chan report), over: make(chan struct{}),
	}
	s.player.measure = s.measure
	s.player.report = func(ctx context.Context, r report) {
		select {
		case s.reports <- r:
		case <-ctx.Done():
		}
	}
	return s
}

// play does what the conductor says until it ends, one way or the other: errEnded, ErrStopped, ErrRefused or ErrConductorLost,
// the follower's own failure, or the cause of a cancelled ctx. Nothing is driven any more when it returns.
func (s *session) play(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	gone, finished := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(finished)
		gone <- s.link.run(ctx, s.receive, func() {})
	}()
	replaced := make(chan struct{})
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		s.watchBoard(ctx, replaced)
	}()
	f := s.f.cfg
	s.link.send(wire.Hello{Version: wire.Version, Shard: f.Shard, Of: f.Of, Attempt: f.Attempt})
	err := s.loop(ctx, gone, replaced)
	close(s.over)
	s.player.cancel(err)
	if errors.Is(err, ErrConductorLost) {
		s.link.abort()
	}
	s.link.farewell()
	<-finished
	cancel(err)
	s.player.close(err)
	<-watching
	return err
}

// receive passes on a message; it runs beside the loop.
func (s *session) receive(r received) {
	if _, ok := r.msg.(wire.Pong); ok {
		select {
		case s.pongs <- r:
		default:
		}
		return
	}
	select {
	case s.heard <- r.msg:
	case <-s.over:
	}
}

// loop returns how the session ended.
func (s *session) loop(ctx context.Context, gone <-chan error, replaced <-chan struct{}) error {
	for {
		select {
		case m := <-s.heard:
			if err := s.hear(ctx, m); err != nil {
				return err
			}
		case r := <-s.reports:
			s.link.send(r.msg)
			if r.err != nil {
				return r.err
			}
		case <-replaced:
			return fmt.Errorf("%w: another attempt has taken over", ErrConductorLost)
		case err := <-gone:
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return fmt.Errorf("%w: %w", ErrConductorLost, err)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// hear acts on a message; an error ends the session.
func (s *session) hear(ctx context.Context, m wire.Message) error {
	switch m := m.(type) {
	case wire.Welcome:
		s.welcome = true
		s.f.cfg.OnWait("")
	case wire.Prepare, wire.Go, wire.Void:
		s.player.follow(ctx, m)
	case wire.End:
		return errEnded
	case wire.Stop:
		return fmt.Errorf("%w: %s", ErrStopped, m.Reason)
	case wire.Refused:
		if m.Final {
			return fmt.Errorf("%w: shard %d: %s", ErrRefused, s.f.cfg.Shard, m.Reason)
		}
		return fmt.Errorf("%w: it refused this load worker for now: %s", ErrConductorLost, m.Reason)
	default:
		return fmt.Errorf("%w: it sent what only a follower sends", ErrConductorLost)
	}
	return nil
}

// measure finds how this shard's clock stands against the conductor's.
func (s *session) measure(ctx context.Context) (Clock, bool) {
	var best Clock
	for i := range exchanges {
		e, ok := s.exchange(ctx)
		if !ok {
			return Clock{}, false
		}
		if i == 0 {
			best = e.clock()
		}
		best = better(best, e.clock())
	}
	return best, true
}

func (s *session) exchange(ctx context.Context) (exchange, bool) {
	select {
	case <-s.pongs: // of a round that was void meanwhile
	default:
	}
	s.link.send(wire.Ping{})
	select {
	case r := <-s.pongs:
		p, _ := r.msg.(wire.Pong)
		return exchange{sent: p.PingNS, received: p.ReceivedNS, answered: p.SentNS, returned: r.at}, true
	case <-ctx.Done():
		return exchange{}, false
	}
}

// watchBoard closes replaced when the noticeboard names another conductor: then this one was given up, though it lives on.
func (s *session) watchBoard(ctx context.Context, replaced chan<- struct{}) {
	look := time.NewTicker(s.f.cfg.Silence)
	defer look.Stop()
	for {
		select {
		case <-look.C:
			notice, err := s.f.cfg.Board.Read(ctx)
			if err == nil && notice.Attempt != s.conductor {
				close(replaced)
				return
			}
		case <-ctx.Done():
			return
		}
	}
}
