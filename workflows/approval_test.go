package workflows

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// watching answers windows that wait with a quiet hold, the last of them with a rollback if fires says so.
func watching(f *fakes, fires func(in swap.ObserveWindowInput) bool) *[]swap.ObserveWindowInput {
	var waited []swap.ObserveWindowInput
	usual := f.observe
	f.observe = func(in swap.ObserveWindowInput) (swap.ObserveWindowResult, error) {
		res, err := usual(in)
		if !in.Waiting {
			return res, err
		}
		waited = append(waited, in)
		res.Window.Decision = swap.WindowDecision{Action: swap.ActionHold, Weight: 50}
		if fires(in) {
			reason := swap.Reason{Code: swap.ReasonGuardLatency, Message: "slower"}
			res.Window.Decision = swap.WindowDecision{Action: swap.ActionRollback, Reason: []swap.Reason{reason}}
		}
		return res, err
	}
	return &waited
}

func TestTheGuardRollsBackWhileAPersonIsWaitedFor(t *testing.T) {
	f, in := newFakes(), request()
	in.Spec.Rollout.ApproveAt = []int{50}
	waited := watching(f, func(w swap.ObserveWindowInput) bool { return w.Index == 30 })
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, in)

	v := verdictOf(t, env)
	require.Equal(t, swap.Fail, v.Verdict)
	require.Equal(t, swap.ReasonGuardLatency, v.Reasons[0].Code)
	require.Equal(t, swap.AllBaseline, *v.FinalWeights)
	require.Equal(t, 1, f.count(swap.ActivityRestoreSnapshot))
	require.Len(t, *waited, 29)
	for _, w := range *waited {
		require.Equal(t, 1, w.Weights.Candidate, "at the weight that was approved")
		require.False(t, w.Changed)
	}
}

func TestAnApprovalMayTakeDays(t *testing.T) {
	f, in := newFakes(), request()
	in.Spec.Rollout.ApproveAt = []int{50}
	in.Spec.Rollout.ApproveTimeout = swap.Duration(4 * 24 * time.Hour)
	waited := watching(f, func(swap.ObserveWindowInput) bool { return false })
	env := start(t, f)
	update(t, swap.UpdateApprove, 3*24*time.Hour)(env)
	env.ExecuteWorkflow(ValidateSwap, in)

	v := verdictOf(t, env)
	require.Equal(t, swap.Pass, v.Verdict)
	require.Len(t, v.Rollout.Windows, 4, "three weights, and one window for all that waited")
	require.Equal(t, len(*waited), v.Rollout.Watched)
	require.True(t, v.Rollout.Windows[1].Waiting)
	require.InDelta(t, 600, len(*waited), 200)
}

func TestBeforeTheFirstWeightThereIsNothingToWatch(t *testing.T) {
	f, in := newFakes(), request()
	in.Spec.Rollout.ApproveAt = []int{1}
	waited := watching(f, func(swap.ObserveWindowInput) bool { return true })
	env := start(t, f)
	update(t, swap.UpdateApprove, 10*time.Minute)(env)
	env.ExecuteWorkflow(ValidateSwap, in)
	require.Equal(t, swap.Pass, verdictOf(t, env).Verdict)
	require.Empty(t, *waited)
}

func TestOnlyTheFirstWindowOfAWeightFollowsAChange(t *testing.T) {
	f := newFakes()
	usual := f.observe
	var changed []bool
	f.observe = func(in swap.ObserveWindowInput) (swap.ObserveWindowResult, error) {
		changed = append(changed, in.Changed)
		res, err := usual(in)
		if in.Index == 1 {
			res.Window.Decision = swap.WindowDecision{Action: swap.ActionHold, Weight: 1}
		}
		return res, err
	}
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, request())
	require.Equal(t, swap.Pass, verdictOf(t, env).Verdict)
	require.Equal(t, []bool{true, false, true, true}, changed)
}

// A look is about sixteen events with its window, timer and workflow tasks; a history ends at 51,200.
func TestWaitsOfAnyLengthFitAHistory(t *testing.T) {
	for _, c := range []struct {
		timeout time.Duration
		most    int
		longest time.Duration
	}{
		{time.Hour, 100, time.Minute},
		{24 * time.Hour, 600, 3 * time.Minute},
		{30 * 24 * time.Hour, 800, 73 * time.Minute},
	} {
		looks, waited, longest := 0, time.Duration(0), time.Duration(0)
		for waited < c.timeout {
			p := pause(waited, c.timeout)
			longest = max(longest, p)
			waited += p + time.Minute
			looks++
		}
		require.LessOrEqual(t, looks, c.most, c.timeout)
		require.LessOrEqual(t, longest, c.longest, c.timeout)
		require.Less(t, 16*looks, 51_200/3, c.timeout)
	}
}
