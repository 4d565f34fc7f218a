package ensemble

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Follow plays a shard's part in a step as the conductor tells it, and returns nil when the step has ended. When the
// connection breaks it stops driving at once, looks for the conductor or its next attempt, and joins again.
//
// Errors: ErrNoConductor, ErrStopped, ErrRefused, what Part's functions return, and the cause of a cancelled ctx.
func Follow(ctx context.Context, cfg Config, part Part) error {
	cfg, err := cfg.complete()
	if err == nil {
		err = part.check()
	}
	if err != nil {
		return err
	}
	if cfg.Shard == 0 {
		return fmt.Errorf("%w: shard 0 is no follower", ErrInvalid)
	}
	f := &follower{cfg: cfg, part: part, line: newTimeline(cfg.Now)}
	return f.follow(ctx)
}

// follower is one attempt at a shard.
type follower struct {
	cfg  Config
	part Part
	line timeline
	// trouble is why there is no conductor yet.
	trouble error
}

var (
	// errEnded says that the step has ended; it is how a follower ends well.
	errEnded = errors.New("the step has ended")
	// errNobody says that the time to find a conductor is up.
	errNobody = errors.New("nobody conducts")
)

func (f *follower) follow(ctx context.Context) error {
	within := f.cfg.JoinWithin
	until := time.Now().Add(within)
	for lost := false; ; lost = true {
		f.cfg.OnWait(f.waiting(lost, within))
		err := f.find(ctx, until)
		switch {
		case errors.Is(err, errEnded):
			return nil
		case errors.Is(err, ErrConductorLost):
			within = f.cfg.ReturnWithin
			until = time.Now().Add(within)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, errNobody):
			return fmt.Errorf("%w for shard %d within %s (%s); look at the load worker that runs shard 0, and whether this one "+
				"reaches it by TCP", ErrNoConductor, f.cfg.Shard, within, reason(f.trouble))
		default:
			return err
		}
	}
}

// waiting says in a sentence who is waited for, and what a person can do.
func (f *follower) waiting(lost bool, within time.Duration) string {
	who := fmt.Sprintf("shard %d of %d has begun and for up to %s waits for the load worker of shard 0, which conducts the step",
		f.cfg.Shard, f.cfg.Of, within)
	if lost {
		return who + ", to come back"
	}
	return who + "; if none is free, " + getMore
}

// find looks for a conductor until it has followed one.
func (f *follower) find(ctx context.Context, until time.Time) error {
	search, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	f.trouble = ErrNoNotice
	for search.Err() == nil {
		notice, err := f.cfg.Board.Read(search)
		switch {
		case err != nil:
			f.hinder(search, fmt.Errorf("the noticeboard: %w", err))
		case notice.Ended:
			return errEnded
		default:
			if err := f.try(ctx, search, notice); err != nil {
				return err
			}
		}
		pause(search, f.cfg.Poll)
	}
	return errNobody
}

// hinder remembers why there is no conductor, unless it is only that the time is up.
func (f *follower) hinder(search context.Context, why error) {
	if until, bounded := search.Deadline(); !bounded || time.Now().Before(until) {
		f.trouble = why
	}
}

// try follows the conductor of a notice; nil means that it could not, and that it is worth to try again.
func (f *follower) try(ctx, search context.Context, notice Notice) error {
	conn, err := connect(search, notice, f.cfg.Silence)
	if err != nil {
		f.hinder(search, err)
		return nil
	}
	s := newSession(f, notice.Attempt, newLink(conn, f.cfg.Silence, f.line))
	err = s.play(ctx)
	if !s.welcome && errors.Is(err, ErrConductorLost) {
		f.hinder(search, err)
		return nil
	}
	return err
}
