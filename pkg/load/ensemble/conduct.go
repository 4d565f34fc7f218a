package ensemble

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/swapgate/swapgate/pkg/load/ensemble/internal/wire"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Conduct drives a step as its conductor, shard 0: block after block until step.Next ends it. It returns nil when every block
// is sealed and the followers know. With one shard alone it uses no network and no noticeboard.
//
// On an error the followers are told to stop. When ctx is cancelled they are not told: they stop at once because the
// connection breaks, and wait for the next attempt of the conductor.
func Conduct(ctx context.Context, cfg Config, step Step) error {
	cfg, err := cfg.complete()
	if err == nil {
		err = step.check()
	}
	if err != nil {
		return err
	}
	if cfg.Shard != 0 {
		return fmt.Errorf("%w: shard %d is no conductor", ErrInvalid, cfg.Shard)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := newConductor(cfg, step)
	err = c.lead(ctx)
	c.close(ctx, err)
	if err == nil && cfg.Of > 1 {
		err = cfg.Board.Publish(ctx, Notice{Attempt: cfg.Attempt, Ended: true})
	}
	return err
}

// event is what happens to the roster: a hello on a new link, another message, or without a message the loss of a peer. A
// failure of the conductor's own part carries the error itself.
type event struct {
	from peer
	link *link
	msg  wire.Message
	err  error
}

// conductor acts as its roster decides.
type conductor struct {
	cfg    Config
	step   Step
	line   timeline
	roster *roster
	own    *player
	links  map[peer]*link
	events chan event
	door   *door
	// connections are served until they end.
	connections sync.WaitGroup
}

func newConductor(cfg Config, step Step) *conductor {
	c := &conductor{
		cfg: cfg, step: step, line: newTimeline(cfg.Now), roster: newRoster(cfg), links: map[peer]*link{}, events: make(chan event),
	}
	c.own = newPlayer(cfg, step.Part, cfg.Attempt, c.line)
	c.own.measure = func(context.Context) (Clock, bool) { return Clock{}, true }
	c.own.report = func(ctx context.Context, r report) {
		c.post(ctx, event{from: conductorPeer, msg: r.msg, err: r.err})
	}
	return c
}

func (c *conductor) post(ctx context.Context, e event) {
	select {
	case c.events <- e:
	case <-ctx.Done():
	}
}

// lead plays and seals the blocks.
func (c *conductor) lead(ctx context.Context) error {
	for {
		block, more, err := c.step.Next(ctx)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if err := c.open(ctx); err != nil {
			return err
		}
		slices, err := c.play(ctx, block)
		if err != nil {
			return err
		}
		if err := c.step.Seal(ctx, block, slices); err != nil {
			return err
		}
	}
	if c.step.Finish == nil {
		return ctx.Err()
	}
	return c.step.Finish(ctx)
}

// play drives one block, in as many rounds as it takes.
func (c *conductor) play(ctx context.Context, block swap.BlockPlan) ([]Slice, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	c.do(ctx, c.roster.begin(block, c.line.stamp()))
	waiting := ""
	for !c.roster.settled() {
		if now := c.roster.waiting(); now != waiting {
			waiting = now
			c.cfg.OnWait(waiting)
		}
		if err := c.next(ctx); err != nil {
			return nil, err
		}
	}
	if c.roster.failure != nil {
		return nil, c.roster.failure
	}
	return c.roster.slices(), nil
}

// next waits for one thing to happen and acts on it.
func (c *conductor) next(ctx context.Context) error {
	var expired <-chan time.Time
	if c.roster.phase == assembling {
		timer := time.NewTimer(time.Duration(c.roster.deadline() - c.line.stamp()))
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case e := <-c.events:
		c.do(ctx, c.decide(e))
	case <-expired:
		c.roster.expire(c.line.stamp())
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

func (c *conductor) decide(e event) []order {
	at := c.line.stamp()
	switch m := e.msg.(type) {
	case wire.Hello:
		if e.link != nil {
			c.links[e.from] = e.link
			return c.roster.join(e.from, m)
		}
	case nil:
		delete(c.links, e.from)
		return c.roster.lose(e.from, reason(e.err), at)
	case wire.Failed:
		if e.from == conductorPeer {
			c.roster.fail(e.err)
			return nil
		}
	}
	return c.roster.hear(e.from, e.msg, at)
}

func (c *conductor) do(ctx context.Context, orders []order) {
	for _, o := range orders {
		if o.to == conductorPeer {
			c.own.follow(ctx, o.msg)
			continue
		}
		l := c.links[o.to]
		if l == nil {
			continue
		}
		l.send(o.msg)
		if o.parts {
			l.farewell()
			delete(c.links, o.to)
		}
	}
}

// close lets the followers go, with a reason if the step failed, and waits for all that was begun here.
func (c *conductor) close(ctx context.Context, err error) {
	c.own.cancel(errors.New("the conductor stopped"))
	c.door.shut()
	var last wire.Message = wire.End{}
	if err != nil {
		last = wire.Stop{Reason: reason(err)}
	}
	for _, l := range c.links {
		l.send(last)
		l.farewell()
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		c.connections.Wait()
	}()
	c.turnAway(ctx, last, gone)
	<-gone
	c.own.close(nil)
}

// turnAway tells those who come too late until everybody is gone.
func (c *conductor) turnAway(ctx context.Context, last wire.Message, gone <-chan struct{}) {
	for {
		select {
		case e := <-c.events:
			if e.link != nil {
				e.link.send(last)
				e.link.farewell()
			}
		case <-gone:
			return
		case <-ctx.Done():
			return
		}
	}
}
