package workflows

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/swapgate/swapgate/pkg/swap"
)

func update(t *testing.T, name string, after time.Duration) func(*testsuite.TestWorkflowEnvironment) {
	t.Helper()
	return func(env *testsuite.TestWorkflowEnvironment) {
		env.RegisterDelayedCallback(func() {
			env.UpdateWorkflowNoRejection(name, name+after.String(), t, swap.ByRequest{By: "ann", Reason: "testing"})
		}, after)
	}
}

func TestCancelGoesBackAndClosesAsCancelled(t *testing.T) {
	f, in := newFakes(), request()
	in.Spec.Rollout.ApproveAt = []int{50}
	env := start(t, f)
	env.RegisterDelayedCallback(env.CancelWorkflow, 10*time.Minute)
	env.ExecuteWorkflow(ValidateSwap, in)

	require.True(t, env.IsWorkflowCompleted())
	require.True(t, temporal.IsCanceledError(env.GetWorkflowError()))
	require.Equal(t, 1, f.count(swap.ActivityRestoreSnapshot))
	require.Equal(t, 1, f.count(swap.ActivityPublishReport))
}

func TestCancelAfterTheDecisionChangesNothing(t *testing.T) {
	f := newFakes()
	env := start(t, f)
	f.publish = func(swap.PublishReportInput) (swap.Artifacts, error) {
		env.CancelWorkflow()
		return swap.Artifacts{Verdict: &ref}, nil
	}
	env.ExecuteWorkflow(ValidateSwap, request())

	v := verdictOf(t, env)
	require.Equal(t, swap.Pass, v.Verdict)
	require.Zero(t, f.count(swap.ActivityRestoreSnapshot))
}

func TestCancelInTheLastWindowGoesBack(t *testing.T) {
	f := newFakes()
	env := start(t, f)
	f.observe = func(in swap.ObserveWindowInput) (swap.ObserveWindowResult, error) {
		if in.Weights.Candidate == 100 {
			env.CancelWorkflow()
		}
		return swap.ObserveWindowResult{Window: swap.Window{
			Index: in.Index, Weights: in.Weights, ReadBack: in.Weights, Decision: advance(in),
		}}, nil
	}
	env.ExecuteWorkflow(ValidateSwap, request())

	require.True(t, temporal.IsCanceledError(env.GetWorkflowError()))
	require.Equal(t, 1, f.count(swap.ActivityRestoreSnapshot))
}

func TestApprovalLetsTheRolloutGoOn(t *testing.T) {
	f, in := newFakes(), request()
	in.Spec.Rollout.ApproveAt = []int{50, 100}
	env := start(t, f)
	update(t, swap.UpdateApprove, 5*time.Minute)(env)
	update(t, swap.UpdateApprove, 20*time.Minute)(env)
	env.ExecuteWorkflow(ValidateSwap, in)
	require.Equal(t, swap.Pass, verdictOf(t, env).Verdict)
}

func TestUpdatesAreRefusedInASentence(t *testing.T) {
	f, in := newFakes(), request()
	in.Spec.Rollout.ApproveAt = []int{50}
	in.Spec.Rollout.ApproveTimeout = swap.Duration(time.Minute)
	f.publish = func(swap.PublishReportInput) (swap.Artifacts, error) {
		return swap.Artifacts{}, errors.New("store is down")
	}
	var refusals []string
	refused := func(env *testsuite.TestWorkflowEnvironment, name string, after time.Duration) {
		env.RegisterDelayedCallback(func() {
			env.UpdateWorkflow(name, name+after.String(), &testsuite.TestUpdateCallback{
				OnReject: func(err error) { refusals = append(refusals, err.Error()) }, OnAccept: func() {}, OnComplete: func(any, error) {},
			}, swap.ByRequest{})
		}, after)
	}
	env := start(t, f)
	refused(env, swap.UpdateApprove, 0)
	refused(env, swap.UpdateExtend, 0)
	refused(env, swap.UpdateAbort, 61*time.Second)
	env.ExecuteWorkflow(ValidateSwap, in)
	require.Equal(t, []string{
		"nothing to approve: the run is in stage preflight",
		"nothing to extend: the run is in stage preflight",
		"too late to stop: the verdict is inconclusive; to go back from a promoted candidate start RollbackSwap",
	}, refusals)
}

// An observer of live traffic hears of a stop with its next heartbeat only; traffic must not wait for that.
func TestTrafficIsBackBeforeTheObserverHasStopped(t *testing.T) {
	stops := map[string]func(*testsuite.TestWorkflowEnvironment){
		"update": func(env *testsuite.TestWorkflowEnvironment) {
			env.UpdateWorkflowNoRejection(swap.UpdateRollback, "now", t, swap.ByRequest{By: "ann", Reason: "testing"})
		},
		"cancel": func(env *testsuite.TestWorkflowEnvironment) { env.CancelWorkflow() },
	}
	for name, stop := range stops {
		t.Run(name, func(t *testing.T) {
			f := newFakes()
			env := start(t, f)
			back := make(chan struct{})
			f.setWeight = func(in swap.SetWeightsInput) (swap.Restored, error) {
				if in.Weights == swap.AllBaseline {
					close(back)
				}
				return swap.Restored{Weights: &in.Weights, Changed: true}, nil
			}
			f.observe = func(swap.ObserveWindowInput) (swap.ObserveWindowResult, error) {
				stop(env)
				select {
				case <-back:
					return swap.ObserveWindowResult{}, temporal.NewCanceledError()
				case <-t.Context().Done():
					return swap.ObserveWindowResult{}, t.Context().Err()
				}
			}
			env.ExecuteWorkflow(ValidateSwap, request())
			require.True(t, env.IsWorkflowCompleted())
			require.Equal(t, 1, f.count(swap.ActivityRestoreSnapshot), "the brake proves nothing; the restore does")
			select {
			case <-back:
			default:
				require.Fail(t, "the brake was never pulled")
			}
		})
	}
}
