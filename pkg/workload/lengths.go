package workload

import (
	"crypto/sha256"
	"math"
	"math/rand/v2"

	"github.com/swapgate/swapgate/pkg/swap"
)

// recordedLengths are the lengths of a recording.
type recordedLengths struct {
	digest [sha256.Size]byte
	of     func(i uint64) (input, output int)
}

// at returns lengths of at least 1: recordings hold requests that failed, without an answer.
func (l *recordedLengths) at(i uint64) (input, output int) {
	input, output = l.of(i)
	return max(1, input), max(1, output)
}

// ForStep returns the generator of one load step: g itself, or one with the step's own lengths. Its errors name the field.
func (g *Generator) ForStep(step swap.Step) (*Generator, error) {
	if step.InputTokens == nil && step.OutputTokens == nil {
		return g, nil
	}
	c := *g
	c.spec = WithStep(g.spec, step)
	if err := check(c.spec); err != nil {
		return nil, err
	}
	c.digest = c.digestOf()
	return &c, nil
}

// WithStep is the workload with the lengths of a step, where it has its own.
func WithStep(w swap.Workload, step swap.Step) swap.Workload {
	if step.InputTokens != nil {
		w.InputTokens = *step.InputTokens
	}
	if step.OutputTokens != nil {
		w.OutputTokens = *step.OutputTokens
	}
	return w
}

// WithLengths returns a generator whose prompts and answers are as long as those of a recording, instead of the lengths in
// the settings. of gives the lengths, in tokens, of request i of any stream; it is a pure function, safe for concurrent
// use. digest identifies it: the hash of the recording and of the part that is taken.
//
// It counts only for language models, and prompts from a file keep their own length. Of a unit of work, request k of unit u
// is request u·size + k.
func (g *Generator) WithLengths(digest [sha256.Size]byte, of func(i uint64) (input, output int)) *Generator {
	c := *g
	c.recorded = &recordedLengths{digest, of}
	c.digest = c.digestOf()
	return &c
}

// draw returns a log-normal length, clipped. The normal comes from the Box-Muller transform, so that a seed keeps its
// meaning whatever the standard library does.
func draw(r *rand.Rand, l swap.Lengths) int {
	n := float64(l.Median)
	if l.Sigma > 0 {
		normal := math.Sqrt(-2*math.Log(1-r.Float64())) * math.Cos(2*math.Pi*r.Float64())
		n *= math.Exp(l.Sigma * normal)
	}
	n = max(math.Round(n), float64(l.Min), 1)
	if l.Max > 0 {
		n = min(n, float64(l.Max))
	}
	return int(min(n, math.MaxInt32))
}

// longestLength is the largest length that draw can return.
func longestLength(l swap.Lengths) int {
	most := math.MaxInt32
	if l.Sigma == 0 {
		most = max(l.Median, l.Min, 1)
	}
	if l.Max > 0 {
		most = min(most, l.Max)
	}
	return most
}

// LongestRequest is the most tokens that a request of the step may need, prompt and answer together: what the context of a
// model must hold, chat template and salt aside. In a session it holds all turns before it, in a ring the answer before it. Only
// language models count answers in tokens. Prompts from a file count as nothing, and so do the lengths of a recording.
func LongestRequest(w swap.Workload, step swap.Step) int {
	w = WithStep(w, step)
	var in, out int
	if w.InputTokens.Median > 0 {
		in = longestLength(w.InputTokens)
	}
	if w.OutputTokens.Median > 0 {
		out = longestLength(w.OutputTokens)
	}
	switch {
	case w.Topology == nil:
	case w.Topology.Shape == swap.ShapeSession:
		return w.Topology.Size * (in + out)
	case w.Topology.Shape == swap.ShapeRing:
		return in + 2*out
	}
	return in + out
}
