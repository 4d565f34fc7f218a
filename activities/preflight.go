package activities

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Preflight finds out, before anything is changed, whether the run can be measured and undone: both arms answer and are
// the models they are said to be, the store can be written, the gateway can be read, the telemetry answers, and the plan
// gives enough samples for its gates.
func (a *Activities) Preflight(ctx context.Context, in swap.PreflightInput) (swap.PreflightResult, error) {
	result := swap.PreflightResult{Version: a.Version}
	var unanswered []swap.Finding
	group, gctx := errgroup.WithContext(ctx)
	for _, arm := range swap.Arms {
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
	group.Go(func() error {
		unanswered = a.trySources(gctx, in.Spec.Telemetry)
		return nil
	})
	if err := group.Wait(); err != nil {
		return swap.PreflightResult{}, err
	}
	result.PlannedBlocks, result.PlannedRequests = planned(in.Spec)
	result.Findings = append(preflightFindings(in.Spec, result), unanswered...)
	return result, nil
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

// planned is the number of blocks per arm, and of requests per arm where the schedule fixes it.
func planned(spec swap.Spec) (blocks, requests int) {
	for _, s := range spec.Load.Steps {
		blocks += spec.Load.BlocksPerArm(s)
		requests += int(s.Rate * s.Hold.Seconds())
	}
	return blocks, requests
}
