package activities

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/baseline/drift"
	"github.com/swapgate/swapgate/pkg/baseline/registry"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// mostHistory bounds how many registered baselines, and how many watches, are looked at.
const mostHistory = 100

// entries are the registered baselines of the model with the same workload and load, newest first.
func (w *watch) entries(ctx context.Context) ([]registry.Registered, error) {
	all, err := registry.List(ctx, w.store, w.in.Spec.Target, mostHistory)
	if err != nil {
		return nil, err
	}
	var mine []registry.Registered
	for _, e := range all {
		if e.Serving.Model == w.in.Facts.Model && e.Source.WorkSHA256 == w.found.WorkSHA256 {
			mine = append(mine, e)
		}
	}
	if len(mine) == 0 {
		w.reason(swap.ReasonNoBaseline, "baseline", fmt.Sprintf("No baseline of %s with this workload and load is registered for %s "+
			"(%d versions of others are): a validation that passes registers one.", w.in.Facts.Model, w.in.Spec.Target, len(all)))
	}
	return mine, nil
}

// baseline is the oldest measurement of what serves now, since it serves: a slow decline must not move its own yardstick. Where
// the engine was changed without a validation, it is the newest of the model, and that is said.
func (w *watch) baseline(entries []registry.Registered) *registry.Registered {
	if len(entries) == 0 {
		return nil
	}
	oldest := -1
	for i, e := range entries {
		if !serves(e.Serving, w.in.Facts) {
			break
		}
		oldest = i
	}
	if oldest < 0 {
		s := entries[0].Serving
		w.find(swap.Notable, "engine", fmt.Sprintf("The baseline was measured on %s %s, and %s %s serves now: a change of the engine is part of "+
			"what is compared.", s.Engine, s.EngineVersion, w.in.Facts.Engine, w.in.Facts.Version), "Validate the new engine to register it.")
		oldest = 0
	}
	e := entries[oldest]
	w.found.Baseline = &swap.WatchBaselineRef{
		Version: e.Version, Measured: e.Source.Started, RunID: e.Source.RunID, Model: e.Serving.Model, Ref: e.Ref,
	}
	return &e
}

// serves says whether the entry is of the same model on the same engine. A fingerprint that one side lacks is no difference.
func serves(s registry.Serving, f swap.ArmFacts) bool {
	sameBuild := s.Fingerprint == "" || f.Fingerprint == "" || s.Fingerprint == f.Fingerprint
	return s.Model == f.Model && s.Engine == f.Engine && s.EngineVersion == f.Version && sameBuild
}

// history is what earlier runs measured of the model.
type history struct {
	entries []registry.Registered
	watches []swap.WatchResult
}

// history reads the newest watches of the target that asked the same of the same model.
func (w *watch) history(ctx context.Context, entries []registry.Registered) (history, error) {
	h := history{entries: entries}
	keys, err := w.store.List(ctx, runstore.WatchesPrefix(w.in.Spec.Target))
	if err != nil {
		return h, err
	}
	for _, key := range keys[max(0, len(keys)-mostHistory):] {
		r, _, err := runstore.GetKeyJSON[swap.WatchResult](ctx, w.store, key)
		if err != nil {
			return h, err
		}
		if r.WorkSHA256 == w.found.WorkSHA256 && r.Facts.Model == w.in.Facts.Model && r.Provenance.RunID != w.runID {
			h.watches = append(h.watches, r)
		}
	}
	return h, nil
}

// of are the levels of a gate's statistic in the order of time.
func (h history) of(g swap.Gate) []drift.Run {
	var runs []drift.Run
	for _, e := range h.entries {
		if v, deviation, ok := drift.LevelIn(g, e.Levels); ok {
			runs = append(runs, drift.Run{At: e.Source.Started, RunID: e.Source.RunID, Value: v, Error: deviation})
		}
	}
	for _, r := range h.watches {
		for _, m := range r.Metrics {
			if v, has := m.Now.Get(); has && m.Name == g.Name() && m.Gate.Unit == g.Unit {
				runs = append(runs, drift.Run{
					At: r.Provenance.Started, RunID: r.Provenance.RunID, Value: v, Error: m.NowError.Or(math.NaN()),
				})
			}
		}
	}
	slices.SortStableFunc(runs, func(a, b drift.Run) int { return a.At.Compare(b.At) })
	return runs
}

// changes looks for changes of level over all runs, this one included.
func (w *watch) changes(g swap.Gate, before []drift.Run, levels []registry.Level) error {
	if g.Unit == swap.Absolute {
		return nil // a rate of failures that is mostly 0 has no ratio
	}
	runs := slices.Clone(before)
	if v, deviation, ok := drift.LevelIn(g, levels); ok {
		runs = append(runs, drift.Run{At: w.now.started, RunID: w.runID, Value: v, Error: deviation})
	}
	found, err := drift.Changes(g.Name(), runs, w.in.Spec.Watch.Notify, w.in.Spec.Judge.Seed)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		last := found[len(found)-1]
		w.find(swap.Notable, last.Name, last.Message+".", "Look at what was changed on the service at that time: run "+last.RunID+".")
	}
	w.found.Changes = append(w.found.Changes, found...)
	return nil
}
