package workflows

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestAPassIsRegistered(t *testing.T) {
	f := newFakes()
	var asked swap.RegisterBaselineInput
	f.baseline = func(in swap.RegisterBaselineInput) (swap.RegisteredBaseline, error) {
		asked = in
		return swap.RegisteredBaseline{Version: 3, Reference: 2, Findings: []swap.Finding{{Severity: swap.Notable, Subject: "baseline"}}}, nil
	}
	var published swap.Verdict
	f.publish = func(in swap.PublishReportInput) (swap.Artifacts, error) {
		published = in.Verdict
		return swap.Artifacts{Verdict: &ref}, nil
	}
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, request())

	v := verdictOf(t, env)
	require.True(t, asked.Verdict.Promoted())
	require.Equal(t, swap.Pass, asked.Verdict.Verdict)
	require.Equal(t, 3, v.Registered.Version)
	require.Empty(t, v.Registered.Findings, "they are among the run's")
	require.Len(t, v.Findings, 1)
	require.Equal(t, v.Registered, published.Registered, "the report has it")
}

func TestWithoutAPromotionNothingIsSaidToBePromoted(t *testing.T) {
	f := newFakes()
	in := request()
	in.Spec.Rollout = nil
	promoted := true
	f.baseline = func(in swap.RegisterBaselineInput) (swap.RegisteredBaseline, error) {
		promoted = in.Verdict.Promoted()
		return swap.RegisteredBaseline{Version: 1, Reference: 1}, nil
	}
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, in)
	require.Equal(t, 1, verdictOf(t, env).Registered.Version)
	require.False(t, promoted)
}

func TestOnlyAPassIsRegistered(t *testing.T) {
	f := newFakes()
	f.compare = func(swap.CompareInput) (swap.Comparison, error) { return swap.Comparison{Decision: swap.Fail}, nil }
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, request())
	require.Nil(t, verdictOf(t, env).Registered)
	require.Zero(t, f.count(swap.ActivityRegisterBaseline))
}

func TestFailingToRegisterChangesNoVerdict(t *testing.T) {
	f := newFakes()
	f.baseline = func(swap.RegisterBaselineInput) (swap.RegisteredBaseline, error) {
		return swap.RegisteredBaseline{}, fatal("RunStoreDenied")
	}
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, request())
	v := verdictOf(t, env)
	require.Equal(t, swap.Pass, v.Verdict)
	require.Nil(t, v.Registered)
	require.Equal(t, "The baseline could not be registered: it broke; mend it", v.Findings[0].Message)
	require.NotEmpty(t, v.Artifacts)
}

// A run that began before baselines were registered ends as it began.
func TestOlderRunsRegisterNothing(t *testing.T) {
	f := newFakes()
	env := start(t, f)
	env.OnGetVersion(changeRegister, workflow.DefaultVersion, workflow.Version(1)).Return(workflow.DefaultVersion)
	env.ExecuteWorkflow(ValidateSwap, request())
	require.Nil(t, verdictOf(t, env).Registered)
	require.Zero(t, f.count(swap.ActivityRegisterBaseline))
}
