package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/swap"
)

// handlers registers what people can ask of a run, before it first blocks.
func (v *validation) handlers(ctx workflow.Context) error {
	for _, q := range []struct {
		name, description string
		handler           any
	}{
		{swap.QueryStatus, "Where the run stands: stage, steps, weights, what a person can do next.", v.status},
		{swap.QueryPlan, "The request with every default filled in.", func() (swap.Spec, error) { return v.in.Spec, nil }},
		{swap.QueryPreview, "The verdict as far as it is known.", func() (swap.Verdict, error) { return v.verdict, nil }},
	} {
		opts := workflow.QueryHandlerOptions{Description: q.description}
		if err := workflow.SetQueryHandlerWithOptions(ctx, q.name, q.handler, opts); err != nil {
			return err
		}
	}
	for _, u := range []struct {
		name, description string
		handler           func(workflow.Context, swap.ByRequest) (swap.Answer, error)
		validate          func(swap.ByRequest) error
	}{
		{swap.UpdateApprove, "Approve the weight that the rollout waits for.", v.approve, v.canApprove},
		{swap.UpdateAbort, "Stop the run and put all traffic back to the baseline.", v.abort(swap.ReasonAborted), v.canStop},
		{swap.UpdateRollback, "Put all traffic back to the snapshot and end the run.", v.abort(swap.ReasonRolledBack), v.canStop},
		{swap.UpdateExtend, "Grant the rollout one more repetition of an inconclusive window.", v.extend, v.canExtend},
	} {
		opts := workflow.UpdateHandlerOptions{Validator: u.validate, Description: u.description}
		if err := workflow.SetUpdateHandlerWithOptions(ctx, u.name, u.handler, opts); err != nil {
			return err
		}
	}
	return nil
}

func (v *validation) status() (swap.Status, error) { return v.board.status, nil }

func (v *validation) canApprove(by swap.ByRequest) error {
	if !v.approval.awaited {
		return fmt.Errorf("nothing to approve: the run is in stage %s", v.board.status.Stage)
	}
	if by.Weight != 0 && by.Weight != v.approval.weight {
		return fmt.Errorf("the run waits for approval of %d %%, not of %d %%", v.approval.weight, by.Weight)
	}
	return nil
}

func (v *validation) approve(_ workflow.Context, by swap.ByRequest) (swap.Answer, error) {
	v.approval.granted = true
	v.log.Info("approved", "by", by.By, "weight", v.approval.weight)
	return v.answer(by, fmt.Sprintf("%d %% on the candidate approved by %s.", v.approval.weight, orUnknown(by.By)))
}

func (v *validation) canStop(swap.ByRequest) error {
	if v.verdict.Verdict != "" {
		return fmt.Errorf("too late to stop: the verdict is %s; to go back from a promoted candidate start %s",
			v.verdict.Verdict, swap.WorkflowRollbackSwap)
	}
	return nil
}

// abort ends the pipeline; going back and telling people follow. Asking twice changes nothing.
func (v *validation) abort(code string) func(workflow.Context, swap.ByRequest) (swap.Answer, error) {
	return func(ctx workflow.Context, by swap.ByRequest) (swap.Answer, error) {
		said := fmt.Sprintf("Stopping %s; traffic goes back to the baseline.", v.board.status.Stage)
		if v.stop == nil {
			v.deed(by, said)
			v.stop = &stopRequest{by: by, code: code}
			v.cancelStages()
			v.brakeAtOnce(ctx)
		}
		return swap.Answer{Message: said}, nil
	}
}

func (v *validation) canExtend(swap.ByRequest) error {
	if v.board.status.Stage != swap.StageRollout {
		return fmt.Errorf("nothing to extend: the run is in stage %s", v.board.status.Stage)
	}
	return nil
}

func (v *validation) extend(_ workflow.Context, by swap.ByRequest) (swap.Answer, error) {
	v.extensions++
	return v.answer(by, fmt.Sprintf("One more window granted by %s, %d in all.", orUnknown(by.By), v.extensions))
}

// answer tells who asks, and everybody in the run's thread.
func (v *validation) answer(by swap.ByRequest, said string) (swap.Answer, error) {
	v.deed(by, said)
	return swap.Answer{Message: said}, nil
}
