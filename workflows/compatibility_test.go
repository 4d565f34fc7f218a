package workflows

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// differing is a preflight that found one difference of each severity but blocking.
func differing() *swap.Compatibility {
	return &swap.Compatibility{Differences: []swap.Difference{
		{Rule: swap.CompatVersion, Severity: swap.Notable, Baseline: "0.27.0", Candidate: "0.28.0", Reason: "x."},
		{Rule: swap.CompatDriver, Severity: swap.Harmless, Baseline: "570", Candidate: "580", Reason: "x."},
	}}
}

func TestTheVerdictSaysHowTheServersDiffer(t *testing.T) {
	f := newFakes()
	found, err := f.preflight()
	require.NoError(t, err)
	found.Compatibility = differing()
	f.preflight = func() (swap.PreflightResult, error) { return found, nil }
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, request())
	v := verdictOf(t, env)
	require.Equal(t, swap.Pass, v.Verdict)
	require.Equal(t, differing(), v.Compatibility)
}

func TestBoardNamesWhatIsNotHarmless(t *testing.T) {
	require.Equal(t, "; they differ in engine_version", differ(differing()))
	require.Empty(t, differ(nil), "an older worker looked")
	require.Empty(t, differ(&swap.Compatibility{}))
}

// A difference that makes the run pointless ends it before anything is loaded, with both values and the way out.
func TestABlockingDifferenceEndsTheRun(t *testing.T) {
	f := newFakes()
	found, err := f.preflight()
	require.NoError(t, err)
	found.Findings = []swap.Finding{{
		Severity: swap.Blocking, Subject: "context_length", Message: "The candidate's context holds 4096 tokens and the baseline's 8192.",
		Next: "Serve it with a longer context, or accept the difference (compatibility.accept: [context_length]).",
	}}
	f.preflight = func() (swap.PreflightResult, error) { return found, nil }
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, request())
	v := verdictOf(t, env)
	require.Equal(t, swap.Inconclusive, v.Verdict)
	require.Equal(t, swap.ReasonPreflightBlocking, v.Reasons[0].Code)
	require.Contains(t, v.Reasons[0].Message, "4096 tokens and the baseline's 8192")
	require.Contains(t, v.Reasons[0].Message, "compatibility.accept: [context_length]")
	require.Zero(t, f.count(swap.ActivityLoadStep))
	require.Equal(t, 1, f.count(swap.ActivityPreflight), "it is not tried again")
}
