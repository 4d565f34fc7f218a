package workflows

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestReportsReachTheDecisionAfterTheirGrace(t *testing.T) {
	f, in := newFakes(), request()
	in.Spec.Rollout.Feedback = &swap.Feedback{Grace: swap.Duration(time.Minute), ConversionMargin: .01, QualityMargin: .01}
	in.Spec.Rollout.ApproveAt = []int{50}
	env := start(t, f)
	usual := f.observe
	var told []swap.WindowFeedback
	var first swap.Window
	f.observe = func(in swap.ObserveWindowInput) (swap.ObserveWindowResult, error) {
		res, err := usual(in)
		res.Window.Started, res.Window.Ended = env.Now().Add(-time.Minute), env.Now()
		if in.Index == 1 {
			first = res.Window
		}
		if in.Waiting {
			res.Window.Decision = swap.WindowDecision{Action: swap.ActionHold, Weight: 50}
		}
		told = append(told, in.Feedback...)
		return res, err
	}
	batch := func(id string) swap.FeedbackBatch {
		return swap.FeedbackBatch{ID: id, Sums: []swap.FeedbackSum{
			{Arm: swap.Candidate, Kind: swap.FeedbackConversion, Time: first.Started.Add(10 * time.Second), N: 10, Sum: 3},
		}}
	}
	for i, id := range []string{"a", "b", "a"} {
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(swap.SignalFeedback, batch(id)) }, time.Duration(i+1)*time.Second)
	}
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(swap.SignalFeedback, batch("late")) }, 10*time.Minute)
	update(t, swap.UpdateApprove, 20*time.Minute)(env)
	env.ExecuteWorkflow(ValidateSwap, in)

	v := verdictOf(t, env)
	require.Equal(t, swap.Pass, v.Verdict)
	require.Len(t, told, 1)
	require.Equal(t, 1, told[0].Index)
	require.Equal(t, swap.Tally{N: 20, Mean: swap.Of(.3)}, told[0].Conversion.Candidate)
	require.Equal(t, told[0].Conversion.Candidate, v.Rollout.Windows[0].Arms.Candidate.Conversion)
	require.Equal(t, swap.FeedbackCounts{Counted: 20, Duplicates: 10, Late: 10}, *v.Rollout.Feedback)
}
