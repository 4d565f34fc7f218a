package activities

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/swapgate/swapgate/pkg/baseline/registry"
	"github.com/swapgate/swapgate/pkg/baseline/sizeclass"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// past is what earlier runs of a target left that a comparison is to be seen beside.
type past struct {
	// latest is the newest entry of the same workload and load; nil where there is none.
	latest *registry.Registered
	// sizes gathers what the limits by size are about; nil where the target has a history of its own.
	mu    sync.Mutex
	sizes *sizeclass.Meter
	// problem is why the history could not be read.
	problem error
}

// readPast looks the target up. A history that cannot be read leaves the comparison of this run's own arms as it is.
func readPast(ctx context.Context, store registry.Store, spec swap.Spec) *past {
	_, err := registry.Latest(ctx, store, spec.Target, registry.Query{})
	switch {
	case errors.Is(err, registry.ErrNone):
		return &past{sizes: &sizeclass.Meter{}}
	case err != nil:
		return &past{problem: err}
	}
	hash, err := registry.WorkHash(spec)
	if err != nil {
		return &past{problem: err}
	}
	latest, err := registry.Latest(ctx, store, spec.Target, registry.Query{WorkSHA256: hash})
	switch {
	case errors.Is(err, registry.ErrNone):
		return &past{}
	case err != nil:
		return &past{problem: err}
	}
	return &past{latest: &latest}
}

// add takes records of both arms. It is safe for concurrent use.
func (p *past) add(records []rawlog.Record) {
	if p.sizes != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.sizes.Add(records)
	}
}

// apply adds to a comparison what the history says.
func (p *past) apply(ctx context.Context, store *runstore.Store, in swap.CompareInput, e evidence, c *swap.Comparison) error {
	switch {
	case p.problem != nil:
		c.Findings = append(c.Findings, swap.Finding{
			Severity: swap.Notable, Subject: "baseline",
			Message: "The history of the target could not be read, so only this run's own arms were compared: " + p.problem.Error(),
			Next:    "Look at registry/" + in.Spec.Target + "/ in the store.",
		})
	case p.latest != nil:
		refuseCreep(*p.latest, in, c)
	case p.sizes != nil:
		return p.bySize(ctx, store, in, e, c)
	}
	return nil
}

// refuseCreep fails a comparison that would pass by itself where it is one step too many: each of the runs since the reference
// stayed inside a gate's margin, and all of them together are proven not to.
func refuseCreep(latest registry.Registered, in swap.CompareInput, c *swap.Comparison) {
	if c.Decision != swap.Pass {
		return
	}
	var reasons []swap.Reason
	for _, s := range latest.Chained(identity(in.Facts.Baseline), c.Gates) {
		if s.Runs < 2 || !s.BeyondMargin() {
			continue
		}
		reasons = append(reasons, swap.Reason{
			Code: swap.ReasonAddsUp, Subject: s.Gate.Name(), Message: fmt.Sprintf(
				"against version %d of the baseline it is %s: each run stayed inside the margin, together they do not; "+
					"swapgate baseline accept %s takes the present state as the new reference",
				latest.Counting().Version, s, in.Spec.Target),
		})
	}
	if len(reasons) > 0 {
		c.Decision, c.Reasons = swap.Fail, append(reasons, c.Reasons...)
	}
}

// bySize holds both arms against the limits of their size.
func (p *past) bySize(ctx context.Context, store *runstore.Store, in swap.CompareInput, e evidence, c *swap.Comparison) error {
	rules, err := sizeclass.Compile(in.Spec.ModelSizes)
	if err != nil {
		return invalidRequest("%w", err)
	}
	if err := e.eachFailure(ctx, store, p.sizes.AddFailures); err != nil {
		return err
	}
	labels := make([]string, len(in.Spec.Load.Steps))
	for i, s := range in.Spec.Load.Steps {
		labels[i] = s.Label()
	}
	for _, arm := range swap.Arms {
		facts := in.Facts.Get(arm)
		facts.Model = endpoint(in.Spec, arm).Model
		if size, ok := sizeclass.OfServer(facts, rules); ok {
			c.Findings = append(c.Findings, p.sizes.Findings(arm, facts.Model, size, labels)...)
		}
	}
	return nil
}

// eachFailure gives add the records of the blocks in which something failed, with the texts of errors.
func (e evidence) eachFailure(ctx context.Context, store *runstore.Store, add func([]rawlog.Record)) error {
	for _, manifest := range e.manifests {
		for _, block := range manifest.Blocks {
			if block.Outcomes.Failed() == 0 {
				continue
			}
			err := runstore.EachRecord(ctx, store, block, func(rows []rawlog.Record) error {
				add(rows)
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
