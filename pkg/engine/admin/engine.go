package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// pollEvery is the pause between two looks at an engine.
	pollEvery = 250 * time.Millisecond
	// proofPatience is how long the proof is awaited of an engine that replies when it is done, or that failed.
	proofPatience = 15 * time.Second
)

// Options say which engine is steered, and how its models are told apart.
type Options struct {
	Method swap.InPlaceMethod
	// URL is the base of the admin interface; Token is sent as a bearer token, and empty sends none.
	URL, Token  string
	AllowUnsafe bool
	// Timeout bounds a swap.
	Timeout time.Duration
	// Ask asks a model the golden prompts; nil for none.
	Ask Ask
	// MayBeEqual says that both models may give the same answers.
	MayBeEqual bool
	// Served, if set, is called when the new model is proven and before the old one goes, which waits for it: clients ask for the
	// new name from here on.
	Served func(context.Context, swap.InPlaceModel)
	// HTTP has no time limit of its own: a swap may take minutes.
	HTTP *http.Client

	// poll and patience are pollEvery and proofPatience, but in tests.
	poll, patience time.Duration
}

// Engine is the admin side of one inference server.
type Engine struct {
	opt     Options
	adapter adapter
}

// Open returns the admin side of a server. It asks nobody. It fails with ErrUnsafe for a method that was not permitted.
func Open(o Options) (*Engine, error) {
	if o.HTTP == nil {
		o.HTTP = &http.Client{}
	}
	if o.poll == 0 {
		o.poll, o.patience = pollEvery, proofPatience
	}
	adapter, err := newAdapter(o.Method, api{base: strings.TrimRight(o.URL, "/"), token: o.Token, http: o.HTTP, poll: o.poll})
	if err != nil {
		return nil, err
	}
	if adapter.capabilities().Unsafe && !o.AllowUnsafe {
		return nil, fmt.Errorf("%w: %s can leave the engine answering with garbage when it fails half-way, and its own documentation "+
			"keeps it from production; set in_place.allow_unsafe, or use another method", ErrUnsafe, o.Method)
	}
	return &Engine{opt: o, adapter: adapter}, nil
}

// Capabilities says what the method can do. It asks nobody.
func (e *Engine) Capabilities() Capabilities { return e.adapter.capabilities() }

// State returns what identifies a model that is served now: what a swap is proven against, and what Back restores. It fails with
// ErrNotProven if the engine does not serve the model.
func (e *Engine) State(ctx context.Context, m swap.InPlaceModel) (swap.EngineState, error) {
	s, err := e.adapter.look(ctx, m)
	if err != nil {
		return swap.EngineState{}, err
	}
	if !s.ready {
		return swap.EngineState{}, fmt.Errorf("%w: the engine at %s does not serve %s; correct the model, or load it",
			ErrNotProven, e.opt.URL, label(m))
	}
	return e.observe(ctx, m)
}

// Goal is a model that should be served.
type Goal struct {
	Model swap.InPlaceModel
	// Before is what was served before the first try. The weights and answers of the new model are expected to differ from its.
	Before swap.EngineState
	// Known is what identified Model when it was served earlier; nil if it never was. It must be the same again.
	Known *swap.EngineState
}

// Swap makes the engine serve the goal and proves it. It does nothing where the goal is proven already, so it may be repeated after
// any failure. When it fails, the engine may serve either model, or none.
func (e *Engine) Swap(ctx context.Context, g Goal) (swap.ModelSwap, error) {
	bounded, cancel := context.WithTimeout(ctx, e.opt.Timeout)
	defer cancel()
	done := swap.ModelSwap{From: g.Before.Model, Asked: time.Now().UTC()}
	seen, err := e.prove(bounded, g)
	if err != nil && !errors.Is(err, ErrUnreachable) {
		return done, e.ended(ctx, err)
	}
	// An engine that cannot answer for what it serves is told all the same: that may be what is wrong with it.
	if !seen.proven {
		done.Changed = true
		if seen, err = e.change(bounded, g, &done); err != nil {
			return done, e.ended(ctx, err)
		}
	}
	done.State, done.Proofs, done.Served = seen.state, seen.proofs, time.Now().UTC()
	if e.opt.Served != nil {
		e.opt.Served(bounded, g.Model)
	}
	err = e.retire(bounded, g)
	done.Done = time.Now().UTC()
	return done, e.ended(ctx, err)
}

// Back makes the engine serve what it served when the snapshot was taken, and proves that it is the same. leaving is the model that
// may be served instead. It is told again even where the engine says that it has gone back by itself.
func (e *Engine) Back(ctx context.Context, snapshot swap.EngineState, leaving swap.InPlaceModel) (swap.ModelSwap, error) {
	return e.Swap(ctx, Goal{Model: snapshot.Model, Before: swap.EngineState{Model: leaving}, Known: &snapshot})
}

// ended is err, or the reason for which ctx ended.
func (*Engine) ended(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return err
}

// change tells the engine, and waits for the proof. A call that broke off may have been carried out.
func (e *Engine) change(ctx context.Context, g Goal, done *swap.ModelSwap) (sighting, error) {
	done.Asked = time.Now().UTC()
	told := e.adapter.change(ctx, g.Model)
	done.Answered = time.Now().UTC()
	if told != nil && (!errors.Is(told, ErrUnreachable) || errors.Is(told, errUnfinished)) {
		return sighting{}, fmt.Errorf("swap to %s: %w", label(g.Model), told)
	}
	waiting := ctx
	if finished := told == nil && !e.Capabilities().RepliesEarly || statusOf(told) != 0; finished {
		short, cancel := context.WithTimeout(ctx, e.opt.patience)
		defer cancel()
		waiting = short
	}
	seen, err := e.await(waiting, g)
	if err != nil {
		err = fmt.Errorf("swap to %s: %w", label(g.Model), errors.Join(told, err))
	}
	return seen, err
}

// await looks until the goal is proven or ctx ends.
func (e *Engine) await(ctx context.Context, g Goal) (sighting, error) {
	began := time.Now()
	var last sighting
	var trouble error
	for {
		seen, err := e.prove(ctx, g)
		switch {
		case err == nil && seen.proven:
			return seen, nil
		case err == nil && seen.failed != "":
			return seen, fmt.Errorf("%w: the engine could not load it: %s; look for the cause in the engine's log", ErrNotProven, seen.failed)
		case err != nil && !errors.Is(err, ErrUnreachable):
			return seen, err
		case err == nil:
			last, trouble = seen, nil
		case ctx.Err() == nil || last.proofs == nil: // not because the time is over
			trouble = err
		}
		if pause(ctx, e.opt.poll) != nil {
			break
		}
	}
	waited := time.Since(began).Round(100 * time.Millisecond)
	if trouble != nil {
		return last, fmt.Errorf("no proof within %s: %w", waited, trouble)
	}
	return last, fmt.Errorf("%w within %s: %s; restore the model of before", ErrNotProven, waited, last)
}

// retire takes what was served before out of service, where the engine holds both.
func (e *Engine) retire(ctx context.Context, g Goal) error {
	from := g.Before.Model
	if !e.Capabilities().SideBySide || from == g.Model {
		return nil
	}
	for told := false; ; {
		s, err := e.adapter.look(ctx, from)
		if err != nil {
			return fmt.Errorf("%s is served, and whether %s has left cannot be told: %w", label(g.Model), label(from), err)
		}
		if !s.ready && !s.loading {
			return nil
		}
		if !told {
			leaves, err := e.adapter.release(ctx, from, g.Model)
			if err != nil || !leaves {
				return err
			}
			told = true
			continue
		}
		if pause(ctx, e.opt.poll) != nil {
			return fmt.Errorf("%w: %s is served, but %s does not leave; unload it by hand", ErrNotProven, label(g.Model), label(from))
		}
	}
}

// label names a model for people.
func label(m swap.InPlaceModel) string {
	text := m.Name
	if m.Path != "" && m.Path != m.Name {
		text += " from " + m.Path
	}
	if m.Version != "" {
		text += " version " + m.Version
	}
	return text
}
