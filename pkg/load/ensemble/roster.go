package ensemble

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/load/ensemble/internal/wire"
	"github.com/swapgate/swapgate/pkg/swap"
)

// peer is one connection of a shard, or the conductor itself.
type peer int

const conductorPeer peer = 0

// order is what the conductor is to do: send a message, and close the connection after it if it parts.
type order struct {
	to    peer
	msg   wire.Message
	parts bool
}

type phase int

const (
	resting phase = iota
	assembling
	preparing
	driving
	complete
	failed
)

// member is the state of one shard.
type member struct {
	here    bool
	peer    peer
	attempt string
	// absence is why a member that was here is not any more, and since when.
	absence string
	since   int64
	ready   *wire.Ready
	slice   *wire.Slice
}

// roster decides what a conductor does. It does no I/O and has no clock: the time is told, as a stamp of the conductor's
// timeline, and what is to be done is returned.
type roster struct {
	joinWithin, returnWithin, lead time.Duration

	members []member
	// replaced are the attempts whose place another one took.
	replaced map[string]bool
	// wasFull says that all shards have been together before.
	wasFull bool
	phase   phase
	block   swap.BlockPlan
	round   int
	// opened is when the first block was begun.
	opened  int64
	failure error
}

func newRoster(c Config) *roster {
	r := &roster{
		joinWithin: c.JoinWithin, returnWithin: c.ReturnWithin, lead: c.Lead,
		members: make([]member, c.Of), replaced: map[string]bool{},
	}
	r.members[0] = member{here: true, peer: conductorPeer, attempt: c.Attempt}
	return r
}

// begin starts a block.
func (r *roster) begin(block swap.BlockPlan, at int64) []order {
	if r.round == 0 && r.phase == resting {
		r.opened = at
	}
	r.block = block
	return r.assemble()
}

// settled reports whether the block has ended, well or badly.
func (r *roster) settled() bool { return r.phase == complete || r.phase == failed }

// assemble starts a round if everybody is here, and otherwise the wait for those who are not.
func (r *roster) assemble() []order {
	if r.count() == len(r.members) {
		return r.startRound()
	}
	r.phase = assembling
	return nil
}

// deadline is when the wait for a member has taken too long.
func (r *roster) deadline() int64 {
	if !r.wasFull {
		return r.opened + int64(r.joinWithin)
	}
	first := int64(math.MaxInt64)
	for _, m := range r.members {
		if !m.here {
			first = min(first, m.since)
		}
	}
	return first + int64(r.returnWithin)
}

func (r *roster) startRound() []order {
	r.wasFull, r.phase = true, preparing
	r.round++
	for i := range r.members {
		r.members[i].ready, r.members[i].slice = nil, nil
	}
	return r.tell(wire.Prepare{Round: r.round, Block: r.block})
}

// tell is the order to send a message to everybody who is here.
func (r *roster) tell(m wire.Message) []order {
	var orders []order
	for _, member := range r.members {
		if member.here {
			orders = append(orders, order{to: member.peer, msg: m})
		}
	}
	return orders
}

// void ends the round that is on, and assembles for the next.
func (r *roster) void(why string) []order {
	orders := r.tell(wire.Void{Round: r.round, Reason: why})
	return append(orders, r.assemble()...)
}

// expire ends a wait that took too long.
func (r *roster) expire(at int64) {
	if r.phase == assembling && at >= r.deadline() {
		r.fail(r.tooFew())
	}
}

func (r *roster) fail(err error) { r.phase, r.failure = failed, err }

func (r *roster) count() int {
	n := 0
	for _, m := range r.members {
		if m.here {
			n++
		}
	}
	return n
}

// slices are those of a complete block.
func (r *roster) slices() []Slice {
	out := make([]Slice, len(r.members))
	for i, m := range r.members {
		out[i] = Slice{
			Shard: i, Attempt: m.attempt,
			Clock: Clock{Offset: time.Duration(m.ready.OffsetNS), Uncertainty: time.Duration(m.ready.UncertaintyNS)},
			SliceResult: SliceResult{
				Planned: m.slice.Planned, Outcomes: m.slice.Outcomes, Samples: m.slice.Samples, Payload: m.slice.Payload,
			},
		}
	}
	return out
}

// waiting says in a sentence who is waited for, and what a person can do; empty when nobody is waited for.
func (r *roster) waiting() string {
	switch {
	case r.phase != assembling:
		return ""
	case r.wasFull:
		return fmt.Sprintf("%d of %d load workers are left; for up to %s waiting for a new attempt of %s",
			r.count(), len(r.members), r.returnWithin, r.missing())
	}
	return fmt.Sprintf("%d of %d load workers have joined; for up to %s waiting for %s; %s",
		r.count(), len(r.members), r.joinWithin, r.missing(), getMore)
}

// getMore is what to do where a step has too few load workers.
const getMore = "start more load workers (swapgate-worker --role load), let them reach each other by TCP, or lower load.shards"

// mostMissing are named one by one.
const mostMissing = 8

func (r *roster) missing() string {
	var names []string
	for i, m := range r.members {
		switch {
		case m.here:
		case m.absence == "":
			names = append(names, fmt.Sprintf("shard %d", i))
		default:
			names = append(names, fmt.Sprintf("shard %d (%s)", i, m.absence))
		}
	}
	if more := len(names) - mostMissing; more > 0 {
		names = append(names[:mostMissing], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

func (r *roster) tooFew() error {
	if !r.wasFull {
		return fmt.Errorf("%w: %d of %d came within %s, missing: %s; %s",
			ErrTooFew, r.count(), len(r.members), r.joinWithin, r.missing(), getMore)
	}
	return fmt.Errorf("%w: %d of %d are left, and within %s there came no new attempt of %s; look at why that load worker ended",
		ErrTooFew, r.count(), len(r.members), r.returnWithin, r.missing())
}
