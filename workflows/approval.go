package workflows

import (
	"fmt"
	"slices"
	"time"

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

// changeWatchWhileWaiting is the version from which the guard watches while a person is waited for.
const changeWatchWhileWaiting = "watch-while-waiting"

// awaitApproval waits for a person where the plan asks for one. It says how the rollout ended; empty when it goes on.
func (v *validation) awaitApproval(ctx workflow.Context, p *passage) (end string, err error) {
	plan := v.in.Spec.Rollout
	if !slices.Contains(plan.ApproveAt, p.next) || (v.approval.granted && v.approval.weight == p.next) {
		return "", nil
	}
	v.approval = approval{awaited: true, weight: p.next, asked: v.approval.asked + 1}
	v.board.wait(ctx, fmt.Sprintf("Approve %d %% of traffic on the candidate (update `approve`), or `abort`.", p.next))
	end, err = v.waitWatching(ctx, p, plan.ApproveTimeout.Std())
	v.approval.awaited = false
	v.board.wait(ctx, "")
	if err != nil || end != "" || v.approval.granted {
		return end, err
	}
	v.decide(swap.Inconclusive, swap.Reason{
		Code: swap.ReasonNotApproved, Subject: "rollout",
		Message: fmt.Sprintf("Nobody approved %d %% of traffic within %s.", p.next, plan.ApproveTimeout),
	})
	return "not approved", nil
}

// waitWatching waits until somebody approves or the time is over, and lets the guard look at short windows meanwhile. It says how
// the rollout ended where the guard fired. While the candidate has no traffic there is nothing to look at.
func (v *validation) waitWatching(ctx workflow.Context, p *passage, timeout time.Duration) (end string, err error) {
	granted := func() bool { return v.approval.granted }
	if p.at == 0 || workflow.GetVersion(ctx, changeWatchWhileWaiting, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		_, err := workflow.AwaitWithTimeout(ctx, timeout, granted)
		return "", err
	}
	began := workflow.Now(ctx)
	for {
		waited := workflow.Now(ctx).Sub(began)
		if _, err := workflow.AwaitWithTimeout(ctx, min(pause(waited, timeout), timeout-waited), granted); err != nil {
			return "", err
		}
		if granted() || workflow.Now(ctx).Sub(began) >= timeout {
			return "", nil
		}
		window, err := v.window(ctx, p, p.at, true)
		if err != nil {
			return "", err
		}
		if window.Decision.Action == swap.ActionRollback {
			return v.follow(p, window)
		}
	}
}

// pause is the time until the next look while a person is waited for: a twentieth of the time waited so far, so that a fault of a fresh
// change is seen soon, and at most a six-hundredth of the whole wait, so that waiting for a month takes some hundred looks and not
// thousands. A look is about sixteen events of the history, of which there may be 51,200.
func pause(waited, timeout time.Duration) time.Duration {
	const (
		shortest = 5 * time.Second
		longest  = time.Minute
	)
	return min(max(waited/20, shortest), max(longest, timeout/600))
}
