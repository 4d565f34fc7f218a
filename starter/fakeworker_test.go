package main

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/swap"
)

// The label of a request that tells the fake workflow what to do.
const (
	doLabel = "do"
	doWait  = "wait"
	doBreak = "break"
	doError = "error"
)

// fakeValidation stands in for ValidateSwap: it returns the decision that the label names, waits for an update, or fails.
func fakeValidation(ctx workflow.Context, in swap.Request) (swap.Verdict, error) {
	status := swap.Status{
		Target: in.Spec.Target, Stage: swap.StageLoad, Started: workflow.Now(ctx), Steps: 4,
		Stages: []swap.StageState{{Stage: swap.StageLoad, State: "running"}},
	}
	verdict := swap.Verdict{
		SchemaVersion: swap.VerdictSchemaVersion, Target: in.Spec.Target, Summary: "as told", Stage: swap.StageLoad,
		Provenance:   swap.Provenance{RequestedBy: in.RequestedBy, SpecSHA256: in.SpecSHA256, Labels: in.Labels},
		FinalWeights: &swap.Weights{Baseline: 100},
	}
	var stopped bool
	stop := func(_ workflow.Context, by swap.ByRequest) (swap.Answer, error) {
		stopped = true
		return swap.Answer{Message: "Stopping, asked by " + by.By + ": " + by.Reason}, nil
	}
	err := errors.Join(
		workflow.SetQueryHandler(ctx, swap.QueryStatus, func() (swap.Status, error) { return status, nil }),
		workflow.SetUpdateHandler(ctx, swap.UpdateAbort, stop),
		workflow.SetUpdateHandler(ctx, swap.UpdateRollback, stop),
		workflow.SetUpdateHandlerWithOptions(ctx, swap.UpdateApprove, stop, workflow.UpdateHandlerOptions{
			Validator: func(swap.ByRequest) error { return errors.New("nothing to approve: the run is in stage load") },
		}),
	)
	if err != nil {
		return verdict, err
	}
	switch do := in.Labels[doLabel]; do {
	case doBreak:
		return verdict, temporal.NewNonRetryableApplicationError("connection refused 5/5 times", "EngineUnreachable", nil)
	case doError:
		verdict.Verdict = swap.Errored
		return verdict, temporal.NewNonRetryableApplicationError("could not measure", "CouldNotMeasure", nil, verdict)
	case doWait:
		verdict.Verdict = swap.Aborted
		return verdict, workflow.Await(ctx, func() bool { return stopped && workflow.AllHandlersFinished(ctx) })
	default:
		verdict.Verdict = swap.Decision(do)
		return verdict, nil
	}
}

func fakeRollback(_ workflow.Context, in swap.RollbackRequest) (swap.RollbackResult, error) {
	if in.Store.Bucket != "runs" {
		return swap.RollbackResult{}, temporal.NewNonRetryableApplicationError("no bucket "+in.Store.Bucket, "RunStoreUnavailable", nil)
	}
	return swap.RollbackResult{Restored: swap.Restored{Weights: &swap.Weights{Baseline: 100}}}, nil
}

// fakeWatch returns the response that the specification's name for the model tells, or fails.
func fakeWatch(ctx workflow.Context, in swap.Request) (swap.WatchResult, error) {
	status := swap.Status{Target: in.Spec.Target, Stage: swap.StageLoad, Started: workflow.Now(ctx), Steps: 4}
	err := workflow.SetQueryHandler(ctx, swap.QueryStatus, func() (swap.Status, error) { return status, nil })
	if err != nil {
		return swap.WatchResult{}, err
	}
	response := swap.DriftResponse(in.Spec.Baseline.Model)
	if response == doBreak {
		failure := temporal.NewNonRetryableApplicationError("break on chat could not be watched: refused", "EngineUnreachable", nil)
		return swap.WatchResult{}, failure
	}
	if response == doWait {
		return swap.WatchResult{}, workflow.Await(ctx, func() bool { return false })
	}
	return swap.WatchResult{
		SchemaVersion: swap.WatchSchemaVersion, Target: in.Spec.Target, Response: response, Summary: "as told",
		Baseline:   &swap.WatchBaselineRef{Version: 3, RunID: "an-earlier-run"},
		Metrics:    []swap.DriftMetric{{Name: "ttft_p99", Response: response, Message: "ttft_p99 is 1.0 % worse"}},
		Reasons:    []swap.Reason{},
		Steps:      []swap.StepResult{},
		Provenance: swap.Provenance{RequestedBy: in.RequestedBy, SpecSHA256: in.SpecSHA256},
	}, nil
}

// startFakeWorker polls both queues until the test ends.
func startFakeWorker(t *testing.T, c client.Client) {
	t.Helper()
	idle := func(context.Context) error { return nil }
	for _, queue := range []string{swap.QueueControl, swap.QueueLoad} {
		w := worker.New(c, queue, worker.Options{WorkerStopTimeout: time.Second})
		w.RegisterWorkflowWithOptions(fakeValidation, workflow.RegisterOptions{Name: swap.WorkflowValidateSwap})
		w.RegisterWorkflowWithOptions(fakeRollback, workflow.RegisterOptions{Name: swap.WorkflowRollbackSwap})
		w.RegisterWorkflowWithOptions(fakeWatch, workflow.RegisterOptions{Name: swap.WorkflowWatchBaseline})
		w.RegisterActivityWithOptions(idle, activity.RegisterOptions{Name: "Idle"})
		require.NoError(t, w.Start())
		t.Cleanup(w.Stop)
	}
}
