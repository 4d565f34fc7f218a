package admin

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// sighting is what was seen of a goal.
type sighting struct {
	proven bool
	// failed is why it will not come, by the engine's own word.
	failed string
	state  swap.EngineState
	proofs []swap.Proof
}

// String says what speaks against the goal, or else what little speaks for it.
func (s sighting) String() string {
	var against, rest []string
	for _, p := range s.proofs {
		if p.Holds != nil && !*p.Holds {
			against = append(against, p.Message)
		} else {
			rest = append(rest, p.Message)
		}
	}
	if len(against) == 0 {
		against = append(rest, "nothing else tells the models apart: give in_place.golden prompts that they answer differently")
	}
	return strings.Join(against, "; ")
}

// prove looks at what the engine serves and weighs it against the goal.
func (e *Engine) prove(ctx context.Context, g Goal) (sighting, error) {
	s, err := e.adapter.look(ctx, g.Model)
	if err != nil {
		return sighting{}, err
	}
	if !s.ready {
		message := "the engine does not list " + label(g.Model)
		if s.loading {
			message = "the engine is still loading " + label(g.Model)
		}
		return sighting{failed: s.failed, proofs: []swap.Proof{says(swap.ProofIdentity, false, message)}}, nil
	}
	state, err := e.observe(ctx, g.Model)
	if err != nil {
		return sighting{}, err
	}
	seen := sighting{state: state}
	seen.proofs, seen.proven = weigh(e.Capabilities(), g, state, e.opt.MayBeEqual)
	return seen, nil
}

// observe collects what identifies a model that is served.
func (e *Engine) observe(ctx context.Context, m swap.InPlaceModel) (swap.EngineState, error) {
	state := swap.EngineState{Model: m, At: time.Now().UTC()}
	var err error
	if state.Digest, err = e.adapter.digest(ctx, m); err != nil {
		return state, err
	}
	if e.opt.Ask == nil {
		return state, nil
	}
	state.Golden, state.Fingerprint, err = askTwice(ctx, e.opt.Ask, m.Name)
	return state, err
}

// weigh is whether a state is that of the goal, and why. One piece of evidence against it is enough; for it the engine's word is
// enough only where that word tells models apart.
func weigh(c Capabilities, g Goal, now swap.EngineState, mayBeEqual bool) (proofs []swap.Proof, proven bool) {
	identity := silent(swap.ProofIdentity, "the engine names "+label(g.Model)+", which does not tell its weights")
	if c.Identity {
		identity = says(swap.ProofIdentity, true, "the engine serves "+label(g.Model))
	}
	proofs = []swap.Proof{identity}
	for _, of := range []func(Goal, swap.EngineState, bool) (swap.Proof, bool){weighDigest, weighFingerprint, weighGolden} {
		if p, seen := of(g, now, mayBeEqual); seen {
			proofs = append(proofs, p)
		}
	}
	for _, p := range proofs {
		if p.Holds != nil && !*p.Holds {
			return proofs, false
		}
		// The fingerprint is of the engine and its settings, not of the weights.
		proven = proven || p.Holds != nil && p.Kind != swap.ProofFingerprint
	}
	return proofs, proven
}

func weighDigest(g Goal, now swap.EngineState, mayBeEqual bool) (swap.Proof, bool) {
	const kind = swap.ProofDigest
	switch {
	case now.Digest == "":
		return swap.Proof{}, false
	case g.Known != nil && g.Known.Digest != "":
		same := g.Known.Digest == now.Digest
		return says(kind, same, either(same, "the weights have the checksum that they had",
			"the weights have another checksum than they had")), true
	case g.Known != nil || g.Before.Digest == "":
		return silent(kind, "the weights have the checksum "+now.Digest), true
	case g.Before.Digest != now.Digest:
		return says(kind, true, "the checksum of the weights has changed"), true
	case mayBeEqual:
		return silent(kind, "the weights have the checksum of those before"), true
	}
	return says(kind, false, "the weights still have the checksum of those before"), true
}

func weighFingerprint(g Goal, now swap.EngineState, _ bool) (swap.Proof, bool) {
	const kind = swap.ProofFingerprint
	switch {
	case now.Fingerprint == "":
		return swap.Proof{}, false
	case g.Known != nil && g.Known.Fingerprint != "":
		same := g.Known.Fingerprint == now.Fingerprint
		return says(kind, same, either(same, "the engine's fingerprint is what it was",
			fmt.Sprintf("the engine's fingerprint is %s and was %s: it is not the engine of before, or has other settings",
				now.Fingerprint, g.Known.Fingerprint))), true
	}
	same := g.Before.Fingerprint == now.Fingerprint
	return silent(kind, either(same, "the engine's fingerprint has not changed",
		"the engine's fingerprint has changed to "+now.Fingerprint)), true
}

func weighGolden(g Goal, now swap.EngineState, mayBeEqual bool) (swap.Proof, bool) {
	const kind = swap.ProofGolden
	if len(now.Golden) == 0 {
		return swap.Proof{}, false
	}
	then := g.Before.Golden
	if g.Known != nil {
		then = g.Known.Golden
	}
	same, changed := compareGolden(then, now.Golden)
	counts := fmt.Sprintf("%d of %d golden answers", changed, same+changed)
	switch {
	case same+changed == 0:
		return silent(kind, "no golden prompt was answered steadily both then and now"), true
	case g.Known != nil:
		return says(kind, changed == 0, either(changed == 0, "the golden answers are what they were", counts+" are not what they were")), true
	case changed > 0:
		return says(kind, true, counts+" have changed"), true
	case mayBeEqual:
		return silent(kind, "the golden answers are those of before, which in_place.golden.may_be_equal permits"), true
	}
	return says(kind, false, "all golden answers are those of before"), true
}

func says(kind swap.ProofKind, holds bool, message string) swap.Proof {
	return swap.Proof{Kind: kind, Holds: &holds, Message: message}
}

func silent(kind swap.ProofKind, message string) swap.Proof {
	return swap.Proof{Kind: kind, Message: message}
}

func either(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}
