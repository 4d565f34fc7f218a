package activities

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"

	"github.com/swapgate/swapgate/pkg/swap"
)

// CheckIdle looks whether a validation of the target runs, or another watch that was started by hand.
func (a *Activities) CheckIdle(ctx context.Context, in swap.CheckIdleInput) (swap.CheckIdleResult, error) {
	own := activity.GetInfo(ctx).WorkflowExecution.ID
	for _, id := range []string{swap.ValidateWorkflowID(in.Target), swap.WatchWorkflowID(in.Target)} {
		if id == own {
			continue
		}
		if running, err := a.Running(ctx, id); err != nil || running {
			return swap.CheckIdleResult{Busy: id}, err
		}
	}
	return swap.CheckIdleResult{}, nil
}

// workflowRuns asks Temporal.
func workflowRuns(ctx context.Context, workflowID string) (bool, error) {
	d, err := activity.GetClient(ctx).DescribeWorkflow(ctx, workflowID, "")
	var none *serviceerror.NotFound
	if errors.As(err, &none) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("describe workflow %s: %w", workflowID, err)
	}
	return d.Status == enums.WORKFLOW_EXECUTION_STATUS_RUNNING, nil
}
