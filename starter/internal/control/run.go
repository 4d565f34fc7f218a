package control

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"

	"github.com/swapgate/swapgate/pkg/swap"
)

// answerTimeout is how long a worker may take to answer a query. Without a worker a query waits until its deadline.
const answerTimeout = 5 * time.Second

// Run is one run of a workflow.
type Run struct {
	c          *Client
	WorkflowID string
	// hasStatus says whether the workflow answers the status query.
	hasStatus bool

	mu    sync.Mutex
	runID string
}

func (c *Client) run(workflowID, runID string, hasStatus bool) *Run {
	return &Run{c: c, WorkflowID: workflowID, runID: runID, hasStatus: hasStatus}
}

// RunID is Temporal's id of the run. A reset that Wait follows changes it.
func (r *Run) RunID() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.runID
}

func (r *Run) setRunID(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runID = id
}

// Validation finds a validation of the target: the given run, or with an empty runID the last one. Where there is none,
// the error is a *RefusedError.
func (c *Client) Validation(ctx context.Context, target, runID string) (*Run, Execution, error) {
	r := c.run(swap.ValidateWorkflowID(target), runID, true)
	e, err := r.Describe(ctx)
	if err != nil {
		return nil, Execution{}, err
	}
	r.setRunID(e.RunID)
	return r, e, nil
}

// Status asks the run's worker where the run stands, within five seconds.
func (r *Run) Status(ctx context.Context) (swap.Status, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	var s swap.Status
	answer, err := r.c.sdk.QueryWorkflow(ctx, r.WorkflowID, r.RunID(), swap.QueryStatus)
	if err != nil {
		return s, fmt.Errorf("query %s of %s: %w", swap.QueryStatus, r.WorkflowID, err)
	}
	if err := answer.Get(&s); err != nil {
		return s, fmt.Errorf("answer to query %s of %s: %w", swap.QueryStatus, r.WorkflowID, err)
	}
	return s, nil
}

// Describe says what the server itself knows of the run; it needs no worker.
func (r *Run) Describe(ctx context.Context) (Execution, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	d, err := r.c.sdk.DescribeWorkflow(ctx, r.WorkflowID, r.RunID())
	var missing *serviceerror.NotFound
	if errors.As(err, &missing) {
		return Execution{}, &RefusedError{
			Message: fmt.Sprintf("namespace %q has no workflow %s%s", r.c.Namespace, r.WorkflowID, withRun(r.RunID())),
			Next:    "check the target's name, TEMPORAL_NAMESPACE, and whether the run is older than the namespace's retention",
		}
	}
	var invalid *serviceerror.InvalidArgument
	if errors.As(err, &invalid) {
		return Execution{}, &RefusedError{
			Message: fmt.Sprintf("Temporal cannot look for workflow %s%s: %v", r.WorkflowID, withRun(r.RunID()), err),
			Next:    "give the run id as `swapgate validate` or the Temporal UI shows it",
		}
	}
	if err != nil {
		return Execution{}, r.c.unreachable(err)
	}
	e := executionOf(d)
	if d.RawResponse.GetPendingWorkflowTask().GetAttempt() > 1 {
		e.TaskFailure = r.lastTaskFailure(ctx)
	}
	return e, nil
}

// Wait waits until the run closes and reads its result into out. A run that was reset is followed into its new run.
// The error of a run that closed without a result is a *ClosedError; every other error means that Temporal could not be
// asked.
func (r *Run) Wait(ctx context.Context, out any) error {
	for {
		err := r.c.sdk.GetWorkflow(ctx, r.WorkflowID, r.RunID()).Get(ctx, out)
		var closed *temporal.WorkflowExecutionError
		if err == nil || ctx.Err() != nil {
			return err
		}
		if !errors.As(err, &closed) {
			return r.c.unreachable(err)
		}
		e, descErr := r.Describe(ctx)
		if descErr != nil {
			return descErr
		}
		if e.ResetTo == "" {
			return &ClosedError{Execution: e, Err: err}
		}
		r.setRunID(e.ResetTo)
	}
}

// Observation is all that can be known of a run at one moment.
type Observation struct {
	// Status is absent when no worker answered or the workflow has none.
	Status *swap.Status
	// Execution is what the server says.
	Execution Execution
	// Queued says where the run stands in the line for a load worker; empty where it waits for none.
	Queued string
	// Problems say what is wrong, one sentence each.
	Problems []string
}

// Observe asks the server and the run's worker where the run stands.
func (r *Run) Observe(ctx context.Context) (Observation, error) {
	e, err := r.Describe(ctx)
	if err != nil {
		return Observation{}, err
	}
	o := Observation{Execution: e}
	answered := true
	if r.hasStatus {
		s, err := r.Status(ctx)
		answered = err == nil
		if answered {
			o.Status = &s
		}
	}
	var missing []Queue
	// A run that answers no query and has no activity waits for its workflow's worker, or is between two steps.
	silent := !r.hasStatus && len(e.Pending) == 0
	if e.State == Running && (!answered || silent || stuck(e)) {
		if missing, err = r.c.QueuesWithoutWorker(ctx); err != nil {
			return o, err
		}
	}
	if !r.hasStatus {
		missing = slices.DeleteFunc(missing, func(q Queue) bool { return q.Name != swap.QueueControl })
	}
	o.Problems = diagnose(e, missing, answered)
	if e.State == Running && len(missing) == 0 {
		if o.Queued, err = r.c.queued(ctx, e); err != nil {
			return o, err
		}
	}
	return o, nil
}

func (r *Run) lastTaskFailure(ctx context.Context) string {
	h, err := r.c.reverseHistory(ctx, r.WorkflowID, r.RunID())
	if err != nil {
		return "its cause could not be read: " + err.Error()
	}
	for _, ev := range h {
		if ev.GetEventType() == enums.EVENT_TYPE_WORKFLOW_TASK_FAILED {
			return ev.GetWorkflowTaskFailedEventAttributes().GetFailure().GetMessage()
		}
	}
	return "its cause is not in the history"
}

func withRun(runID string) string {
	if runID == "" {
		return ""
	}
	return " with run id " + runID
}
