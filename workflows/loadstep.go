package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/swap"
)

// step drives one load step on as many load workers as share it. Shard 0 conducts the others and has the result. When one
// fails for good, or the conductor is done, the others are cancelled; none of them drives load any more when step returns.
func (v *validation) step(ctx workflow.Context, number int) (swap.StepResult, error) {
	result, err := v.driveStep(ctx, number)
	v.board.released(ctx)
	return result, err
}

func (v *validation) driveStep(ctx workflow.Context, number int) (swap.StepResult, error) {
	var result swap.StepResult
	if v.in.Spec.Load.Shards <= 1 {
		err := v.shard(ctx, number, 0).Get(ctx, &result)
		return result, err
	}
	shared, cancel := workflow.WithCancel(ctx)
	defer cancel()
	ended := workflow.NewSelector(ctx)
	var failure error
	conducted := false
	for shard := range v.in.Spec.Load.Shards {
		ended.AddFuture(v.shard(shared, number, shard), func(f workflow.Future) {
			var of swap.StepResult
			err := f.Get(ctx, &of)
			switch {
			case conducted || failure != nil: // the step is decided, and this one was told to stop
			case err != nil:
				failure = err
				cancel()
			case shard == 0:
				result, conducted = of, true
				cancel()
			}
		})
	}
	for range v.in.Spec.Load.Shards {
		ended.Select(ctx)
	}
	return result, failure
}

// shard starts one load worker's part of a step.
func (v *validation) shard(ctx workflow.Context, number, shard int) workflow.Future {
	load := v.in.Spec.Load
	spec := load.Steps[number-1]
	summary := fmt.Sprintf("step %d/%d: %s, %d blocks per arm", number, len(load.Steps), spec.Label(), load.BlocksPerArm(spec))
	id := fmt.Sprintf("load-step-%d", number)
	if load.Shards > 1 {
		summary += fmt.Sprintf("; load worker %d of %d", shard+1, load.Shards)
		switch shard {
		case 0:
			summary += ", conducts"
		default:
			id += fmt.Sprintf("-shard-%d", shard)
		}
	}
	opts := drive(summary, load.LongestStep(spec)+v.swapTime(spec))
	opts.ActivityID = id
	v.board.scheduled(ctx, id, fmt.Sprintf("step %d/%d", number, len(load.Steps)))
	in := swap.LoadStepInput{Spec: v.in.Spec, Step: number, Shard: shard, Facts: v.verdict.Arms, Known: v.inPlace.known}
	if warm := v.verdict.WarmUp; warm != nil {
		in.TPOTms = swap.PerArm[swap.Value]{Baseline: warm.Baseline.HotTPOTms, Candidate: warm.Candidate.HotTPOTms}
	}
	return workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, opts), swap.ActivityLoadStep, in)
}
