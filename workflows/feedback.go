package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/rollout/feedback"
	"github.com/swapgate/swapgate/pkg/swap"
)

// hearFeedback takes up what the application reports while the rollout runs, where the plan asks for it.
func (v *validation) hearFeedback(ctx workflow.Context) {
	plan := v.in.Spec.Rollout.Feedback
	if plan == nil {
		return
	}
	v.feedback = &feedback.Ledger{Grace: plan.Grace.Std()}
	workflow.Go(ctx, func(ctx workflow.Context) {
		batches := workflow.GetSignalChannel(ctx, swap.SignalFeedback)
		for {
			var b swap.FeedbackBatch
			if !batches.Receive(ctx, &b) {
				return
			}
			v.feedback.Take(b)
		}
	})
}

// ripeFeedback is of windows whose events are all there now. It stands in the verdict at its window, and goes to the next one's
// decision.
func (v *validation) ripeFeedback(ctx workflow.Context) []swap.WindowFeedback {
	if v.feedback == nil {
		return nil
	}
	ripe := v.feedback.Ripe(workflow.Now(ctx))
	for _, f := range ripe {
		for i := range v.verdict.Rollout.Windows {
			if w := &v.verdict.Rollout.Windows[i]; w.Index == f.Index {
				for _, arm := range swap.Arms {
					w.Arms.Ptr(arm).Conversion, w.Arms.Ptr(arm).Quality = f.Conversion.Get(arm), f.Quality.Get(arm)
				}
			}
		}
	}
	counts := v.feedback.Counts
	v.verdict.Rollout.Feedback = &counts
	return ripe
}

// closeFeedback says to the ledger that a window has ended.
func (v *validation) closeFeedback(w swap.Window) {
	if v.feedback != nil {
		v.feedback.Close(w)
	}
}
