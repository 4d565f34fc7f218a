package control

import (
	"context"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Report hands what the application reports to the run, which must be running.
func (r *Run) Report(ctx context.Context, b swap.FeedbackBatch) error {
	if err := r.attended(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, updateTimeout)
	defer cancel()
	if err := r.c.sdk.SignalWorkflow(ctx, r.WorkflowID, r.RunID(), swap.SignalFeedback, b); err != nil {
		return r.c.unreachable(err)
	}
	return nil
}
