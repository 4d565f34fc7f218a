package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/swap"
)

// stuckAfter is how long a rollback may take before people are alarmed. It goes on regardless.
const stuckAfter = time.Minute

// goBack restores the snapshot unless the run promoted. It runs after every other end, whether or not anything was
// changed: restoring is a no-op then, and its read-back is the proof that the baseline has all traffic.
func (v *validation) goBack(ctx workflow.Context) error {
	if v.verdict.Snapshot == nil || v.in.Spec.Rollout == nil || v.verdict.Verdict == swap.Pass {
		return nil
	}
	v.board.begin(ctx, swap.StageRollback)
	if v.verdict.Rollout != nil && !v.braked {
		v.brake(ctx)
	}
	restored, err := restoreSnapshot(ctx, swap.RestoreSnapshotInput{
		Target: v.in.Spec.Target, Store: v.in.Spec.Store, Snapshot: v.verdict.Snapshot, Fallback: &v.in.Spec.Rollout.Route,
	}, v.alarmStuck)
	if err != nil {
		v.board.end(ctx, swap.StageRollback, stateFailed, shortError(err))
		return err
	}
	note := "nothing to put back"
	if w := restored.Weights; w != nil {
		v.sawWeights(*w)
		note = fmt.Sprintf("read back: baseline %d %%, candidate %d %%", w.Baseline, w.Candidate)
	}
	v.board.end(ctx, swap.StageRollback, stateDone, note)
	return nil
}

// changeBrakeAtOnce is the version from which traffic is set back before the stages have stopped.
const changeBrakeAtOnce = "brake-at-once"

// brakeAtOnce sets traffic back while the stages are still being stopped: an observer of live traffic learns of a cancel with its
// next heartbeat only. It does nothing for a run that has decided, or that moved no traffic.
func (v *validation) brakeAtOnce(ctx workflow.Context) {
	if v.verdict.Rollout == nil || v.verdict.Verdict != "" || v.braked {
		return
	}
	if workflow.GetVersion(ctx, changeBrakeAtOnce, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return
	}
	v.braked = true
	closing, done := workflow.NewDisconnectedContext(ctx)
	defer done()
	v.brake(closing)
}

// brake sets traffic back at once, without waiting for a worker to pick up a task; the restore after it does the rest
// and proves it. Its failure changes nothing: the restore follows anyway.
func (v *validation) brake(ctx workflow.Context) {
	lctx := workflow.WithLocalActivityOptions(ctx, brake())
	in := swap.SetWeightsInput{Route: v.in.Spec.Rollout.Route, Weights: swap.AllBaseline}
	if err := workflow.ExecuteLocalActivity(lctx, swap.ActivitySetWeights, in).Get(lctx, nil); err != nil {
		v.log.Warn("brake failed; the restore follows", "error", err)
	}
}

// alarmStuck tells people that a rollback does not get through.
func (v *validation) alarmStuck(ctx workflow.Context) {
	v.board.stuck(ctx)
	// The outcome is noted by notifyWith; the rollback goes on either way.
	_ = v.notifyWith(ctx, fmt.Sprintf("Rollback of %s has not got through for %s. It is being retried; look at the gateway.",
		v.in.Spec.Target, stuckAfter))
}

// restoreSnapshot retries without limit and calls alarm once if that takes long. Its error holds no cancellation in its
// chain: the server would show a failed rollback as a calmly cancelled run.
func restoreSnapshot(ctx workflow.Context, in swap.RestoreSnapshotInput, alarm func(workflow.Context)) (swap.Restored, error) {
	actx := workflow.WithActivityOptions(ctx, restore("snapshot "+snapshotLabel(in)))
	var restored swap.Restored
	err := getWithAlarm(ctx, workflow.ExecuteActivity(actx, swap.ActivityRestoreSnapshot, in), &restored, alarm)
	if err != nil {
		return restored, temporal.NewNonRetryableApplicationError(
			"rollback failed: "+shortError(err)+"; set the weights by hand", "RollbackFailed", nil)
	}
	return restored, nil
}

// getWithAlarm waits for the future; if it takes longer than stuckAfter, alarm is called once and the wait goes on.
func getWithAlarm(ctx workflow.Context, f workflow.Future, out any, alarm func(workflow.Context)) error {
	timerCtx, cancel := workflow.WithCancel(ctx)
	defer cancel()
	timer := workflow.NewTimerWithOptions(timerCtx, stuckAfter, workflow.TimerOptions{Summary: "alarm if the rollback is stuck"})
	workflow.NewSelector(ctx).
		AddFuture(f, func(workflow.Future) {}).
		AddFuture(timer, func(workflow.Future) {
			alarm(ctx)
		}).Select(ctx)
	return f.Get(ctx, out)
}

func snapshotLabel(in swap.RestoreSnapshotInput) string {
	switch {
	case in.Snapshot != nil && in.Snapshot.SHA256 != "":
		return shortSHA(in.Snapshot.SHA256)
	case in.Snapshot != nil:
		return in.Snapshot.URI
	case in.SnapshotID != "":
		return shortSHA(in.SnapshotID)
	}
	return "newest"
}
