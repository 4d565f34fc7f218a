package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/swap"
)

// RollbackSwap puts a target's traffic back to a snapshot, for a person or when a validation was terminated. It retries
// until it got through and returns what the gateway then said.
func RollbackSwap(ctx workflow.Context, in swap.RollbackRequest) (swap.RollbackResult, error) {
	log := workflow.GetLogger(ctx)
	log.Info("rolling back", "target", in.Target, "requested_by", in.RequestedBy)
	ask := swap.RestoreSnapshotInput{Target: in.Target, Store: in.Store, Snapshot: in.Snapshot, SnapshotID: in.SnapshotID}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("Putting **%s** back to snapshot %s, asked by %s: %s",
		cell(in.Target), cell(snapshotLabel(ask)), cell(orUnknown(in.RequestedBy)), cell(orUnknown(in.Reason))))
	alarm := func(ctx workflow.Context) {
		workflow.SetCurrentDetails(ctx, fmt.Sprintf("The rollback of **%s** does not get through; it is being retried. Look at the gateway.",
			cell(in.Target)))
	}
	restored, err := restoreSnapshot(ctx, ask, alarm)
	if err != nil {
		return swap.RollbackResult{}, err
	}
	if restored.Weights != nil {
		workflow.SetCurrentDetails(ctx, fmt.Sprintf("**%s** is back: baseline %d %%, candidate %d %%, read back from the gateway.",
			cell(in.Target), restored.Weights.Baseline, restored.Weights.Candidate))
	}
	if restored.InPlace == nil {
		return swap.RollbackResult{Restored: restored}, nil
	}
	model, err := restoreModel(ctx, *restored.InPlace, alarm)
	if err != nil {
		return swap.RollbackResult{}, err
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("**%s** is back: the server serves %s, and that is proven.",
		cell(in.Target), cell(model.State.Model.Name)))
	return swap.RollbackResult{Restored: restored, Model: &model}, nil
}
