package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/swapgate/swapgate/pkg/notify/desk"
	"github.com/swapgate/swapgate/pkg/swap"
)

// queryTimeout bounds a query. Without a worker a query waits until its deadline.
const queryTimeout = 5 * time.Second

// slackRuns asks runs for a desk.
type slackRuns struct{ client client.Client }

// Run asks the run itself for its specification: the history holds it, whoever started the run.
func (r slackRuns) Run(ctx context.Context, workflowID, runID string) (desk.Run, error) {
	ctx, done := context.WithTimeout(ctx, queryTimeout)
	defer done()
	d, err := r.client.DescribeWorkflow(ctx, workflowID, runID)
	if err != nil {
		return desk.Run{}, noRun(err)
	}
	info := d.RawResponse.GetWorkflowExecutionInfo()
	if info.GetType().GetName() != swap.WorkflowValidateSwap {
		return desk.Run{}, fmt.Errorf("workflow %s is a %s: %w", workflowID, info.GetType().GetName(), desk.ErrNoRun)
	}
	answer, err := r.client.QueryWorkflow(ctx, workflowID, runID, swap.QueryPlan)
	if err != nil {
		return desk.Run{}, noRun(err)
	}
	run := desk.Run{Running: info.GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_RUNNING}
	if err := answer.Get(&run.Spec); err != nil {
		return desk.Run{}, fmt.Errorf("answer to query %s of %s: %w", swap.QueryPlan, workflowID, err)
	}
	return run, nil
}

// Update asks the run of this very id: a later one of the same target has another.
func (r slackRuns) Update(ctx context.Context, u desk.Update) (swap.Answer, error) {
	var answer swap.Answer
	h, err := r.client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: u.WorkflowID, RunID: u.RunID, UpdateID: u.ID, UpdateName: u.Name, Args: []any{u.By},
		WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err == nil {
		err = h.Get(ctx, &answer)
	}
	var refused *temporal.ApplicationError
	if errors.As(err, &refused) {
		return answer, &desk.RefusedError{Sentence: refused.Message()}
	}
	return answer, noRun(err)
}

// noRun names the error of a run that has ended, or that Temporal does not know any more.
func noRun(err error) error {
	var missing *serviceerror.NotFound
	var invalid *serviceerror.InvalidArgument // an id that none has
	if errors.As(err, &missing) || errors.As(err, &invalid) {
		return fmt.Errorf("%w: %w", desk.ErrNoRun, err)
	}
	return err
}
