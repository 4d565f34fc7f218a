package main

import (
	"errors"
	"fmt"

	"go.temporal.io/sdk/temporal"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/starter/internal/control"
)

// verdictOf turns the way in which a validation closed into a verdict, so that a pipeline always gets a document. An
// error that says nothing of the run itself is returned as it is.
func verdictOf(target string, v swap.Verdict, err error) (swap.Verdict, error) {
	var closed *control.ClosedError
	switch {
	case err == nil:
		return v, nil
	case !errors.As(err, &closed):
		return v, err
	}
	var failure *temporal.ApplicationError
	if errors.As(closed.Err, &failure) && failure.HasDetails() {
		var measured swap.Verdict
		if failure.Details(&measured) == nil && measured.Verdict != "" {
			return measured, nil
		}
	}
	return closedVerdict(target, closed, failure), nil
}

// closedVerdict is the verdict of a run that left none.
func closedVerdict(target string, closed *control.ClosedError, failure *temporal.ApplicationError) swap.Verdict {
	e := closed.Execution
	v := swap.Verdict{
		SchemaVersion: swap.VerdictSchemaVersion,
		Verdict:       swap.Errored,
		Target:        target,
		Gates:         []swap.GateResult{},
		Steps:         []swap.StepResult{},
		Provenance:    swap.Provenance{WorkflowID: e.WorkflowID, RunID: e.RunID, Started: e.Started},
	}
	if e.Closed != nil {
		v.Provenance.Ended = *e.Closed
	}
	reason := swap.Reason{Code: swap.ReasonCouldNotMeasure, Subject: e.WorkflowID}
	switch e.State {
	case control.Canceled:
		v.Verdict, reason.Code = swap.Aborted, swap.ReasonCancelled
		reason.Message = "The workflow was cancelled."
	case control.Terminated, control.TimedOut:
		reason.Message = fmt.Sprintf("The workflow %s, so no rollback ran: put the traffic back with `swapgate rollback %s`.",
			map[control.State]string{control.Terminated: "was terminated", control.TimedOut: "timed out"}[e.State], target)
	case control.Running, control.Completed, control.Failed, control.Continued:
		reason.Message = failureMessage(closed.Err, failure)
	}
	v.Summary = reason.Message
	v.Reasons = []swap.Reason{reason}
	return v
}

func failureMessage(err error, failure *temporal.ApplicationError) string {
	if failure == nil {
		return err.Error()
	}
	if failure.Type() == "" {
		return failure.Message()
	}
	return failure.Type() + ": " + failure.Message()
}
