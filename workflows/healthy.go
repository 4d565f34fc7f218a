package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/swap"
)

// changeHealthy marks the runs that say beside their snapshot that they passed. Runs that began with older workers do not.
const changeHealthy = "mark-snapshot-healthy"

// markHealthy makes the snapshot of a passing run one of those that are kept longest. It cannot change the verdict: what fails
// here is noted and passed over.
func (v *validation) markHealthy(ctx workflow.Context) {
	if v.verdict.Verdict != swap.Pass || v.verdict.Snapshot == nil {
		return
	}
	if workflow.GetVersion(ctx, changeHealthy, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return
	}
	actx := workflow.WithActivityOptions(ctx, quick("the snapshot is of a run that passed"))
	in := swap.MarkHealthyInput{
		Target: v.in.Spec.Target, Store: v.in.Spec.Store, Keep: v.in.Spec.Snapshots.Keep, Snapshot: *v.verdict.Snapshot,
		Health: swap.SnapshotHealth{
			VerdictID: v.verdict.Provenance.RunID, Verdict: v.verdict.Verdict, Decided: v.verdict.Provenance.Ended, Decay: v.lastDecay(),
		},
	}
	if err := workflow.ExecuteActivity(actx, swap.ActivityMarkHealthy, in).Get(actx, nil); err != nil {
		v.note("snapshot", "It could not be marked healthy: "+shortError(err),
			"It can be restored all the same, and is removed sooner than a healthy one.")
	}
}

// lastDecay is the coefficient after the last window that had one.
func (v *validation) lastDecay() swap.Value {
	last := swap.Absent()
	if v.verdict.Rollout != nil {
		for i := range v.verdict.Rollout.Windows {
			if d := v.verdict.Rollout.Windows[i].Decay; d != nil {
				last = swap.Of(d.Coefficient)
			}
		}
	}
	return last
}
