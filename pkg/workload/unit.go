package workload

import (
	"crypto/sha256"
	"math"
	"time"

	"github.com/swapgate/swapgate/pkg/load/pace"
	"github.com/swapgate/swapgate/pkg/splitmix"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// sharedPart is the part of a star's prompts that is the same in all of them: a document and several questions to it.
	sharedPart = 0.8
	// documentStream keeps the documents of stars independent of the questions.
	documentStream = 0x8ebc6af09c88c6e3
)

// Unit is the requests that belong together.
type Unit struct {
	// Shape is empty for a request that stands alone.
	Shape swap.Shape
	// Turns are the requests: of a star all at once, else one after the other.
	Turns []Turn
}

// Turn is one request of a unit. Text is what the turn itself adds (see Messages). InputTokens and Work count everything
// that is sent with it, the answers to earlier turns at the length asked for.
type Turn struct {
	Prompt
	// Follows says that the turn is sent after the one before has ended, and carries its answer on.
	Follows bool
	// Think is the pause between that end and this request.
	Think time.Duration
}

// Size is the number of requests in each unit; 1 without a topology.
func (g *Generator) Size() int {
	if g.spec.Topology == nil {
		return 1
	}
	return g.spec.Topology.Size
}

// Unit returns a unit of a stream. Without a topology it is the prompt At(stream, unit); else its turn k asks for the text
// of At(stream, unit·Size + k), and in a star of synthetic prompts shares most of it with the others. The prompts of such a
// star all have the length drawn for the first.
func (g *Generator) Unit(stream, unit uint64) Unit {
	t := g.spec.Topology
	if t == nil {
		return Unit{Turns: []Turn{{Prompt: g.At(stream, unit)}}}
	}
	u := Unit{Shape: t.Shape, Turns: make([]Turn, t.Size)}
	if t.Shape == swap.ShapeStar && len(g.prompts) == 0 && g.spec.API != swap.APITranscriptions {
		g.fanOut(u.Turns, stream, unit)
		return u
	}
	for k := range u.Turns {
		u.Turns[k].Prompt = g.At(stream, g.index(unit, k))
	}
	if t.Shape != swap.ShapeStar {
		g.chain(u, stream, unit)
	}
	return u
}

// index is the place of a unit's turn in its stream.
func (g *Generator) index(unit uint64, turn int) uint64 {
	return unit*uint64(g.Size()) + uint64(turn) //nolint:gosec // not negative
}

// fanOut fills the turns of a star with one document and a question each.
func (g *Generator) fanOut(turns []Turn, stream, unit uint64) {
	_, first := g.begin(stream, g.index(unit, 0))
	shared := int(math.Round(sharedPart * float64(first.InputTokens)))
	document := ""
	if shared > 0 {
		document = prose(g.random(stream^documentStream, unit), shared) + "\n\n"
	}
	for k := range turns {
		r, p := g.begin(stream, g.index(unit, k))
		p.Text = document + g.write(r, first.InputTokens-shared)
		p.InputTokens = first.InputTokens
		p.SHA256 = sha256.Sum256([]byte(p.Text))
		p.Work = g.work(p)
		turns[k].Prompt = p
	}
}

// chain makes each turn follow the one before: in a session with all that was said, in a ring with the last answer.
func (g *Generator) chain(u Unit, stream, unit uint64) {
	slot := splitmix.Mix(stream) ^ unit
	for k := 1; k < len(u.Turns); k++ {
		before, turn := u.Turns[k-1], &u.Turns[k]
		turn.Follows = true
		turn.InputTokens += before.MaxTokens
		if u.Shape == swap.ShapeSession {
			turn.InputTokens += before.InputTokens
			turn.Think = pace.ThinkTime(g.spec.Seed, slot, uint64(k), g.spec.Topology.ThinkTime.Std())
		}
		turn.Work = g.work(turn.Prompt)
	}
}
