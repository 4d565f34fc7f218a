package load

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"math/rand/v2"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

// Plan is one block laid out beforehand. The two blocks of a pair have equal plans.
type Plan struct {
	Step            swap.Step
	Settle, Measure time.Duration
	// Stream is the sequence of prompts that the block takes.
	Stream uint64
	// Arrivals are the planned sends of an open loop, ascending offsets from the start; nil for a closed loop, which takes
	// the prompts of the stream in order.
	Arrivals []time.Duration
	// SHA256 is the hash of everything planned, in hex: times, prompts and lengths. Salts are not part of it, so it is equal
	// on both arms.
	SHA256 string

	prompts *workload.Generator
}

// PlanBlock plans a block of settle + measure at one load level. seed and stream decide the arrivals, g and stream the
// prompts. An open loop has Poisson arrivals at the step's rate.
func PlanBlock(g *workload.Generator, step swap.Step, settle, measure time.Duration, seed, stream uint64) Plan {
	p := Plan{Step: step, Settle: settle, Measure: measure, Stream: stream, prompts: g}
	if p.Open() {
		p.Arrivals = poisson(step.Rate, p.Length(), seed, stream)
	}
	p.SHA256 = p.hash()
	return p
}

// StreamOf is the stream of a block's pair: the same for both of its blocks, different from all other pairs'.
func StreamOf(b swap.BlockPlan) uint64 {
	return uint64(b.Step)<<32 | uint64(uint32(b.Pair)) //nolint:gosec // both count from 1
}

// Open reports whether the plan is an open loop.
func (p Plan) Open() bool { return p.Step.Rate > 0 }

// Length is settle and measured time together.
func (p Plan) Length() time.Duration { return p.Settle + p.Measure }

// Peak is the largest number of requests that can be in flight if none ends before timeout: what sockets must suffice for.
func (p Plan) Peak(timeout time.Duration) int {
	if !p.Open() {
		return p.Step.Concurrency
	}
	peak, first := 0, 0
	for i, at := range p.Arrivals {
		for first < i && at-p.Arrivals[first] >= timeout {
			first++
		}
		peak = max(peak, i-first+1)
	}
	return peak
}

// poisson returns the arrivals of a Poisson process in [0, length). Gaps come from the inverse of the exponential
// distribution, so that a seed keeps its meaning whatever the standard library does.
func poisson(rate float64, length time.Duration, seed, stream uint64) []time.Duration {
	r := rand.New(rand.NewPCG(seed, stream^arrivalStream))
	out := make([]time.Duration, 0, int(rate*length.Seconds())+1)
	end := length.Seconds()
	for at := 0.0; ; {
		at -= math.Log(1-r.Float64()) / rate
		if at >= end {
			return out
		}
		out = append(out, time.Duration(at*float64(time.Second)))
	}
}

// arrivalStream keeps arrivals independent of prompts that are drawn from the same seed and stream.
const arrivalStream = 0xa0761d6478bd642f

func (p Plan) hash() string {
	h := sha256.New()
	digest := p.prompts.Digest()
	h.Write(digest[:])
	writeInts(h, uint64(p.Settle), uint64(p.Measure), p.Stream, //nolint:gosec // not negative
		math.Float64bits(p.Step.Rate), uint64(p.Step.Concurrency)) //nolint:gosec // not negative
	for i, at := range p.Arrivals {
		prompt := p.prompts.At(p.Stream, uint64(i))
		writeInts(h, uint64(at), uint64(prompt.MaxTokens)) //nolint:gosec // not negative
		h.Write(prompt.SHA256[:])
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
