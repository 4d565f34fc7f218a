package load

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"time"

	"github.com/swapgate/swapgate/pkg/load/arrival"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

// Plan is one block laid out beforehand. The two blocks of a pair have equal plans.
type Plan struct {
	Step            swap.Step
	Settle, Measure time.Duration
	// Stream is the sequence of units of work that the block takes.
	Stream uint64
	// Arrivals are the planned starts of units in an open loop, ascending offsets from the start; nil for a closed loop,
	// which takes the units of the stream in order.
	Arrivals []time.Duration
	// SHA256 is the hash in hex of what decides everything planned: times, prompts and lengths. Salts are not part of it, so
	// it is equal on both arms.
	SHA256 string

	seed    uint64
	prompts *workload.Generator
}

// Replay is a recording whose arrivals, and if wanted lengths, a step repeats.
type Replay struct {
	// SHA256 identifies the recording.
	SHA256 [sha256.Size]byte
	Gaps   arrival.Gaps
	// Lengths are the tokens of the prompt and the answer of recorded request i; nil keeps the workload's own lengths.
	Lengths func(i int) (input, output int)
}

// PlanBlock plans a block of settle + measure at one load level. seed and stream decide the arrivals, g and stream the
// prompts; g is the generator of the step (workload.Generator.ForStep). replay is only for steps that repeat a trace.
func PlanBlock(
	g *workload.Generator, step swap.Step, settle, measure time.Duration, seed, stream uint64, replay *Replay,
) Plan {
	p := Plan{Step: step, Settle: settle, Measure: measure, Stream: stream, seed: seed, prompts: g}
	var gaps arrival.Gaps
	if replay != nil {
		gaps = replay.Gaps
		p.prompts = replay.prompts(g, seed, stream)
	}
	p.Arrivals = arrival.Schedule(step, gaps, settle, measure, seed, stream)
	p.SHA256 = p.hash()
	return p
}

// prompts gives the generator the lengths of the part of the recording that this block repeats.
func (r *Replay) prompts(g *workload.Generator, seed, stream uint64) *workload.Generator {
	if r.Lengths == nil {
		return g
	}
	first := r.Gaps.First(seed, stream)
	digest := binary.LittleEndian.AppendUint64(r.SHA256[:], uint64(first)) //nolint:gosec // not negative
	return g.WithLengths(sha256.Sum256(digest), func(i uint64) (input, output int) {
		return r.Lengths(r.Gaps.Request(first, int(i))) //nolint:gosec // counts requests
	})
}

// StreamOf is the stream of a block's pair: the same for both of its blocks, different from all other pairs'.
func StreamOf(b swap.BlockPlan) uint64 {
	return uint64(b.Step)<<32 | uint64(uint32(b.Pair)) //nolint:gosec // both count from 1
}

// Open reports whether the plan is an open loop.
func (p Plan) Open() bool { return p.Step.Rate > 0 }

// Length is settle and measured time together.
func (p Plan) Length() time.Duration { return p.Settle + p.Measure }

// Peak is the largest number of connections that the plan can need if no request ends before timeout: what sockets must
// suffice for.
func (p Plan) Peak(timeout time.Duration) int {
	size := p.prompts.Size()
	if !p.Open() {
		return p.Step.Concurrency * size
	}
	if p.Step.MaxInFlight > 0 {
		return p.Step.MaxInFlight
	}
	peak, first := 0, 0
	for i, at := range p.Arrivals {
		for first < i && at-p.Arrivals[first] >= timeout+Lead {
			first++
		}
		peak = max(peak, i-first+1)
	}
	return peak * size
}

// plannedSend is one request that is sent by the plan, and not because of an answer. Its turns at one unit follow each other.
type plannedSend struct {
	unit, turn int
	at         time.Duration
}

// sendList lists what a shard of an open loop sends. It keeps one number for each unit: a block may have millions.
type sendList struct {
	plan Plan
	// units are never divided; each sends so many requests together.
	units    []int
	together int
}

func (p Plan) sends(shard Shard) sendList {
	together := 1
	if t := p.Topology(); t != nil && t.Shape == swap.ShapeStar {
		together = t.Size
	}
	return sendList{p, arrival.Slice(len(p.Arrivals), shard.Of, shard.Index, p.seed, p.Stream), together}
}

func (l sendList) len() int { return len(l.units) * l.together }

func (l sendList) at(i int) plannedSend {
	unit := l.units[i/l.together]
	return plannedSend{unit: unit, turn: i % l.together, at: l.plan.Arrivals[unit]}
}

func (p Plan) hash() string {
	h := sha256.New()
	digest := p.prompts.Digest()
	h.Write(digest[:])
	step, _ := json.Marshal(p.Step) // plain data always marshals
	h.Write(step)
	writeInts(h, uint64(p.Settle), uint64(p.Measure), p.Stream, p.seed) //nolint:gosec // not negative
	for _, at := range p.Arrivals {
		writeInts(h, uint64(at)) //nolint:gosec // not negative
	}
	return hex.EncodeToString(h.Sum(nil))
}

func writeInts(h hash.Hash, values ...uint64) {
	var b [8]byte
	for _, v := range values {
		binary.LittleEndian.PutUint64(b[:], v)
		h.Write(b[:])
	}
}
