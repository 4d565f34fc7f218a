package servertest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/swapgate/swapgate/pkg/config"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// A validation that passes registers the baseline; a watch compares with it and keeps what it found.
func TestWatchComparesWithWhatAValidationRegistered(t *testing.T) {
	b := newBench(t, "same")
	b.spec.Rollout = nil
	b.spec.Watch = swap.Watch{
		Rule: swap.DriftByBounds, Notify: .9, Fail: .92, Block: .94, Distribution: swap.DistributionByBlocks, Distance: .9, BlockFor: 3600e9,
	}
	v, err := b.verdict(b.start())
	require.NoError(t, err)
	require.Equal(t, swap.Pass, v.Verdict, v.Summary)

	r, run := b.watch()
	require.Equal(t, swap.DriftSilent, r.Response, r.Summary)
	require.NotNil(t, r.Baseline)
	require.Equal(t, v.Provenance.RunID, r.Baseline.RunID)
	require.Len(t, r.Metrics, 3)
	require.NotEmpty(t, r.Distances)
	b.steps(swap.Verdict{Steps: r.Steps})
	b.record(run, "watch-baseline")

	store, err := runstore.Open(b.spec.Store)
	require.NoError(t, err)
	defer store.Close()
	kept, err := store.List(t.Context(), runstore.WatchesPrefix(b.spec.Target))
	require.NoError(t, err)
	require.Len(t, kept, 1)
}

// watch runs one watch of the bench's specification.
func (b *bench) watch() (swap.WatchResult, client.WorkflowRun) {
	b.t.Helper()
	run, err := b.client.ExecuteWorkflow(b.t.Context(), client.StartWorkflowOptions{
		ID: swap.WatchWorkflowID(b.spec.Target), TaskQueue: swap.QueueControl,
	}, swap.WorkflowWatchBaseline, swap.Request{Spec: b.spec, SpecSHA256: config.SHA256(b.spec), RequestedBy: "test", SearchAttributes: true})
	require.NoError(b.t, err)
	ctx, done := context.WithTimeout(b.t.Context(), patience)
	defer done()
	var r swap.WatchResult
	require.NoError(b.t, run.Get(ctx, &r))
	return r, run
}
