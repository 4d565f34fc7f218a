package ensemble

import (
	"context"
	"fmt"
	"time"

	"github.com/swapgate/swapgate/pkg/load/ensemble/internal/wire"
	"github.com/swapgate/swapgate/pkg/swap"
)

// report is what a player has to say: a message, and for a failure the error itself.
type report struct {
	msg wire.Message
	err error
}

// player plays one shard's part as the conductor tells it. All methods are for one goroutine; rounds are played in another,
// one after another.
type player struct {
	part      Part
	conductor string
	line      timeline
	headway   time.Duration
	// measure finds how this shard's clock stands; false when it was cancelled.
	measure func(ctx context.Context) (Clock, bool)
	// report must give up when its context is cancelled.
	report func(ctx context.Context, r report)

	round  int
	starts chan int64
	cancel context.CancelCauseFunc
	idle   chan struct{}
}

func newPlayer(c Config, part Part, conductor string, line timeline) *player {
	idle := make(chan struct{})
	close(idle)
	return &player{part: part, conductor: conductor, line: line, headway: c.Headway, idle: idle, cancel: func(error) {}}
}

// follow does what a message of the conductor demands. ctx must last until the player is closed.
func (p *player) follow(ctx context.Context, m wire.Message) {
	switch m := m.(type) {
	case wire.Prepare:
		p.begin(ctx, m)
	case wire.Go:
		if m.Round == p.round {
			select {
			case p.starts <- m.StartNS:
			default:
			}
		}
	case wire.Void:
		if m.Round == p.round {
			p.cancel(fmt.Errorf("%w: %s", ErrVoid, m.Reason))
		}
	}
}

// close stops the round that is played and waits for its end.
func (p *player) close(why error) {
	p.cancel(why)
	<-p.idle
}

func (p *player) begin(ctx context.Context, m wire.Prepare) {
	previous, idle := p.idle, make(chan struct{})
	p.cancel(ErrVoid)
	ctx, cancel := context.WithCancelCause(ctx)
	p.round, p.starts, p.cancel, p.idle = m.Round, make(chan int64, 1), cancel, idle
	starts := p.starts
	go func() {
		defer close(idle)
		defer cancel(nil)
		<-previous
		p.play(ctx, m.Round, m.Block, starts)
	}()
}

func (p *player) play(ctx context.Context, round int, block swap.BlockPlan, starts <-chan int64) {
	r, clock := p.prepare(ctx, round, block)
	if r.msg == nil {
		return
	}
	p.report(ctx, r)
	if r.err != nil {
		return
	}
	select {
	case start := <-starts:
		r = p.drive(ctx, round, block, start-int64(clock.Offset))
		if ctx.Err() == nil {
			p.report(ctx, r)
		}
	case <-ctx.Done():
	}
}

// prepare plans a block and then looks at the clock.
func (p *player) prepare(ctx context.Context, round int, block swap.BlockPlan) (report, Clock) {
	hash, err := p.part.Plan(ctx, block)
	if ctx.Err() != nil {
		return report{}, Clock{}
	}
	if err == nil && hash == "" {
		err = fmt.Errorf("%w: the plan of block %d has no hash", ErrInvalid, block.Block)
	}
	if err != nil {
		return failure(round, err), Clock{}
	}
	clock, ok := p.measure(ctx)
	if !ok {
		return report{}, Clock{}
	}
	return report{msg: wire.Ready{
		Round: round, PlanSHA256: hash, OffsetNS: int64(clock.Offset), UncertaintyNS: int64(clock.Uncertainty),
	}}, clock
}

func (p *player) drive(ctx context.Context, round int, block swap.BlockPlan, start int64) report {
	if by := p.line.stamp() + int64(p.headway) - start; by > 0 {
		return report{msg: wire.Late{Round: round, ByNS: by}}
	}
	result, err := p.part.Drive(ctx, Turn{Block: block, Round: round, Conductor: p.conductor, Start: p.line.at(start)})
	if err != nil {
		return failure(round, err)
	}
	slice := wire.Slice{
		Round: round, Planned: result.Planned, Outcomes: result.Outcomes, Payload: result.Payload, Samples: result.Samples,
	}
	if err := wire.Check(slice); err != nil {
		return failure(round, fmt.Errorf("block %d: the slice cannot be used: %w", block.Block, err))
	}
	return report{msg: slice}
}

func failure(round int, err error) report {
	return report{msg: wire.Failed{Round: round, Reason: reason(err)}, err: err}
}
