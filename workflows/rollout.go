package workflows

import (
	"encoding/json"
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/swap"
)

// passage is where a rollout stands between two windows.
type passage struct {
	// window counts windows from 1; state is the planner's.
	window int
	state  json.RawMessage
	// next is the weight of the next window, at that of the last one; 0 before the first.
	next, at int
}

// rollout moves live traffic to the candidate, window by window. Each window's activity observes and decides; this
// function only acts on the decision.
func (v *validation) rollout(ctx workflow.Context) (string, error) {
	if v.in.Spec.InPlace != nil {
		return v.promoteInPlace(ctx)
	}
	v.verdict.Rollout = &swap.RolloutResult{}
	v.hearFeedback(ctx)
	p := &passage{next: v.in.Spec.Rollout.Weights[0]}
	for {
		if end, err := v.awaitApproval(ctx, p); end != "" || err != nil {
			return end, err
		}
		window, err := v.window(ctx, p, p.next, false)
		if err != nil {
			return "", err
		}
		if end, err := v.follow(p, window); end != "" || err != nil {
			return end, err
		}
	}
}

// follow acts on the decision after a window. It says how the rollout ended; empty while it goes on.
func (v *validation) follow(p *passage, window swap.Window) (end string, err error) {
	switch d := window.Decision; d.Action {
	case swap.ActionHold, swap.ActionAdvance:
		p.next = d.Weight
		return "", nil
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
			fmt.Sprintf("window %d: unknown action %q; the workers run different versions", p.window, d.Action), "UnknownAction", nil)
	}
}

// window sets the weights and observes what they do. One that waits keeps watch at the weights as they are.
func (v *validation) window(ctx workflow.Context, p *passage, weight int, waits bool) (swap.Window, error) {
	want := swap.Weights{Baseline: 100 - weight, Candidate: weight}
	if err := v.setWeights(ctx, want); err != nil {
		return swap.Window{}, err
	}
	p.window++
	what := fmt.Sprintf("window %d: candidate at %d %%", p.window, weight)
	if waits {
		what += ", while a person is waited for"
	}
	opts := drive(what, v.in.Spec.Rollout.Window.Std())
	opts.ActivityID = fmt.Sprintf("window-%d", p.window)
	actx := workflow.WithActivityOptions(ctx, opts)
	var res swap.ObserveWindowResult
	in := swap.ObserveWindowInput{
		Spec: v.in.Spec, Facts: v.verdict.Arms, Index: p.window, Weights: want, Extensions: v.extensions, Waiting: waits, Changed: weight != p.at,
		Feedback: v.ripeFeedback(ctx), State: p.state,
	}
	v.board.scheduled(ctx, opts.ActivityID, fmt.Sprintf("window %d", p.window))
	err := workflow.ExecuteActivity(actx, swap.ActivityObserveWindow, in).Get(actx, &res)
	v.board.released(ctx)
	if err != nil {
		return swap.Window{}, err
	}
	p.state, p.at, res.Window.Waiting = res.State, weight, waits
	v.keep(res.Window)
	v.closeFeedback(res.Window)
	v.sawWeights(res.Window.ReadBack)
	v.board.window(ctx, res.Window)
	if v.braked {
		// The observer may have taken the run's own brake for somebody else's: such a window decides nothing.
		return res.Window, workflow.ErrCanceled
	}
	return res.Window, nil
}

// keep adds a window to the verdict. Of the windows of a wait that had nothing to say, the last one stands for all: a wait may last
// for days.
func (v *validation) keep(w swap.Window) {
	r := v.verdict.Rollout
	if w.Waiting {
		r.Watched++
	}
	if last := len(r.Windows) - 1; last >= 0 && w.Waiting && r.Windows[last].Waiting {
		r.Windows[last] = w
		return
	}
	r.Windows = append(r.Windows, w)
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
