package control

import (
	"context"
	"fmt"
	"slices"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/failure/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/swapgate/swapgate/pkg/swap"
)

// State is the state of a workflow run as the server has it.
type State string

// The states of a run.
const (
	Running    State = "running"
	Completed  State = "completed"
	Failed     State = "failed"
	Canceled   State = "canceled"
	Terminated State = "terminated"
	TimedOut   State = "timed out"
	Continued  State = "continued as new"
)

var states = map[enums.WorkflowExecutionStatus]State{
	enums.WORKFLOW_EXECUTION_STATUS_RUNNING:          Running,
	enums.WORKFLOW_EXECUTION_STATUS_PAUSED:           Running,
	enums.WORKFLOW_EXECUTION_STATUS_COMPLETED:        Completed,
	enums.WORKFLOW_EXECUTION_STATUS_FAILED:           Failed,
	enums.WORKFLOW_EXECUTION_STATUS_CANCELED:         Canceled,
	enums.WORKFLOW_EXECUTION_STATUS_TERMINATED:       Terminated,
	enums.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:        TimedOut,
	enums.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW: Continued,
}

// Execution is what the server knows of a run without asking a worker.
type Execution struct {
	WorkflowID string            `json:"workflow_id"`
	RunID      string            `json:"run_id"`
	State      State             `json:"state"`
	Started    time.Time         `json:"started"`
	Closed     *time.Time        `json:"closed,omitempty"`
	Memo       map[string]string `json:"memo,omitempty"`
	// Pending are the activities that are running or waiting.
	Pending []PendingActivity `json:"pending_activities,omitempty"`
	// TaskAttempt counts the attempts at the pending workflow task; more than 1 means that the workflow's code fails.
	TaskAttempt int    `json:"workflow_task_attempt,omitempty"`
	TaskFailure string `json:"workflow_task_failure,omitempty"`
	// ResetTo is the run that replaced this one by a reset.
	ResetTo string `json:"reset_to,omitempty"`
}

// PendingActivity is an activity that is running or waiting.
type PendingActivity struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Queue   string `json:"task_queue,omitempty"`
	Started bool   `json:"started"`
	Paused  bool   `json:"paused,omitempty"`
	Attempt int    `json:"attempt"`
	// Scheduled is when the present attempt was given to the queue.
	Scheduled *time.Time `json:"scheduled,omitempty"`
	// MaxAttempts is 0 where attempts are unlimited.
	MaxAttempts int `json:"max_attempts,omitempty"`
	// LastFailure is that of the last attempt, with its type.
	LastFailure string     `json:"last_failure,omitempty"`
	NextAttempt *time.Time `json:"next_attempt,omitempty"`
	// Progress is the last heartbeat, where it is one.
	Progress *swap.Progress `json:"progress,omitempty"`
}

// atWorkOn reports whether a worker of the queue is running one of the activities.
func (e Execution) atWorkOn(queue string) bool {
	return slices.ContainsFunc(e.Pending, func(a PendingActivity) bool { return a.Started && a.Queue == queue })
}

// ClosedError says that a run closed without a result.
type ClosedError struct {
	Execution Execution
	Err       error
}

func (e *ClosedError) Error() string {
	return fmt.Sprintf("%s (run %s) %s: %v", e.Execution.WorkflowID, e.Execution.RunID, e.Execution.State, e.Err)
}

func (e *ClosedError) Unwrap() error { return e.Err }

func executionOf(d *client.WorkflowExecutionDescription) Execution {
	e := Execution{
		WorkflowID:  d.WorkflowExecution.ID,
		RunID:       d.WorkflowExecution.RunID,
		State:       states[d.Status],
		Started:     d.WorkflowStartTime,
		Closed:      d.WorkflowCloseTime,
		Memo:        memoOf(d.Memo),
		TaskAttempt: int(d.RawResponse.GetPendingWorkflowTask().GetAttempt()),
		ResetTo:     d.RawResponse.GetWorkflowExtendedInfo().GetResetRunId(),
	}
	for _, p := range d.RawResponse.GetPendingActivities() {
		e.Pending = append(e.Pending, pendingOf(p))
	}
	return e
}

func pendingOf(p *workflow.PendingActivityInfo) PendingActivity {
	a := PendingActivity{
		ID:          p.GetActivityId(),
		Type:        p.GetActivityType().GetName(),
		Queue:       p.GetActivityOptions().GetTaskQueue().GetName(),
		Started:     p.GetState() == enums.PENDING_ACTIVITY_STATE_STARTED,
		Paused:      p.GetPaused(),
		Attempt:     int(p.GetAttempt()),
		MaxAttempts: int(p.GetMaximumAttempts()),
		LastFailure: failureText(p.GetLastFailure()),
	}
	if scheduled := p.GetScheduledTime(); scheduled != nil {
		t := scheduled.AsTime()
		a.Scheduled = &t
	}
	if next := p.GetNextAttemptScheduleTime(); next != nil {
		t := next.AsTime()
		a.NextAttempt = &t
	}
	var progress swap.Progress
	if converter.GetDefaultDataConverter().FromPayloads(p.GetHeartbeatDetails(), &progress) == nil && progress.What != "" {
		a.Progress = &progress
	}
	return a
}

func failureText(f *failure.Failure) string {
	if kind := f.GetApplicationFailureInfo().GetType(); kind != "" {
		return kind + ": " + f.GetMessage()
	}
	return f.GetMessage()
}

// memoOf keeps the memo's strings.
func memoOf(m *commonpb.Memo) map[string]string {
	memo := map[string]string{}
	for k, p := range m.GetFields() {
		var s string
		if converter.GetDefaultDataConverter().FromPayload(p, &s) == nil {
			memo[k] = s
		}
	}
	return memo
}

// reverseHistory reads the newest events of a run, newest first.
func (c *Client) reverseHistory(ctx context.Context, workflowID, runID string) ([]*history.HistoryEvent, error) {
	r, err := c.sdk.WorkflowService().GetWorkflowExecutionHistoryReverse(ctx, &workflowservice.GetWorkflowExecutionHistoryReverseRequest{
		Namespace:       c.Namespace,
		Execution:       &commonpb.WorkflowExecution{WorkflowId: workflowID, RunId: runID},
		MaximumPageSize: 20,
	})
	return r.GetHistory().GetEvents(), err
}
