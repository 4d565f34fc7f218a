package servertest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// The guard is awake while a run waits for a person: a candidate that dies meanwhile is put back at once.
func TestGuardFiresWhileAPersonIsWaitedFor(t *testing.T) {
	b := newBench(t, "same")
	weights := b.spec.Rollout.Weights
	b.spec.Rollout.ApproveAt = weights[len(weights)-1:]
	b.spec.Rollout.ApproveTimeout = swap.Duration(24 * time.Hour)
	run := b.start()
	b.await("a run that waits for approval", func() bool { return b.status().Waiting != "" })
	require.Positive(t, b.weights().Candidate)
	require.NoError(t, b.models.Servers.Candidate.Kill())
	v, err := b.verdict(run)
	require.NoError(t, err)
	require.Equal(t, swap.Fail, v.Verdict, v.Summary)
	require.Equal(t, swap.AllBaseline, b.weights())
	require.Positive(t, v.Rollout.Watched)
	last := v.Rollout.Windows[len(v.Rollout.Windows)-1]
	require.True(t, last.Waiting)
	require.NotNil(t, last.Brake)
	b.record(run, "guard-while-waiting")
}

// status asks the run where it stands; the zero status while it cannot say.
func (b *bench) status() (s swap.Status) {
	if answer, err := b.client.QueryWorkflow(b.t.Context(), swap.ValidateWorkflowID(b.spec.Target), "", swap.QueryStatus); err == nil {
		_ = answer.Get(&s)
	}
	return s
}
