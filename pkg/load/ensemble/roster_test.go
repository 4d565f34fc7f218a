package ensemble

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/load/ensemble/internal/wire"
	"github.com/swapgate/swapgate/pkg/swap"
)

var block1 = swap.BlockPlan{Step: 1, Block: 1, Arm: swap.Baseline, Pair: 1}

func rosterOf(n int) *roster {
	return newRoster(Config{
		Of: n, Attempt: "c1", JoinWithin: 10 * time.Second, ReturnWithin: 20 * time.Second, Lead: time.Second,
	})
}

func hello(shard, of int, attempt string) wire.Hello {
	return wire.Hello{Version: wire.Version, Shard: shard, Of: of, Attempt: attempt}
}

// full has begun a block with all of n shards; the peer of a shard is its number.
func full(n int) *roster {
	r := rosterOf(n)
	r.begin(block1, 0)
	for i := 1; i < n; i++ {
		r.join(peer(i), hello(i, n, fmt.Sprintf("f%d", i)))
	}
	return r
}

// underway is full and drives.
func underway(n int) *roster {
	r := full(n)
	for i := range n {
		r.hear(peer(i), wire.Ready{Round: r.round, PlanSHA256: "h"}, 100)
	}
	return r
}

func TestRosterPlaysABlock(t *testing.T) {
	r := rosterOf(2)
	require.Empty(t, r.begin(block1, 0))
	require.Equal(t, "1 of 2 load workers have joined; for up to 10s waiting for shard 1; "+getMore, r.waiting())
	require.Equal(t, []order{
		{to: 7, msg: wire.Welcome{Conductor: "c1"}},
		{to: 0, msg: wire.Prepare{Round: 1, Block: block1}},
		{to: 7, msg: wire.Prepare{Round: 1, Block: block1}},
	}, r.join(7, hello(1, 2, "f1")))
	require.Empty(t, r.waiting())

	require.Empty(t, r.hear(0, wire.Ready{Round: 1, PlanSHA256: "h"}, 50))
	start := wire.Go{Round: 1, StartNS: 60 + int64(time.Second)}
	require.Equal(t, []order{{to: 0, msg: start}, {to: 7, msg: start}},
		r.hear(7, wire.Ready{Round: 1, PlanSHA256: "h", OffsetNS: -4, UncertaintyNS: 2}, 60))

	require.Empty(t, r.hear(7, wire.Slice{Round: 1, Planned: 1, Outcomes: swap.OutcomeCounts{swap.OK: 1}}, 70))
	require.False(t, r.settled())
	require.Empty(t, r.hear(0, wire.Slice{Round: 1}, 80))
	require.Equal(t, complete, r.phase)
	slices := r.slices()
	require.Len(t, slices, 2)
	require.Equal(t, Slice{
		Shard: 1, Attempt: "f1", Clock: Clock{Offset: -4, Uncertainty: 2},
		SliceResult: SliceResult{Planned: 1, Outcomes: swap.OutcomeCounts{swap.OK: 1}},
	}, slices[1])

	next := swap.BlockPlan{Step: 1, Block: 2}
	require.Equal(t, wire.Prepare{Round: 2, Block: next}, r.begin(next, 90)[1].msg, "members stay")
}

func TestRosterJoin(t *testing.T) {
	for name, c := range map[string]struct {
		hello wire.Hello
		want  []order
	}{
		"another version": {
			wire.Hello{Version: 99, Shard: 1, Of: 3, Attempt: "x"},
			[]order{{to: 9, parts: true, msg: wire.Refused{Final: true, Reason: "it speaks version 99 of the protocol and the conductor " +
				"version 1; run the same version of the worker everywhere"}}},
		},
		"another number of shards": {hello(1, 4, "x"), []order{{to: 9, parts: true, msg: wire.Refused{
			Final: true, Reason: "it is shard 1 of 4, and the step has shards 0 to 2",
		}}}},
		"the conductor's shard": {hello(0, 3, "x"), []order{{to: 9, parts: true, msg: wire.Refused{
			Final: true, Reason: "it is shard 0 of 3, and the step has shards 0 to 2",
		}}}},
		"no such shard": {hello(3, 3, "x"), []order{{to: 9, parts: true, msg: wire.Refused{
			Final: true, Reason: "it is shard 3 of 3, and the step has shards 0 to 2",
		}}}},
		"the attempt that is here": {hello(1, 3, "f1"), []order{{to: 9, parts: true, msg: wire.Refused{
			Reason: "its former connection still counts",
		}}}},
		"a newer attempt": {hello(1, 3, "f1b"), []order{
			{to: 1, parts: true, msg: wire.Refused{Final: true, Reason: `attempt "f1b" took its place`}},
			{to: 0, msg: wire.Void{Round: 1, Reason: "shard 1 was replaced by a new attempt"}},
			{to: 2, msg: wire.Void{Round: 1, Reason: "shard 1 was replaced by a new attempt"}},
			{to: 9, msg: wire.Welcome{Conductor: "c1"}},
			{to: 0, msg: wire.Prepare{Round: 2, Block: block1}},
			{to: 9, msg: wire.Prepare{Round: 2, Block: block1}},
			{to: 2, msg: wire.Prepare{Round: 2, Block: block1}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, underway(3).join(9, c.hello))
		})
	}
}

func TestReplacedAttemptNeverComesBack(t *testing.T) {
	r := underway(2)
	r.join(5, hello(1, 2, "f1b"))
	refused := []order{{to: 6, parts: true, msg: wire.Refused{Final: true, Reason: `attempt "f1b" took its place`}}}
	require.Equal(t, refused, r.join(6, hello(1, 2, "f1")))
	r.lose(5, "gone", 0)
	require.Equal(t, refused, r.join(6, hello(1, 2, "f1")), "not even when its successor is gone")
	require.Len(t, r.join(7, hello(1, 2, "f1b")), 3, "a lost attempt may come back itself")
}

func TestRosterVoidsARound(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(r *roster) []order
		why     string
		rejoin  bool
	}{
		"lost": {func(r *roster) []order { return r.lose(1, "reset", 5) }, "shard 1 was lost: reset", true},
		"failed": {
			func(r *roster) []order { return r.hear(1, wire.Failed{Round: 1, Reason: "no socket"}, 5) },
			"shard 1 was lost: it failed: no socket", true,
		},
		"speaks like a conductor": {
			func(r *roster) []order { return r.hear(1, wire.End{}, 5) },
			"shard 1 was lost: it sent what only a conductor sends", true,
		},
		"late": {
			func(r *roster) []order { return r.hear(1, wire.Late{Round: 1, ByNS: 3e6}, 5) },
			"shard 1 heard of the start 3ms late", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := underway(3)
			r.hear(2, wire.Slice{Round: 1}, 5)
			orders := c.happens(r)
			require.Contains(t, orders, order{to: 0, msg: wire.Void{Round: 1, Reason: c.why}})
			require.Contains(t, orders, order{to: 2, msg: wire.Void{Round: 1, Reason: c.why}})
			if c.rejoin {
				require.Equal(t, assembling, r.phase)
				r.hear(2, wire.Slice{Round: 1}, 6)
				orders = r.join(9, hello(1, 3, "f1b"))
			}
			require.Contains(t, orders, order{to: 2, msg: wire.Prepare{Round: 2, Block: block1}})
			require.Nil(t, r.members[2].slice, "a slice of the void round does not count")
			r.hear(2, wire.Slice{Round: 1}, 7)
			require.Nil(t, r.members[2].slice, "not even when it comes later")
		})
	}
}

func TestOtherRoundsCountForNothing(t *testing.T) {
	r := full(2)
	r.hear(1, wire.Slice{Round: 1}, 0)
	r.hear(1, wire.Late{Round: 1}, 0)
	r.hear(1, wire.Ready{Round: 2, PlanSHA256: "x"}, 0)
	r.hear(4, wire.Ready{Round: 1, PlanSHA256: "x"}, 0)
	require.Empty(t, r.lose(4, "stranger", 0))
	require.Equal(t, member{here: true, peer: 1, attempt: "f1"}, r.members[1])
	require.Equal(t, preparing, r.phase)

	r = underway(2)
	for _, m := range []wire.Message{wire.Slice{Round: 2}, wire.Late{Round: 2}, wire.Ready{Round: 1, PlanSHA256: "y"}} {
		require.Empty(t, r.hear(1, m, 0))
	}
	require.Nil(t, r.members[1].slice)
	require.Equal(t, "h", r.members[1].ready.PlanSHA256)
}

func TestDifferentPlansFail(t *testing.T) {
	r := full(3)
	for i, hash := range []string{"aaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbb"} {
		require.Empty(t, r.hear(peer(i), wire.Ready{Round: 1, PlanSHA256: hash}, 0))
	}
	require.ErrorIs(t, r.failure, ErrPlansDiffer)
	require.EqualError(t, r.failure, "the load workers disagree about the plan: block 1 of step 1: shard 0 has aaaaaaaaaaaa, "+
		"shard 1 has aaaaaaaaaaaa, shard 2 has bbbbbbbbbbbb; run the same version of the worker everywhere, with the same files")
}

func TestLeadGrowsWithLateness(t *testing.T) {
	r := underway(2)
	lead := r.lead
	for range 5 {
		lead *= 2
		require.NotEmpty(t, r.hear(1, wire.Late{Round: r.round, ByNS: 1}, 0))
		r.hear(0, wire.Ready{Round: r.round, PlanSHA256: "h"}, 0)
		require.Equal(t, wire.Go{Round: r.round, StartNS: int64(lead)}, r.hear(1, wire.Ready{Round: r.round, PlanSHA256: "h"}, 0)[0].msg)
	}
	r.hear(1, wire.Late{Round: r.round, ByNS: 1e9}, 0)
	require.EqualError(t, r.failure, "a load worker is too slow to start with the others: shard 1 heard of the start 1s late, "+
		"though it was set 32s ahead")
}

func TestWaitIsBounded(t *testing.T) {
	r := rosterOf(4)
	r.begin(block1, 1e9)
	r.join(1, hello(1, 4, "f1"))
	r.join(2, hello(2, 4, "f2"))
	r.lose(2, "reset", 9e9)
	r.expire(11e9 - 1)
	require.False(t, r.settled())
	r.expire(11e9)
	require.ErrorIs(t, r.failure, ErrTooFew)
	require.EqualError(t, r.failure, "too few load workers: 2 of 4 came within 10s, missing: shard 2 (reset), shard 3; "+
		getMore)
}

func TestTheMissingAreNamedInBounds(t *testing.T) {
	r := rosterOf(256)
	r.begin(block1, 0)
	require.Less(t, len(r.waiting()), 300)
	require.Contains(t, r.waiting(), "1 of 256 load workers have joined; for up to 10s waiting for shard 1, shard 2, ")
	require.Contains(t, r.waiting(), "shard 8, and 247 more; ")
}

func TestEachLostShardHasItsTime(t *testing.T) {
	r := underway(3)
	require.Empty(t, r.waiting())
	r.lose(1, "reset", 1e9)
	require.Equal(t, "2 of 3 load workers are left; for up to 20s waiting for a new attempt of shard 1 (reset)", r.waiting(),
		"more load workers are of no use")
	r.lose(2, "silent", 15e9)
	r.join(5, hello(1, 3, "f1b"))
	r.expire(30e9)
	require.False(t, r.settled(), "shard 2 has 20 s of its own")
	r.expire(35e9)
	require.EqualError(t, r.failure, "too few load workers: 2 of 3 are left, and within 20s there came no new attempt of "+
		"shard 2 (silent); look at why that load worker ended")
}

// Whatever happens in whatever order, a block is complete only with a slice of its last round from everybody who is here.
func TestRosterNeverSealsAHalf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "shards")
		r, at, peers := rosterOf(n), int64(0), peer(0)
		told := map[peer]int{} // the round that a peer was last told to prepare
		note := func(orders []order) {
			for _, o := range orders {
				if p, ok := o.msg.(wire.Prepare); ok {
					require.Greater(t, p.Round, told[o.to])
					told[o.to] = p.Round
				}
				require.True(t, o.parts || r.shardOf(o.to) >= 0, "an order to somebody who is not here: %+v", o)
			}
		}
		note(r.begin(block1, at))
		for range rapid.IntRange(0, 80).Draw(t, "events") {
			at++
			p := peer(rapid.IntRange(0, int(peers)).Draw(t, "peer"))
			round := max(1, r.round-rapid.IntRange(0, 1).Draw(t, "behind"))
			switch rapid.IntRange(0, 5).Draw(t, "event") {
			case 0:
				peers++
				shard, attempt := rapid.IntRange(0, n).Draw(t, "shard"), rapid.IntRange(1, 3).Draw(t, "attempt")
				note(r.join(peers, hello(shard, n, fmt.Sprintf("f%d-%d", shard, attempt))))
			case 1:
				note(r.lose(max(p, 1), "lost", at))
			case 2, 3:
				note(r.hear(p, wire.Ready{Round: round, PlanSHA256: "h"}, at))
			case 4:
				note(r.hear(p, wire.Slice{Round: round, Planned: round, Outcomes: swap.OutcomeCounts{swap.OK: round}}, at))
			case 5:
				note(r.hear(p, wire.Late{Round: round}, at))
			}
			if r.settled() {
				break
			}
		}
		if r.phase != complete {
			return
		}
		for i, m := range r.members {
			require.True(t, m.here)
			require.Equal(t, r.round, told[m.peer], "shard %d", i)
			require.Equal(t, r.round, m.slice.Round)
		}
		require.Len(t, r.slices(), n)
	})
}
