package workflows

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestTheSnapshotOfAPassIsMarkedHealthy(t *testing.T) {
	f := newFakes()
	coefficient := .5
	f.observe = func(in swap.ObserveWindowInput) (swap.ObserveWindowResult, error) {
		coefficient -= .1
		return swap.ObserveWindowResult{Window: swap.Window{
			Index: in.Index, Weights: in.Weights, ReadBack: in.Weights, Decision: advance(in),
			Decay: &swap.DecayReading{Rule: swap.DecayACI, Coefficient: coefficient},
		}}, nil
	}
	var asked swap.MarkHealthyInput
	f.healthy = func(in swap.MarkHealthyInput) error {
		asked = in
		return nil
	}
	in := request()
	in.Spec.Snapshots.Keep = 5
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, in)
	v := verdictOf(t, env)
	require.Equal(t, ref, asked.Snapshot)
	require.Equal(t, 5, asked.Keep)
	require.Equal(t, v.Provenance.RunID, asked.Health.VerdictID)
	require.Equal(t, swap.Pass, asked.Health.Verdict)
	require.Equal(t, v.Provenance.Ended.UTC(), asked.Health.Decided.UTC())
	require.InDelta(t, coefficient, asked.Health.Decay.Or(0), 1e-9, "the last window's")
}

func TestOnlyAPassMakesASnapshotHealthy(t *testing.T) {
	for _, d := range []swap.Decision{swap.Fail, swap.Inconclusive} {
		f := newFakes()
		f.compare = func(swap.CompareInput) (swap.Comparison, error) { return swap.Comparison{Decision: d}, nil }
		env := start(t, f)
		env.ExecuteWorkflow(ValidateSwap, request())
		require.Equal(t, d, verdictOf(t, env).Verdict)
		require.Zero(t, f.count(swap.ActivityMarkHealthy))
	}
}

func TestFailingToMarkChangesNoVerdict(t *testing.T) {
	f := newFakes()
	f.healthy = func(swap.MarkHealthyInput) error { return fatal("RunStoreDenied") }
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, request())
	v := verdictOf(t, env)
	require.Equal(t, swap.Pass, v.Verdict)
	require.Equal(t, "It could not be marked healthy: it broke; mend it", v.Findings[0].Message)
}

// A run that began before snapshots were marked ends as it began.
func TestOlderRunsMarkNothing(t *testing.T) {
	f := newFakes()
	env := start(t, f)
	env.OnGetVersion(changeHealthy, workflow.DefaultVersion, workflow.Version(1)).Return(workflow.DefaultVersion)
	env.ExecuteWorkflow(ValidateSwap, request())
	require.Equal(t, swap.Pass, verdictOf(t, env).Verdict)
	require.Zero(t, f.count(swap.ActivityMarkHealthy))
}

// A person names a snapshot by the beginning of its id.
func TestRollbackToAChosenSnapshot(t *testing.T) {
	f := newFakes()
	var asked swap.RestoreSnapshotInput
	all := swap.AllBaseline
	f.restore = func(in swap.RestoreSnapshotInput) (swap.Restored, error) {
		asked = in
		return swap.Restored{Weights: &all, Snapshot: &ref}, nil
	}
	env := start(t, f)
	env.ExecuteWorkflow(RollbackSwap, swap.RollbackRequest{Target: "chat", SnapshotID: "3f9a", RequestedBy: "ann"})
	require.NoError(t, env.GetWorkflowError())
	var got swap.RollbackResult
	require.NoError(t, env.GetWorkflowResult(&got))
	require.Equal(t, "3f9a", asked.SnapshotID)
	require.Nil(t, asked.Snapshot)
	require.Nil(t, asked.Fallback, "a person who chose a state gets that state or an error")
	require.Equal(t, &ref, got.Restored.Snapshot)
}
