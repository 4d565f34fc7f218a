package activities

import (
	"context"
	"fmt"

	"github.com/swapgate/swapgate/pkg/baseline/registry"
	"github.com/swapgate/swapgate/pkg/baseline/sizeclass"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// RegisterBaseline gives what a passing run measured a place in the history of its target. Registering it again changes
// nothing.
func (a *Activities) RegisterBaseline(ctx context.Context, in swap.RegisterBaselineInput) (swap.RegisteredBaseline, error) {
	if in.Verdict.Verdict != swap.Pass {
		return swap.RegisteredBaseline{}, invalidRequest("only what passed becomes a baseline, and this run ended %s", in.Verdict.Verdict)
	}
	store, err := a.OpenStore(in.Spec.Store)
	if err != nil {
		return swap.RegisteredBaseline{}, err
	}
	defer store.Close()
	draft, err := a.draft(ctx, store, in)
	if err != nil {
		return swap.RegisteredBaseline{}, err
	}
	entry, err := registry.Register(ctx, store, draft)
	if err != nil {
		return swap.RegisteredBaseline{}, err
	}
	result := swap.RegisteredBaseline{
		Version: entry.Version, Entry: entry.Ref, Arm: entry.Source.Arm, Reference: entry.Counting().Version, Why: entry.Why,
	}
	for _, s := range entry.Creep() {
		result.Findings = append(result.Findings, swap.Finding{
			Severity: swap.Notable, Subject: "baseline",
			Message: fmt.Sprintf("Against version %d of the baseline: %s. Each run stayed inside its margin; together they do not.",
				result.Reference, s),
			Next: "Look at the runs since then with swapgate baseline list " + in.Spec.Target + ".",
		})
	}
	return result, nil
}

// draft measures both arms from the raw records.
func (a *Activities) draft(ctx context.Context, store *runstore.Store, in swap.RegisterBaselineInput) (registry.Draft, error) {
	v := in.Verdict
	source := registry.Source{
		RunID: runKey(ctx, in.Spec.Target).RunID, WorkflowID: v.Provenance.WorkflowID,
		Verdict:  runstore.VerdictKey(runKey(ctx, in.Spec.Target)),
		Promoted: v.Promoted(), Started: v.Provenance.Started, Ended: v.Provenance.Ended,
		SpecSHA256: v.Provenance.SpecSHA256, EvidenceSHA256: v.Provenance.EvidenceSHA256,
		Recorded: a.Now().UTC(), Version: a.Version,
	}
	for _, s := range v.Steps {
		source.Manifests = append(source.Manifests, s.Manifest)
	}
	var err error
	if source.WorkSHA256, err = registry.WorkHash(in.Spec); err != nil {
		return registry.Draft{}, err
	}
	e, err := readEvidence(ctx, store, source.Manifests)
	if err != nil {
		return registry.Draft{}, err
	}
	draft := registry.Draft{Target: in.Spec.Target, Source: source, Gates: v.Gates}
	for _, arm := range swap.Arms {
		measured := registry.Measured{}
		if measured.Serving, err = serving(v.Arms.Get(arm), in.Spec.ModelSizes); err != nil {
			return registry.Draft{}, err
		}
		if arm == swap.Baseline || source.Promoted {
			meter := registry.NewMeter(e.manifests, arm)
			if err := e.eachRecord(ctx, store, meter.Add, arm); err != nil {
				return registry.Draft{}, err
			}
			measured.Levels = meter.Levels()
		}
		*draft.Arms.Ptr(arm) = measured
	}
	return draft, nil
}

// serving is a server as the registry knows it.
func serving(f swap.ArmFacts, sizes []swap.ModelSize) (registry.Serving, error) {
	s := identity(f)
	rules, err := sizeclass.Compile(sizes)
	if err != nil {
		return s, invalidRequest("%w", err)
	}
	if size, ok := sizeclass.OfServer(f, rules); ok {
		s.Billions, s.Class = swap.Of(size.Total), sizeclass.ClassOf(size.Total).Name
	}
	return s, nil
}

// identity is what tells one server from another of the same target.
func identity(f swap.ArmFacts) registry.Serving {
	return registry.Serving{Model: f.Model, Engine: f.Engine, EngineVersion: f.Version, Fingerprint: f.Fingerprint}
}
