package activities

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/swapgate/swapgate/pkg/config"
	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/workload/inputs"
)

// Preflight finds out, before anything is changed, whether the run can be measured and undone: both arms answer and are
// the models they are said to be, the store can be written, the gateway can be read, the telemetry answers, the files of the
// load can be used, every step fits the engines, and the plan gives enough samples for its gates.
func (a *Activities) Preflight(ctx context.Context, in swap.PreflightInput) (swap.PreflightResult, error) {
	result := swap.PreflightResult{Version: a.Version}
	var unanswered, blocked []swap.Finding
	var files inputs.Files
	group, gctx := errgroup.WithContext(ctx)
	for _, arm := range armsUp(in.Spec) {
		group.Go(func() (err error) {
			*result.Arms.Ptr(arm), err = a.probe(gctx, in.Spec, arm)
			return err
		})
	}
	group.Go(func() error { return a.checkStore(gctx, in.Spec.Store) })
	group.Go(func() (err error) {
		result.Weights, err = a.readRoute(gctx, in.Spec.Rollout)
		return err
	})
	group.Go(func() (err error) {
		blocked, err = a.checkBlock(gctx, in.Spec)
		return err
	})
	group.Go(func() error {
		unanswered = a.trySources(gctx, in.Spec.Telemetry)
		return nil
	})
	group.Go(func() error {
		files = inputs.Read(in.Spec)
		return nil
	})
	if err := group.Wait(); err != nil {
		return swap.PreflightResult{}, err
	}
	if in.Spec.InPlace != nil {
		result.Arms.Candidate = result.Arms.Baseline
		result.Arms.Candidate.Model = in.Spec.Candidate.Model
	}
	estimate := config.Estimate(in.Spec)
	result.PlannedBlocks = estimate.BlocksPerArm
	if n, known := estimate.RequestsPerArm.Get(); known {
		result.PlannedRequests = swap.Of(n)
	}
	compared := compatibility(in.Spec, files, result.Arms)
	result.Compatibility = &compared
	result.Findings = slices.Concat(
		compatFindings(compared), preflightFindings(in.Spec, result), planFindings(in.Spec, estimate), fileFindings(in.Spec, files),
		withoutCompared(contextFindings(in.Spec, files, result.Arms), compared), a.tryKVShares(ctx, in.Spec, result.Arms), unanswered, blocked,
	)
	slices.SortStableFunc(result.Findings, blockingFirst)
	return result, nil
}

// armsUp are the arms that can be asked before anything is changed. In place the candidate is not served yet: what is known of its
// server is known of the baseline's.
func armsUp(spec swap.Spec) []swap.Arm {
	if spec.InPlace != nil {
		return []swap.Arm{swap.Baseline}
	}
	return swap.Arms[:]
}

func (a *Activities) probe(ctx context.Context, spec swap.Spec, arm swap.Arm) (swap.ArmFacts, error) {
	t, err := target(endpoint(spec, arm))
	if err != nil {
		return swap.ArmFacts{}, fmt.Errorf("%s: %w", arm, err)
	}
	facts, err := engine.Probe(ctx, a.HTTP, t, spec.Workload.API)
	if err != nil {
		return swap.ArmFacts{}, fmt.Errorf("%s: %w", arm, err)
	}
	return facts, nil
}

func (a *Activities) checkStore(ctx context.Context, cfg swap.Store) error {
	store, err := a.OpenStore(cfg)
	if err != nil {
		return err
	}
	defer store.Close()
	return store.Check(ctx)
}

func (a *Activities) readRoute(ctx context.Context, plan *swap.Rollout) (*swap.Weights, error) {
	if plan == nil {
		return nil, nil
	}
	route, err := a.OpenRoute(plan.Route)
	if err != nil {
		return nil, err
	}
	state, err := route.Read(ctx)
	if err != nil {
		return nil, err
	}
	if state.Pending != "" {
		return nil, fmt.Errorf("%w: %s", traffic.ErrNotApplied, state.Pending)
	}
	if r, rehearses := route.(traffic.Rehearser); rehearses {
		if err := r.Rehearse(ctx); err != nil {
			return nil, err
		}
	}
	return &state.Weights, nil
}

// trySources samples each further source that is read over HTTP once.
func (a *Activities) trySources(ctx context.Context, t swap.Telemetry) []swap.Finding {
	var findings []swap.Finding
	for _, src := range t.Sources {
		if src.Kind != swap.SourceDCGM {
			continue
		}
		if _, err := a.exporter(src).Sample(ctx); err != nil {
			severity := swap.Notable
			if src.Required {
				severity = swap.Blocking
			}
			findings = append(findings, swap.Finding{
				Severity: severity, Subject: "telemetry " + src.URL,
				Message: fmt.Sprintf("The source does not answer: %v.", err),
				Next:    "Correct its URL, start the exporter, or leave the source out.",
			})
		}
	}
	return findings
}

func blockingFirst(a, b swap.Finding) int {
	rank := map[swap.Severity]int{swap.Blocking: 1}
	return rank[b.Severity] - rank[a.Severity]
}

// tryKVShares turns each share of the KV cache into requests in flight, as its step will do it.
func (a *Activities) tryKVShares(ctx context.Context, spec swap.Spec, facts swap.PerArm[swap.ArmFacts]) []swap.Finding {
	for i, step := range spec.Load.Steps {
		if step.KVShare == 0 {
			continue
		}
		prompts, err := stepPrompts(spec.Workload, step)
		if err == nil {
			in := swap.LoadStepInput{Spec: spec, Facts: facts, Step: i + 1}
			_, err = a.settleConcurrency(ctx, in, step, prompts.Spec())
		}
		if err != nil {
			return []swap.Finding{{
				Severity: swap.Blocking, Subject: stepName(i, step),
				Message: fmt.Sprintf("Its kv_share cannot be turned into requests in flight: %v.", err),
				Next:    "Make the engines' metrics readable from the workers, or write concurrency instead of kv_share.",
			}}
		}
	}
	return nil
}
