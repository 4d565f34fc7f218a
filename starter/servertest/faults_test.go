package servertest

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/snapshot"
	"github.com/swapgate/swapgate/pkg/swap"
)

func TestSoundSwapIsPromoted(t *testing.T) {
	b := newBench(t, "same")
	run := b.start()
	v, err := b.verdict(run)
	require.NoError(t, err)
	require.Equal(t, swap.Pass, v.Verdict, v.Summary)
	require.Equal(t, swap.Weights{Candidate: 100}, b.weights())
	b.steps(v)
	b.record(run, "pass")
}

func TestBadSwapIsPutBack(t *testing.T) {
	b := newBench(t, "slow-decode")
	run := b.start()
	v, err := b.verdict(run)
	require.NoError(t, err)
	require.Equal(t, swap.Fail, v.Verdict, v.Summary)
	require.Equal(t, swap.AllBaseline, b.weights())
	b.record(run, "fail")
}

func TestTooFewBlocksAreInconclusive(t *testing.T) {
	b := newBench(t, "same")
	b.spec.Load.Steps = b.spec.Load.Steps[:1]
	run := b.start()
	v, err := b.verdict(run)
	require.NoError(t, err)
	require.Equal(t, swap.Inconclusive, v.Verdict, v.Summary)
	require.Equal(t, swap.AllBaseline, b.weights())
	b.record(run, "inconclusive")
}

func TestKilledLoadWorkerLosesOnlyTheBlockItWasIn(t *testing.T) {
	b := newBench(t, "same")
	run := b.start()
	b.awaitBlocks(3)
	require.NoError(t, b.load.Kill())
	b.startLoad()
	v, err := b.verdict(run)
	require.NoError(t, err)
	require.Equal(t, swap.Pass, v.Verdict, v.Summary)
	discarded := 0
	for _, m := range b.steps(v) {
		discarded += len(m.Discarded)
	}
	require.Positive(t, discarded, "the block that was cut off is listed")
	b.record(run, "retry-and-resume")
}

func TestKilledControlWorkerChangesNothing(t *testing.T) {
	b := newBench(t, "same")
	run := b.start()
	b.awaitBlocks(3)
	require.NoError(t, b.control.Kill())
	b.startControl()
	v, err := b.verdict(run)
	require.NoError(t, err)
	require.Equal(t, swap.Pass, v.Verdict, v.Summary)
	b.steps(v)
}

func TestTemporalRestartsOnItsDatabase(t *testing.T) {
	b := newBench(t, "same")
	run := b.start()
	b.awaitBlocks(3)
	require.NoError(t, b.Temporal.Kill())
	require.NoError(t, b.Temporal.Restart(t.Context()))
	v, err := b.verdict(run)
	require.NoError(t, err)
	require.Equal(t, swap.Pass, v.Verdict, v.Summary)
	b.steps(v)
}

func TestStoppedLoadWorkerHandsTheStepOver(t *testing.T) {
	b := newBench(t, "same")
	run := b.start()
	b.awaitBlocks(3)
	require.NoError(t, b.load.Stop(t.Context()))
	b.startLoad()
	v, err := b.verdict(run)
	require.NoError(t, err)
	require.Equal(t, swap.Pass, v.Verdict, v.Summary)
	for _, m := range b.steps(v) {
		require.Empty(t, m.Discarded, "a worker that is asked to stop seals its block first")
	}
}

func TestCancelInLoadStopsTrafficAndGoesBack(t *testing.T) {
	b := newBench(t, "same")
	run := b.start()
	b.awaitBlocks(3)
	require.NoError(t, b.client.CancelWorkflow(t.Context(), run.GetID(), run.GetRunID()))
	_, err := b.verdict(run)
	require.True(t, temporal.IsCanceledError(err), "%v", err)
	require.Equal(t, swap.AllBaseline, b.weights())
	b.record(run, "cancel-in-load")
}

func TestAbortInRolloutGoesBackBeforeTheRunCloses(t *testing.T) {
	b := newBench(t, "same")
	run := b.start()
	b.awaitWindow()
	require.Positive(t, b.weights().Candidate)
	require.Contains(t, b.update(swap.UpdateAbort).Message, "baseline")
	v, err := b.verdict(run)
	require.NoError(t, err)
	require.Equal(t, swap.Aborted, v.Verdict)
	require.Equal(t, swap.AllBaseline, b.weights())
	require.Equal(t, swap.AllBaseline, *v.FinalWeights)
	b.record(run, "abort-braked-at-once")
}

func TestCandidateThatCrashesInRolloutIsPutBack(t *testing.T) {
	b := newBench(t, "same")
	run := b.start()
	b.awaitWindow()
	require.NoError(t, b.models.Servers.Candidate.Kill())
	v, err := b.verdict(run)
	require.NoError(t, err)
	require.Equal(t, swap.Fail, v.Verdict, v.Summary)
	require.Equal(t, swap.AllBaseline, b.weights())
	last := v.Rollout.Windows[len(v.Rollout.Windows)-1]
	require.NotNil(t, last.GuardFired)
	require.NotNil(t, last.Brake, "the observer itself set the weights back")
	b.record(run, "guard-in-rollout")
}

func TestGatewayThatIsDownDelaysTheRollbackAndNotMore(t *testing.T) {
	b := newBench(t, "same")
	run := b.start()
	b.awaitWindow()
	require.NoError(t, b.models.Gateway.Kill())
	b.update(swap.UpdateAbort)
	b.await("a restore that is being retried", func() bool { return b.pendingAttempts(swap.ActivityRestoreSnapshot) >= 2 })
	require.NoError(t, b.RestartGateway(t.Context(), b.models))
	v, err := b.verdict(run)
	require.NoError(t, err)
	require.Equal(t, swap.Aborted, v.Verdict)
	require.Equal(t, swap.AllBaseline, b.weights())
}

func TestStoreOutageInAStepLosesNothing(t *testing.T) {
	b := newBench(t, "same")
	run := b.start()
	b.awaitBlocks(2)
	require.NoError(t, b.S3.Kill())
	b.await("uploads that wait for the store", func() bool { return b.heartbeat("load-step-").Pending >= 6 })
	b.await("a heartbeat that says why", func() bool { return b.heartbeat("load-step-").Problem != "" })
	require.NoError(t, b.S3.Restart(t.Context()))
	v, err := b.verdict(run)
	require.NoError(t, err)
	require.Equal(t, swap.Pass, v.Verdict, v.Summary)
	for _, m := range b.steps(v) {
		require.Empty(t, m.Discarded)
	}
}

func TestStandAloneRollback(t *testing.T) {
	b := newBench(t, "same")
	run := b.start()
	v, err := b.verdict(run)
	require.NoError(t, err)
	require.Equal(t, 100, b.weights().Candidate)
	kept := b.snapshots()
	require.Len(t, kept, 1)
	require.NotNil(t, kept[0].Health, "the run passed")
	require.Equal(t, v.Provenance.RunID, kept[0].Health.VerdictID)
	require.Equal(t, *v.Snapshot, kept[0].Ref)
	back, err := b.client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: swap.RollbackWorkflowID(b.spec.Target), TaskQueue: swap.QueueControl,
	}, swap.WorkflowRollbackSwap, swap.RollbackRequest{
		Target: b.spec.Target, Store: b.spec.Store, SnapshotID: kept[0].ID[:8], RequestedBy: "test",
	})
	require.NoError(t, err)
	require.NoError(t, back.Get(t.Context(), nil))
	require.Equal(t, swap.AllBaseline, b.weights())
	b.record(back, "rollback-swap")
}

// snapshots are those that the store keeps of the target.
func (b *bench) snapshots() []snapshot.Entry {
	b.t.Helper()
	store, err := runstore.Open(b.spec.Store)
	require.NoError(b.t, err)
	defer store.Close()
	entries, err := snapshot.List(b.t.Context(), store, b.spec.Target)
	require.NoError(b.t, err)
	return entries
}

// pendingAttempts is the attempt of the pending activity of a type; 0 if there is none.
func (b *bench) pendingAttempts(activity string) int {
	d, err := b.client.DescribeWorkflow(b.t.Context(), swap.ValidateWorkflowID(b.spec.Target), "")
	if err != nil {
		return 0
	}
	for _, a := range d.RawResponse.GetPendingActivities() {
		if a.GetActivityType().GetName() == activity {
			return int(a.GetAttempt())
		}
	}
	return 0
}
