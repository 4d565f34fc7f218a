package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/swap"
)

// inPlace is what is known of the one server of a swap in place.
type inPlace struct {
	// known is what identifies each arm. From the moment that the baseline's is set, every end of the run restores it.
	known swap.PerArm[*swap.EngineState]
	swaps int
}

// inspect records what is served, which is what going back goes back to.
func (v *validation) inspect(ctx workflow.Context) error {
	if v.in.Spec.InPlace == nil {
		return nil
	}
	var before swap.EngineState
	ctx = workflow.WithActivityOptions(ctx, probe("what is served, and what identifies it"))
	in := swap.InspectModelInput{Spec: v.in.Spec, Facts: v.verdict.Arms.Baseline}
	if err := workflow.ExecuteActivity(ctx, swap.ActivityInspectModel, in).Get(ctx, &before); err != nil {
		return err
	}
	v.inPlace.known.Baseline = &before
	v.verdict.InPlace = &swap.InPlaceResult{Before: before, Swaps: []swap.ModelSwapResult{}, Final: before}
	return nil
}

// warmUpInPlace warms the baseline, and swaps under load: there and back as often as asked. The candidate is warmed up when it is
// served for the first time, after what clients see of its cold start was measured.
func (v *validation) warmUpInPlace(ctx workflow.Context) (string, error) {
	var both swap.PerArm[swap.WarmUpResult]
	if err := v.warmUpArm(ctx, swap.Baseline, &both); err != nil {
		return "", err
	}
	for range v.in.Spec.InPlace.Swaps {
		if err := v.swapModel(ctx, swap.Candidate); err != nil {
			return "", err
		}
		if v.verdict.WarmUp == nil {
			if err := v.warmUpArm(ctx, swap.Candidate, &both); err != nil {
				return "", err
			}
			v.verdict.WarmUp = &both
		}
		if err := v.swapModel(ctx, swap.Baseline); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d swaps under load; %s", v.inPlace.swaps, hotAndCold(both)), nil
}

// swapModel swaps under load, and keeps what identifies the arm that is served now.
func (v *validation) swapModel(ctx workflow.Context, arm swap.Arm) error {
	plan := v.in.Spec.InPlace
	v.inPlace.swaps++
	planned := v.in.Spec.Load.Settle.Std() + 2*plan.Observe.Std() + plan.Timeout.Std()
	opts := drive(fmt.Sprintf("swap %d: to the %s, under load", v.inPlace.swaps, arm), planned)
	opts.ActivityID = fmt.Sprintf("swap-%d", v.inPlace.swaps)
	actx := workflow.WithActivityOptions(ctx, opts)
	in := swap.ModelSwapInput{Spec: v.in.Spec, Facts: v.verdict.Arms.Baseline, Arm: arm, Index: v.inPlace.swaps, Known: v.inPlace.known}
	v.board.scheduled(ctx, opts.ActivityID, fmt.Sprintf("swap %d to the %s", v.inPlace.swaps, arm))
	var done swap.ModelSwapResult
	err := workflow.ExecuteActivity(actx, swap.ActivitySwapModel, in).Get(actx, &done)
	v.board.released(ctx)
	if err != nil {
		return err
	}
	if *v.inPlace.known.Ptr(arm) == nil {
		state := done.Swap.State
		*v.inPlace.known.Ptr(arm) = &state
	}
	v.verdict.Findings = append(v.verdict.Findings, done.Findings...)
	v.verdict.InPlace.Swaps = append(v.verdict.InPlace.Swaps, done)
	v.verdict.InPlace.Final = done.Swap.State
	return nil
}

// moves says whether a pass changes what serves.
func (v *validation) moves() bool {
	return v.in.Spec.Rollout != nil || v.in.Spec.InPlace != nil && v.in.Spec.InPlace.Promote
}

// swapTime is how long the swaps between the blocks of some steps may take.
func (v *validation) swapTime(steps ...swap.Step) time.Duration {
	var d time.Duration
	if v.in.Spec.InPlace == nil {
		return d
	}
	load := v.in.Spec.Load
	for _, s := range steps {
		blocks := int(load.LongestStep(s) / max(1, load.Block.Std()+load.Settle.Std()))
		d += time.Duration(blocks) * v.in.Spec.InPlace.Timeout.Std()
	}
	return d
}

// promoteInPlace leaves the candidate serving after a pass, where that was asked for.
func (v *validation) promoteInPlace(ctx workflow.Context) (string, error) {
	if err := v.swapModel(ctx, swap.Candidate); err != nil {
		return "", err
	}
	return "the candidate serves", nil
}

// restoreModel makes the server serve what it served when the run began, unless the run promoted. It retries without limit.
func (v *validation) restoreModel(ctx workflow.Context) error {
	before := v.inPlace.known.Baseline
	if before == nil || v.verdict.Verdict == swap.Pass && v.in.Spec.InPlace.Promote {
		return nil
	}
	v.board.begin(ctx, swap.StageRollback)
	in := swap.RestoreModelInput{Spec: v.in.Spec, Facts: v.verdict.Arms.Baseline, Snapshot: *before}
	done, err := restoreModel(ctx, in, v.alarmStuck)
	if err != nil {
		v.board.end(ctx, swap.StageRollback, stateFailed, shortError(err))
		return err
	}
	v.verdict.InPlace.Final = done.State
	note := "the baseline was still served"
	if done.Changed {
		note = "the baseline serves again"
	}
	v.board.end(ctx, swap.StageRollback, stateDone, note)
	return nil
}

// restoreModel retries without limit and calls alarm once if that takes long.
func restoreModel(ctx workflow.Context, in swap.RestoreModelInput, alarm func(workflow.Context)) (swap.ModelSwap, error) {
	opts := restore("the model of before: " + in.Snapshot.Model.Name)
	opts.StartToCloseTimeout += in.Spec.InPlace.Timeout.Std() + in.Spec.InPlace.Timeout.Std()/4
	opts.HeartbeatTimeout = heartbeat
	actx := workflow.WithActivityOptions(ctx, opts)
	var done swap.ModelSwap
	err := getWithAlarm(ctx, workflow.ExecuteActivity(actx, swap.ActivityRestoreModel, in), &done, alarm)
	if err != nil {
		return done, temporal.NewNonRetryableApplicationError(
			"rollback failed: "+shortError(err)+"; load the model by hand", "RollbackFailed", nil)
	}
	return done, nil
}
