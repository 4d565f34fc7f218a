package control

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/failure/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestDiagnose(t *testing.T) {
	next := time.Date(2026, 5, 1, 12, 0, 30, 0, time.UTC)
	cases := map[string]struct {
		run      Execution
		missing  []Queue
		answered bool
		want     []string
	}{
		"nothing wrong": {run: Execution{State: Running}, answered: true},
		"closed":        {run: Execution{State: Failed, TaskAttempt: 7}},
		"no worker": {
			run: Execution{State: Running}, missing: neededQueues,
			want: []string{`no worker polls task queue "swapgate" (workflows, light activities); ` +
				`no worker polls task queue "swapgate-load" (load); ` +
				"start one against the same Temporal address and namespace: swapgate-worker --role control,load"},
		},
		"worker silent": {
			run:  Execution{State: Running},
			want: []string{"the worker did not answer within 5s; it may be busy or have just stopped"},
		},
		"workflow code fails": {
			run: Execution{State: Running, TaskAttempt: 4, TaskFailure: "[TMPRL1100] nondeterminism"},
			want: []string{"the workflow's code fails on its worker (attempt 4): [TMPRL1100] nondeterminism; " +
				"deploy a worker with a fix, nothing is lost"},
		},
		"activity retried": {
			run: Execution{State: Running, Pending: []PendingActivity{{
				ID: "5", Type: "LoadStep", Attempt: 3, MaxAttempts: 4, LastFailure: "EngineUnreachable: refused", NextAttempt: &next,
			}}},
			answered: true,
			want: []string{"activity LoadStep (id 5) is at attempt 3 of 4; the last one failed: EngineUnreachable: refused; " +
				"next try at 12:00:30 UTC"},
		},
		"activity running again": {
			run: Execution{State: Running, Pending: []PendingActivity{{
				ID: "5", Type: "LoadStep", Attempt: 2, Started: true, LastFailure: "worker died", NextAttempt: &next,
			}}},
			answered: true,
			want:     []string{"activity LoadStep (id 5) is at attempt 2; the last one failed: worker died"},
		},
		"activity paused": {
			run:      Execution{WorkflowID: "swap-chat", State: Running, Pending: []PendingActivity{{ID: "5", Type: "LoadStep", Paused: true}}},
			answered: true,
			want:     []string{"activity LoadStep (id 5) is paused; resume it: temporal activity unpause -w swap-chat -a 5"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, diagnose(c.run, c.missing, c.answered)) })
	}
}

func TestStuck(t *testing.T) {
	require.False(t, stuck(Execution{Pending: []PendingActivity{{Started: true, Attempt: 1}}}))
	require.True(t, stuck(Execution{Pending: []PendingActivity{{Attempt: 1}}}))
	require.True(t, stuck(Execution{TaskAttempt: 2}))
}

func TestPolledForgetsWorkersThatStopped(t *testing.T) {
	now := time.Now()
	at := func(age time.Duration) []*taskqueue.PollerInfo {
		return []*taskqueue.PollerInfo{{LastAccessTime: timestamppb.New(now.Add(-age))}}
	}
	require.True(t, polled(at(time.Minute), now))
	require.False(t, polled(at(4*time.Minute), now))
	require.False(t, polled(nil, now))
}

func TestPendingActivityReadsHeartbeatAndFailure(t *testing.T) {
	beat, err := converter.GetDefaultDataConverter().ToPayloads(swap.Progress{What: "blocks", Done: 3, Total: 12})
	require.NoError(t, err)
	a := pendingOf(&workflow.PendingActivityInfo{
		ActivityId:       "5",
		ActivityType:     &commonpb.ActivityType{Name: "LoadStep"},
		State:            enums.PENDING_ACTIVITY_STATE_STARTED,
		Attempt:          2,
		HeartbeatDetails: beat,
		LastFailure: &failure.Failure{
			Message:     "refused",
			FailureInfo: &failure.Failure_ApplicationFailureInfo{ApplicationFailureInfo: &failure.ApplicationFailureInfo{Type: "EngineUnreachable"}},
		},
	})
	require.True(t, a.Started)
	require.Equal(t, "EngineUnreachable: refused", a.LastFailure)
	require.NotNil(t, a.Progress)
	require.Equal(t, 3, a.Progress.Done)
}

func TestPendingActivityIgnoresForeignHeartbeats(t *testing.T) {
	beat, err := converter.GetDefaultDataConverter().ToPayloads("7 of 9")
	require.NoError(t, err)
	require.Nil(t, pendingOf(&workflow.PendingActivityInfo{HeartbeatDetails: beat}).Progress)
	require.Nil(t, pendingOf(&workflow.PendingActivityInfo{}).Progress)
}

func TestUpdateIDSeparatesDecisionsAndJoinsRepeats(t *testing.T) {
	at := func(candidate, windows int) swap.Status {
		return swap.Status{Stage: swap.StageRollout, Windows: windows, Weights: &swap.Weights{Baseline: 100 - candidate, Candidate: candidate}}
	}
	first := updateID(swap.UpdateApprove, "run", "ada", at(5, 2))
	require.Equal(t, first, updateID(swap.UpdateApprove, "run", "ada", at(5, 2)))
	require.NotEqual(t, first, updateID(swap.UpdateApprove, "run", "ada", at(20, 4)), "a second approval is another decision")
	require.NotEqual(t, first, updateID(swap.UpdateApprove, "run", "bob", at(5, 2)))
	require.NotEqual(t, first, updateID(swap.UpdateApprove, "other", "ada", at(5, 2)))
	require.NotEqual(t, first, updateID(swap.UpdateExtend, "run", "ada", at(5, 2)))
	require.Equal(t, updateID(swap.UpdateAbort, "run", "ada", at(5, 2)), updateID(swap.UpdateAbort, "run", "ada", at(20, 4)))
	require.NotEmpty(t, updateID(swap.UpdateExtend, "run", "ada", swap.Status{}))
}

// A load worker has one slot and does not poll while it works, so its work is the sign that it lives.
func TestBusyWorkerIsNotMissing(t *testing.T) {
	e := Execution{Pending: []PendingActivity{{ID: "1", Queue: "swapgate"}, {ID: "2", Queue: "swapgate-load", Started: true}}}
	require.True(t, e.atWorkOn("swapgate-load"))
	require.False(t, e.atWorkOn("swapgate"), "scheduled is not started")
}
