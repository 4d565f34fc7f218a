package workflows

import (
	"encoding/json"
	"fmt"
	"slices"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/swap"
)

// approval is what is known about a person's consent to the next weight.
type approval struct {
	awaited bool
	weight  int
	granted bool
	// asked counts how often somebody was asked.
	asked int
}

// rollout moves live traffic to the candidate, window by window. Each window's activity observes and decides; this
// function only acts on the decision.
func (v *validation) rollout(ctx workflow.Context) (string, error) {
	plan := v.in.Spec.Rollout
	v.verdict.Rollout = &swap.RolloutResult{}
	weight := plan.Weights[0]
	var state json.RawMessage
	for index := 1; ; index++ {
		if done, err := v.awaitApproval(ctx, weight); done || err != nil {
			return "not approved", err
		}
		window, next, err := v.window(ctx, index, weight, state)
		if err != nil {
			return "", err
		}
		state = next
		switch d := window.Decision; d.Action {
		case swap.ActionHold, swap.ActionAdvance:
			weight = d.Weight
		case swap.ActionPromote:
			return fmt.Sprintf("candidate at %d %%", window.ReadBack.Candidate), nil
		case swap.ActionRollback:
			v.decide(swap.Fail, d.Reason...)
			return "rolled back", nil
		case swap.ActionStop:
			v.decide(swap.Inconclusive, d.Reason...)
			return "stopped", nil
		default:
			return "", temporal.NewNonRetryableApplicationError(
				fmt.Sprintf("window %d: unknown action %q; the workers run different versions", index, d.Action), "UnknownAction", nil)
		}
	}
}

// window sets the weights and observes what they do.
func (v *validation) window(ctx workflow.Context, index, weight int, state json.RawMessage) (swap.Window, json.RawMessage, error) {
	want := swap.Weights{Baseline: 100 - weight, Candidate: weight}
	if err := v.setWeights(ctx, want); err != nil {
		return swap.Window{}, nil, err
	}
	opts := drive(fmt.Sprintf("window %d: candidate at %d %%", index, weight), v.in.Spec.Rollout.Window.Std())
	opts.ActivityID = fmt.Sprintf("window-%d", index)
	actx := workflow.WithActivityOptions(ctx, opts)
	var res swap.ObserveWindowResult
	in := swap.ObserveWindowInput{
		Spec: v.in.Spec, Facts: v.verdict.Arms, Index: index, Weights: want, Extensions: v.extensions, State: state,
	}
	v.board.scheduled(ctx, opts.ActivityID, fmt.Sprintf("window %d", index))
	err := workflow.ExecuteActivity(actx, swap.ActivityObserveWindow, in).Get(actx, &res)
	v.board.released(ctx)
	if err != nil {
		return swap.Window{}, nil, err
	}
	v.verdict.Rollout.Windows = append(v.verdict.Rollout.Windows, res.Window)
	v.sawWeights(res.Window.ReadBack)
	v.board.status.Windows = index
	v.board.show(ctx)
	return res.Window, res.State, nil
}

func (v *validation) setWeights(ctx workflow.Context, want swap.Weights) error {
	if now := v.verdict.FinalWeights; now != nil && *now == want {
		return nil
	}
	actx := workflow.WithActivityOptions(ctx, quick(fmt.Sprintf("candidate %d %%", want.Candidate)))
	var got swap.Restored
	in := swap.SetWeightsInput{Route: v.in.Spec.Rollout.Route, Weights: want}
	if err := workflow.ExecuteActivity(actx, swap.ActivitySetWeights, in).Get(actx, &got); err != nil {
		return err
	}
	if got.Weights != nil {
		v.sawWeights(*got.Weights)
	}
	return nil
}

// sawWeights keeps the last read-back of the gateway.
func (v *validation) sawWeights(w swap.Weights) {
	v.verdict.FinalWeights = &w
	v.board.status.Weights = &w
	if v.verdict.Rollout != nil {
		v.verdict.Rollout.Final = w
	}
}

// awaitApproval waits for a person where the plan asks for one. It reports done when nobody approved in time.
func (v *validation) awaitApproval(ctx workflow.Context, weight int) (done bool, err error) {
	plan := v.in.Spec.Rollout
	if !slices.Contains(plan.ApproveAt, weight) || (v.approval.granted && v.approval.weight == weight) {
		return false, nil
	}
	v.approval = approval{awaited: true, weight: weight, asked: v.approval.asked + 1}
	v.board.wait(ctx, fmt.Sprintf("Approve %d %% of traffic on the candidate (update `approve`), or `abort`.", weight))
	ok, err := workflow.AwaitWithTimeout(ctx, plan.ApproveTimeout.Std(), func() bool { return v.approval.granted })
	v.approval.awaited = false
	v.board.wait(ctx, "")
	if err != nil {
		return false, err
	}
	if !ok {
		v.decide(swap.Inconclusive, swap.Reason{
			Code: swap.ReasonNotApproved, Subject: "rollout",
			Message: fmt.Sprintf("Nobody approved %d %% of traffic within %s.", weight, plan.ApproveTimeout),
		})
	}
	return !ok, nil
}
