package config

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/load/arrival"
	"github.com/swapgate/swapgate/pkg/load/pace"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

// laidOut is a load of one step, planned block after block as a run does it.
type laidOut struct {
	spec    swap.Spec
	step    swap.Step
	prompts *workload.Generator
	replay  *load.Replay
}

// anyOpenStep draws a step with a rate: any process, ramp and spike.
func anyOpenStep(t *rapid.T, topology *swap.Topology) laidOut {
	seconds := func(name string, least, most float64) swap.Duration {
		return swap.Duration(rapid.Float64Range(least, most).Draw(t, name) * float64(time.Second))
	}
	rate := rapid.Float64Range(1, 30)
	p := laidOut{step: swap.Step{Rate: rate.Draw(t, "rate")}}
	p.spec.Load.Block = seconds("block", 5, 60)
	if rapid.Bool().Draw(t, "settles") {
		p.spec.Load.Settle = seconds("settle", 0, 20)
	}
	p.spec.Workload = swap.Workload{
		API: swap.APIChat, Seed: rapid.Uint64().Draw(t, "seed"), Topology: topology,
		InputTokens: swap.Lengths{Median: 1, Max: 1}, OutputTokens: swap.Lengths{Median: 1, Max: 1},
	}
	switch rapid.SampledFrom([]string{"poisson", "constant", "gamma", "trace", "ramp", "spike", "both"}).Draw(t, "kind") {
	case "constant":
		p.step.Arrival = &swap.Arrival{Process: swap.ArrivalConstant}
	case "gamma":
		p.step.Arrival = &swap.Arrival{Process: swap.ArrivalGamma, CV: rapid.Float64Range(0.1, 1).Draw(t, "cv")}
	case "trace":
		p.step.Arrival = &swap.Arrival{Process: swap.ArrivalTrace, Trace: &swap.Trace{File: "t"}}
		p.replay = &load.Replay{Gaps: arrival.Gaps{3, 1, 4, 1, 5, 9, 2, 6}}
	case "ramp":
		p.step.Ramp = &swap.Ramp{From: rate.Draw(t, "from")}
	case "spike":
		p.step.Spike = spikeIn(t, p.spec.Load.Block)
	case "both":
		p.step.Ramp, p.step.Spike = &swap.Ramp{From: rate.Draw(t, "from")}, spikeIn(t, p.spec.Load.Block)
	}
	g, err := workload.New(p.spec.Workload)
	require.NoError(t, err)
	p.prompts = g
	return p
}

func spikeIn(t *rapid.T, block swap.Duration) *swap.Spike {
	after := rapid.Float64Range(0, 0.9).Draw(t, "after")
	length := rapid.Float64Range(0.05, 1-after).Draw(t, "for")
	return &swap.Spike{
		Rate:  rapid.Float64Range(1, 60).Draw(t, "spike"),
		After: swap.Duration(after * float64(block)), For: swap.Duration(length * float64(block)),
	}
}

// unanswered is the latency of a server that never answers.
const unanswered = time.Duration(math.MaxInt64)

// measured is the mean number of measured requests in a block over many, when each answer takes latency. It follows the rules of
// load.Run: what is due before the settle time is over does not count, and a turn that is due after the block is not sent.
func (p laidOut) measured(blocks int, latency time.Duration) float64 {
	settle, block := p.spec.Load.Settle.Std(), p.spec.Load.Block.Std()
	n, t := 0, p.spec.Workload.Topology
	for stream := range uint64(blocks) {
		plan := load.PlanBlock(p.prompts, p.step, settle, block, p.spec.Workload.Seed, stream, p.replay)
		for unit, due := range plan.Arrivals {
			if t == nil || t.Shape == swap.ShapeStar {
				if due >= settle {
					n += p.prompts.Size()
				}
				continue
			}
			n += p.unitMeasured(stream, uint64(unit), due, latency)
		}
	}
	return float64(n) / float64(blocks)
}

func (p laidOut) unitMeasured(stream, unit uint64, due, latency time.Duration) (n int) {
	settle, end := p.spec.Load.Settle.Std(), (p.spec.Load.Settle + p.spec.Load.Block).Std()
	for _, turn := range p.prompts.Unit(stream, unit).Turns {
		if turn.Follows {
			if latency == unanswered {
				return n
			}
			due += latency + turn.Think
		}
		if due >= end {
			return n
		}
		if due >= settle {
			n++
		}
	}
	return n
}

// blocksFor is how many blocks plan about so many units of work together.
func (p laidOut) blocksFor(units float64) int {
	return int(units/openRequests(p.step, p.spec.Load, nil).Least) + 1
}

func TestRequestsOfAnOpenLoopAreThoseLaidOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var topology *swap.Topology
		if size := rapid.SampledFrom([]int{1, 2, 3}).Draw(t, "size"); size > 1 {
			topology = &swap.Topology{Shape: swap.ShapeStar, Size: size}
		}
		p := anyOpenStep(t, topology)
		want, known := blockRequests(p.step, p.spec.Load, topology).Get()
		require.True(t, known, "answers do not matter")
		// Seven standard deviations of 25 000 independent arrivals, for a drawn case is a trial too.
		require.InEpsilon(t, want, p.measured(p.blocksFor(25_000), unanswered), 0.045)
	})
}

func TestRequestsThatFollowOthersAreBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		topology := &swap.Topology{Size: rapid.IntRange(2, 4).Draw(t, "size")}
		topology.Shape = rapid.SampledFrom([]swap.Shape{swap.ShapeSession, swap.ShapeRing}).Draw(t, "shape")
		if topology.Shape == swap.ShapeSession {
			topology.ThinkTime = swap.Duration(rapid.IntRange(0, 40_000).Draw(t, "think")) * swap.Duration(time.Millisecond)
		}
		p := anyOpenStep(t, topology)
		expected := blockRequests(p.step, p.spec.Load, topology)
		most, bounded := expected.Most.Get()
		require.True(t, bounded)
		latency := rapid.SampledFrom([]time.Duration{0, time.Second / 10, time.Second, 10 * time.Second, unanswered}).Draw(t, "latency")
		const few = 0.08 // five standard deviations of 4000 units
		got := p.measured(p.blocksFor(4000), latency)
		require.GreaterOrEqual(t, got, (1-few)*expected.Least)
		require.LessOrEqual(t, got, (1+few)*most)
		if latency == unanswered {
			require.InEpsilon(t, expected.Least, got, few, "the least is what is sent to servers that do not answer")
		}
		if latency == 0 && p.spec.Load.Settle == 0 {
			require.InEpsilon(t, most, got, few, "without a settle time, servers that answer at once get the most")
		}
	})
}

// closedMeasured is the mean number of measured requests of a closed loop over many blocks, when each answer takes latency.
func closedMeasured(s swap.Step, l swap.Load, blocks int, latency time.Duration) float64 {
	settle, end := l.Settle.Std(), (l.Settle + l.Block).Std()
	n := 0
	for slot := range uint64(blocks * s.Concurrency) {
		due := settle / 2 * time.Duration(slot%8) / 8
		for i := uint64(0); due < end; i++ {
			if due >= settle {
				n++
			}
			due += latency + pace.ThinkTime(1, slot, i, s.ThinkTime.Std())
		}
	}
	return float64(n) / float64(blocks)
}

func TestRequestsOfAClosedLoopThatPausesAreBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := swap.Load{Block: 30e9, Settle: swap.Duration(rapid.IntRange(0, 20).Draw(t, "settle")) * 1e9}
		s := swap.Step{Concurrency: rapid.IntRange(1, 9).Draw(t, "concurrency")}
		s.ThinkTime = swap.Duration(rapid.IntRange(500, 90_000).Draw(t, "think")) * 1e6
		expected := blockRequests(s, l, nil)
		most, bounded := expected.Most.Get()
		require.True(t, bounded)
		require.Zero(t, expected.Least, "a server that does not answer gets nothing new")
		latency := time.Duration(rapid.IntRange(0, 20_000).Draw(t, "latency")) * time.Millisecond
		require.LessOrEqual(t, closedMeasured(s, l, 400, latency), 1.1*most)
	})
}

func TestRequestsOfAClosedLoop(t *testing.T) {
	l := swap.Load{Block: 30e9, Settle: 10e9}
	pausing := swap.Step{Concurrency: 4, ThinkTime: 3e9}
	star, ring := &swap.Topology{Shape: swap.ShapeStar, Size: 5}, &swap.Topology{Shape: swap.ShapeRing, Size: 5}
	require.Equal(t, Requests{Most: swap.Of(4 * 11)}, blockRequests(pausing, l, nil))
	require.Equal(t, Requests{Most: swap.Of(4 * 5 * 11)}, blockRequests(pausing, l, star))
	require.Equal(t, Requests{Most: swap.Of(4 * 5 * 12)}, blockRequests(pausing, l, ring), "one may be under way when it is measured")
	require.Equal(t, Requests{}, blockRequests(swap.Step{Concurrency: 4}, l, nil))
	require.Equal(t, Requests{}, blockRequests(swap.Step{KVShare: 0.9, ThinkTime: 3e9}, l, nil), "how many slots is not known")
}

func TestATokenRateBoundsAClosedLoop(t *testing.T) {
	spec := swap.Spec{
		Load:     swap.Load{Block: 30e9, Settle: 10e9},
		Workload: swap.Workload{InputTokens: swap.Lengths{Median: 100}, OutputTokens: swap.Lengths{Median: 50}},
	}
	limit, ample := &swap.TokenRate{Limit: 5, Burst: 1e9}, &swap.TokenRate{Limit: 1e6}
	for name, c := range map[string]struct {
		step swap.Step
		want Requests
	}{
		"two blocks":         {swap.Step{Concurrency: 4, TokenRate: limit}, Requests{Most: swap.Of(2 * 5 * 31 / 150.0)}},
		"of unknown slots":   {swap.Step{KVShare: 0.9, TokenRate: limit}, Requests{Most: swap.Of(2 * 5 * 31 / 150.0)}},
		"pauses bound it":    {swap.Step{Concurrency: 1, ThinkTime: 30e9, TokenRate: ample}, Requests{Most: swap.Of(2 * 2)}},
		"tokens bound it":    {swap.Step{Concurrency: 4, ThinkTime: 1e7, TokenRate: limit}, Requests{Most: swap.Of(2 * 5 * 31 / 150.0)}},
		"an open loop plans": {swap.Step{Rate: 3, TokenRate: limit}, exactly(2 * 3 * 30)},
	} {
		t.Run(name, func(t *testing.T) {
			c.step.Hold = 60e9
			got := armRequests(c.step, spec)
			require.InDelta(t, c.want.Least, got.Least, 1e-9)
			require.InDelta(t, c.want.Most.Or(-1), got.Most.Or(-2), 1e-9)
		})
	}
}

// A session that a block is too short for is not counted as if all its turns were sent.
func TestTurnsBeyondTheBlockAreNotCounted(t *testing.T) {
	l := swap.Load{Block: 10e9}
	session := &swap.Topology{Shape: swap.ShapeSession, Size: 10, ThinkTime: 60e9}
	expected := blockRequests(swap.Step{Rate: 3}, l, session)
	require.InDelta(t, 30, expected.Least, 1e-9)
	require.InDelta(t, 30*(1+1.0/12), expected.Most.Or(0), 0.2, "one pause in twelve ends within the half block that is left on average")
}

func TestRequestsForAPerson(t *testing.T) {
	for want, r := range map[string]Requests{
		"about 1 request per arm": exactly(1.2),
		"at most about 1 request per arm, by how fast the servers answer":    {Most: swap.Of(.9)},
		"about 12 requests per arm":                                          exactly(12.2),
		"about 12 to 40 requests per arm, by how fast the servers answer":    {Least: 12, Most: swap.Of(40)},
		"at most about 40 requests per arm, by how fast the servers answer":  {Most: swap.Of(40)},
		"at least about 12 requests per arm, by how fast the servers answer": {Least: 12},
		"as many requests as the servers answer":                             {},
		"at least about 24 requests per arm, by how fast the servers answer": Requests{Least: 12}.plus(exactly(12)),
		"about 36 to 72 requests per arm, by how fast the servers answer":    Requests{Least: 12, Most: swap.Of(24)}.times(3),
		"at most about 52 requests per arm, by how fast the servers answer":  Requests{Most: swap.Of(40)}.plus(Requests{Most: swap.Of(12)}),
	} {
		require.Equal(t, want, r.String())
	}
}
