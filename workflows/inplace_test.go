package workflows

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/swapgate/swapgate/pkg/swap"
)

// oneServer fakes the activities of a swap in place: a server that serves what it was last told.
type oneServer struct {
	calls []string
	// failAt makes the swap of that number fail.
	failAt int
	// restores is how often going back fails before it succeeds.
	restores int
	swaps    []swap.ModelSwapInput
	steps    []swap.LoadStepInput
	// during, if set, is called in the middle of each swap.
	during func()
}

func (o *oneServer) register(env *testsuite.TestWorkflowEnvironment, f *fakes) {
	f.loadStep = func(in swap.LoadStepInput) (swap.StepResult, error) {
		o.calls = append(o.calls, "load")
		o.steps = append(o.steps, in)
		return swap.StepResult{Step: in.Step, Manifest: ref}, nil
	}
	env.RegisterActivityWithOptions(func(_ context.Context, in swap.InspectModelInput) (swap.EngineState, error) {
		o.calls = append(o.calls, "inspect")
		return swap.EngineState{Model: in.Spec.InPlaceModelOf(swap.Baseline), Digest: "baseline"}, nil
	}, activity.RegisterOptions{Name: swap.ActivityInspectModel})
	env.RegisterActivityWithOptions(o.swap, activity.RegisterOptions{Name: swap.ActivitySwapModel})
	env.RegisterActivityWithOptions(func(_ context.Context, in swap.RestoreModelInput) (swap.ModelSwap, error) {
		if o.restores--; o.restores >= 0 {
			return swap.ModelSwap{}, fmt.Errorf("the server is down")
		}
		o.calls = append(o.calls, "restore "+in.Snapshot.Model.Name)
		return swap.ModelSwap{State: in.Snapshot, Changed: true}, nil
	}, activity.RegisterOptions{Name: swap.ActivityRestoreModel})
}

func (o *oneServer) swap(_ context.Context, in swap.ModelSwapInput) (swap.ModelSwapResult, error) {
	o.calls = append(o.calls, "swap to "+string(in.Arm))
	o.swaps = append(o.swaps, in)
	if o.during != nil {
		o.during()
	}
	if in.Index == o.failAt {
		return swap.ModelSwapResult{}, fatal("SwapNotProven")
	}
	return swap.ModelSwapResult{Swap: swap.ModelSwap{
		Changed: true, State: swap.EngineState{Model: in.Spec.InPlaceModelOf(in.Arm), Digest: string(in.Arm)},
	}}, nil
}

func inPlaceRequest() swap.Request {
	in := request()
	in.Spec.Candidate.URL, in.Spec.Rollout = in.Spec.Baseline.URL, nil
	in.Spec.InPlace = &swap.InPlace{
		Method: swap.InPlaceOllama, Swaps: 2, Timeout: swap.Duration(time.Minute), Observe: swap.Duration(time.Second),
	}
	return in
}

func runInPlace(t *testing.T, o *oneServer, change func(*fakes, *swap.Request)) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	f, in := newFakes(), inPlaceRequest()
	if change != nil {
		change(f, &in)
	}
	env := start(t, f)
	o.register(env, f)
	env.ExecuteWorkflow(ValidateSwap, in)
	return env
}

func TestInPlaceSwapsThereAndBackAndRestores(t *testing.T) {
	o := &oneServer{}
	v := verdictOf(t, runInPlace(t, o, nil))
	require.Equal(t, swap.Pass, v.Verdict)
	require.Equal(t, []string{
		"inspect", "swap to candidate", "swap to baseline", "swap to candidate", "swap to baseline", "load", "load", "restore old",
	}, o.calls, "without promote the baseline serves after a pass too")
	require.Len(t, v.InPlace.Swaps, 4)
	require.Equal(t, "old", v.InPlace.Final.Model.Name)
	require.NotNil(t, v.WarmUp)

	require.Nil(t, o.swaps[0].Known.Candidate, "nothing is known of the candidate before it was served")
	require.Equal(t, "baseline", o.swaps[0].Known.Baseline.Digest)
	require.Equal(t, "candidate", o.swaps[2].Known.Candidate.Digest, "the second time it must be what it was")
	for _, s := range o.steps {
		require.Equal(t, "baseline", s.Known.Baseline.Digest)
		require.Equal(t, "candidate", s.Known.Candidate.Digest)
	}
}

func TestInPlacePromotes(t *testing.T) {
	o := &oneServer{}
	v := verdictOf(t, runInPlace(t, o, func(_ *fakes, in *swap.Request) { in.Spec.InPlace.Promote = true }))
	require.Equal(t, swap.Pass, v.Verdict)
	require.Equal(t, "swap to candidate", o.calls[len(o.calls)-1])
	require.Equal(t, "new", v.InPlace.Final.Model.Name)
}

func TestInPlaceGoesBackFromEveryOtherEnd(t *testing.T) {
	promote := func(_ *fakes, in *swap.Request) { in.Spec.InPlace.Promote = true }
	for name, tc := range map[string]struct {
		server  *oneServer
		change  func(*fakes, *swap.Request)
		verdict swap.Decision
	}{
		"the first swap is not proven": {&oneServer{failAt: 1}, promote, swap.Errored},
		"the swap back is not proven":  {&oneServer{failAt: 2}, promote, swap.Errored},
		"the promotion is not proven":  {&oneServer{failAt: 5}, promote, swap.Errored},
		"going back takes three tries": {&oneServer{failAt: 1, restores: 2}, promote, swap.Errored},
		"a gate fails after the swaps": {&oneServer{}, failing, swap.Fail},
		"the arms cannot be compared":  {&oneServer{}, unmeasured, swap.Errored},
		"nothing is decided":           {&oneServer{}, undecided, swap.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			env := runInPlace(t, tc.server, tc.change)
			require.True(t, env.IsWorkflowCompleted())
			require.Equal(t, "restore old", tc.server.calls[len(tc.server.calls)-1])
			if tc.verdict == swap.Errored {
				require.Error(t, env.GetWorkflowError())
				return
			}
			require.Equal(t, tc.verdict, verdictOf(t, env).Verdict)
		})
	}
}

func failing(f *fakes, in *swap.Request) {
	in.Spec.InPlace.Promote = true
	f.compare = func(swap.CompareInput) (swap.Comparison, error) { return swap.Comparison{Decision: swap.Fail}, nil }
}

func undecided(f *fakes, in *swap.Request) {
	in.Spec.InPlace.Promote = true
	f.compare = func(swap.CompareInput) (swap.Comparison, error) {
		return swap.Comparison{Decision: swap.Inconclusive}, nil
	}
}

func unmeasured(f *fakes, _ *swap.Request) {
	f.compare = func(swap.CompareInput) (swap.Comparison, error) { return swap.Comparison{}, fatal("RunCorrupt") }
}

func TestACancelInTheMiddleOfASwapGoesBack(t *testing.T) {
	f, in := newFakes(), inPlaceRequest()
	env := start(t, f)
	o := &oneServer{during: env.CancelWorkflow}
	o.register(env, f)
	env.ExecuteWorkflow(ValidateSwap, in)
	require.True(t, temporal.IsCanceledError(env.GetWorkflowError()))
	require.Equal(t, []string{"inspect", "swap to candidate", "restore old"}, o.calls)
}

func TestRollbackSwapRestoresTheModelInsideAServer(t *testing.T) {
	o, f := &oneServer{}, newFakes()
	spec := inPlaceRequest().Spec
	f.restore = func(swap.RestoreSnapshotInput) (swap.Restored, error) {
		return swap.Restored{InPlace: &swap.RestoreModelInput{
			Spec: spec, Snapshot: swap.EngineState{Model: spec.InPlaceModelOf(swap.Baseline)},
		}}, nil
	}
	env := start(t, f)
	o.register(env, f)
	env.ExecuteWorkflow(RollbackSwap, swap.RollbackRequest{Target: "chat", RequestedBy: "ann"})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []string{"restore old"}, o.calls)
	var got swap.RollbackResult
	require.NoError(t, env.GetWorkflowResult(&got))
	require.Equal(t, "old", got.Model.State.Model.Name)
}

func TestWithoutAStateNothingIsSwapped(t *testing.T) {
	o := &oneServer{}
	runInPlace(t, o, func(f *fakes, _ *swap.Request) {
		f.preflight = func() (swap.PreflightResult, error) { return swap.PreflightResult{}, fatal("EngineRefused") }
	})
	require.Empty(t, o.calls)
}
