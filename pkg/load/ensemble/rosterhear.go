package ensemble

import (
	"fmt"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/load/ensemble/internal/wire"
)

// join decides about a follower that has connected.
func (r *roster) join(p peer, h wire.Hello) []order {
	if why := r.misfit(h); why != "" {
		return []order{{to: p, msg: wire.Refused{Reason: why, Final: true}, parts: true}}
	}
	m := &r.members[h.Shard]
	if m.here && m.attempt == h.Attempt {
		return []order{{to: p, msg: wire.Refused{Reason: "its former connection still counts"}, parts: true}}
	}
	var orders []order
	if m.attempt != "" && m.attempt != h.Attempt {
		r.replaced[m.attempt] = true
	}
	if m.here {
		orders = append(orders, order{to: m.peer, msg: replacedBy(h.Attempt), parts: true})
		m.here = false
		orders = append(orders, r.interrupt(fmt.Sprintf("shard %d was replaced by a new attempt", h.Shard))...)
	}
	*m = member{here: true, peer: p, attempt: h.Attempt}
	orders = append(orders, order{to: p, msg: wire.Welcome{Conductor: r.members[0].attempt}})
	if r.phase == assembling {
		orders = append(orders, r.assemble()...)
	}
	return orders
}

// misfit says why a follower can never take part.
func (r *roster) misfit(h wire.Hello) string {
	switch {
	case h.Version != wire.Version:
		return fmt.Sprintf("it speaks version %d of the protocol and the conductor version %d; run the same version of the worker "+
			"everywhere", h.Version, wire.Version)
	case h.Of != len(r.members) || h.Shard < 1 || h.Shard >= len(r.members):
		return fmt.Sprintf("it is shard %d of %d, and the step has shards 0 to %d", h.Shard, h.Of, len(r.members)-1)
	case r.replaced[h.Attempt]:
		return replacedBy(r.members[h.Shard].attempt).Reason
	}
	return ""
}

func replacedBy(attempt string) wire.Refused {
	return wire.Refused{Reason: fmt.Sprintf("attempt %.100q took its place", attempt), Final: true}
}

// interrupt voids the round, if one is on.
func (r *roster) interrupt(why string) []order {
	if r.phase != preparing && r.phase != driving {
		return nil
	}
	return r.void(why)
}

// lose notes that a connection ended.
func (r *roster) lose(p peer, why string, at int64) []order {
	i := r.shardOf(p)
	if i < 0 {
		return nil
	}
	r.members[i].here, r.members[i].absence, r.members[i].since = false, why, at
	return r.interrupt(fmt.Sprintf("shard %d was lost: %s", i, why))
}

// hear decides about a message of a member. What belongs to another round than the one that is on counts for nothing.
func (r *roster) hear(p peer, m wire.Message, at int64) []order {
	i := r.shardOf(p)
	if i < 0 {
		return nil
	}
	switch m := m.(type) {
	case wire.Ready:
		if r.phase == preparing && m.Round == r.round {
			r.members[i].ready = &m
			return r.startWhenReady(at)
		}
	case wire.Slice:
		if r.phase == driving && m.Round == r.round {
			r.members[i].slice = &m
			r.completeWhenDriven()
		}
	case wire.Late:
		if r.phase == driving && m.Round == r.round {
			return r.late(i, time.Duration(m.ByNS))
		}
	case wire.Failed:
		return r.part(p, "it failed: "+m.Reason, at)
	default:
		return r.part(p, "it sent what only a conductor sends", at)
	}
	return nil
}

// part lets a member go that is of no use any more.
func (r *roster) part(p peer, why string, at int64) []order {
	bye := order{to: p, msg: wire.Refused{Reason: why}, parts: true}
	return append([]order{bye}, r.lose(p, why, at)...)
}

func (r *roster) startWhenReady(at int64) []order {
	for _, m := range r.members {
		if m.ready == nil {
			return nil
		}
	}
	if err := r.comparePlans(); err != nil {
		r.fail(err)
		return nil
	}
	r.phase = driving
	return r.tell(wire.Go{Round: r.round, StartNS: at + int64(r.lead)})
}

func (r *roster) comparePlans() error {
	agree := true
	hashes := make([]string, len(r.members))
	for i, m := range r.members {
		agree = agree && m.ready.PlanSHA256 == r.members[0].ready.PlanSHA256
		hashes[i] = fmt.Sprintf("shard %d has %.12s", i, m.ready.PlanSHA256)
	}
	if agree {
		return nil
	}
	return fmt.Errorf("%w: block %d of step %d: %s; run the same version of the worker everywhere, with the same files",
		ErrPlansDiffer, r.block.Block, r.block.Step, strings.Join(hashes, ", "))
}

func (r *roster) completeWhenDriven() {
	for _, m := range r.members {
		if m.slice == nil {
			return
		}
	}
	r.phase = complete
}

// late repeats the round with a start farther ahead.
func (r *roster) late(shard int, by time.Duration) []order {
	if r.lead *= 2; r.lead > longestLead {
		r.fail(fmt.Errorf("%w: shard %d heard of the start %s late, though it was set %s ahead", ErrLate, shard, by, r.lead/2))
		return nil
	}
	return r.void(fmt.Sprintf("shard %d heard of the start %s late", shard, by))
}

// shardOf is the member with that connection, or -1.
func (r *roster) shardOf(p peer) int {
	for i, m := range r.members {
		if m.here && m.peer == p {
			return i
		}
	}
	return -1
}
