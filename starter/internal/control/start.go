package control

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/swapgate/swapgate/pkg/swap"
)

const callTimeout = 15 * time.Second

// Memo keys of a validation. Values are strings that a person may read in the Temporal UI; nothing secret.
const (
	memoTarget      = "target"
	memoBaseline    = "baseline"
	memoCandidate   = "candidate"
	memoSpec        = "spec_sha256"
	memoRequestedBy = "requested_by"
)

// ErrAttributesUnknown says that the server refused a start because it does not know a search attribute. That can be so
// for a minute after it was registered.
var ErrAttributesUnknown = errors.New("the server does not know swapgate's search attributes")

// AlreadyRunningError says that the target is locked by a running validation.
type AlreadyRunningError struct {
	Run     *Run
	Running Execution
}

func (e *AlreadyRunningError) Error() string {
	return fmt.Sprintf("%s is being validated already: candidate %s, run %s, started %s by %s",
		e.Running.Memo[memoTarget], e.Running.Memo[memoCandidate], e.Run.RunID(),
		e.Running.Started.UTC().Format(time.RFC3339), e.Running.Memo[memoRequestedBy])
}

// Target is the target that is locked.
func (e *AlreadyRunningError) Target() string { return e.Running.Memo[memoTarget] }

// SameSpec reports whether the running validation was started with the same specification.
func (e *AlreadyRunningError) SameSpec(sha256 string) bool { return e.Running.Memo[memoSpec] == sha256 }

// StartValidation starts a validation of the request's target. While one runs, the error is an *AlreadyRunningError;
// where the server does not know a search attribute, ErrAttributesUnknown.
func (c *Client) StartValidation(ctx context.Context, req swap.Request) (*Run, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	run, err := c.sdk.ExecuteWorkflow(ctx, validationOptions(req), swap.WorkflowValidateSwap, req)
	if err != nil {
		return nil, c.startError(ctx, swap.ValidateWorkflowID(req.Spec.Target), err)
	}
	return c.run(run.GetID(), run.GetRunID(), true), nil
}

// StartRollback starts a stand-alone rollback. While one of the same target runs, it is returned instead with joined set.
func (c *Client) StartRollback(ctx context.Context, req swap.RollbackRequest) (run *Run, joined bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	started, err := c.sdk.ExecuteWorkflow(ctx, rollbackOptions(req), swap.WorkflowRollbackSwap, req)
	var running *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &running) {
		return c.run(swap.RollbackWorkflowID(req.Target), running.RunId, false), true, nil
	}
	if err != nil {
		return nil, false, c.refused(err)
	}
	return c.run(started.GetID(), started.GetRunID(), false), false, nil
}

func (c *Client) startError(ctx context.Context, workflowID string, err error) error {
	var running *serviceerror.WorkflowExecutionAlreadyStarted
	if !errors.As(err, &running) {
		return c.refused(err)
	}
	run := c.run(workflowID, running.RunId, true)
	e, err := run.Describe(ctx)
	if err != nil {
		return err
	}
	return &AlreadyRunningError{Run: run, Running: e}
}

// refused tells a start that the server would not take from a server that does not answer.
func (c *Client) refused(err error) error {
	var invalid *serviceerror.InvalidArgument
	switch {
	case !errors.As(err, &invalid):
		return c.unreachable(err)
	case strings.Contains(strings.ToLower(invalid.Message), "search attribute"):
		return fmt.Errorf("%w: %s", ErrAttributesUnknown, invalid.Message)
	}
	return &RefusedError{Message: "Temporal refused the start: " + invalid.Message, Next: "correct the specification"}
}

// validationOptions sets no run or execution timeout: a workflow that the server times out runs no rollback.
func validationOptions(req swap.Request) client.StartWorkflowOptions {
	spec := req.Spec
	o := lockedOptions(swap.ValidateWorkflowID(spec.Target))
	o.StaticSummary = cut(fmt.Sprintf("%s → %s on %s", spec.Baseline.Model, spec.Candidate.Model, spec.Target), summaryLimit)
	o.StaticDetails = requestDetails(req)
	o.Memo = map[string]any{
		memoTarget:      spec.Target,
		memoBaseline:    spec.Baseline.Model,
		memoCandidate:   spec.Candidate.Model,
		memoSpec:        req.SpecSHA256,
		memoRequestedBy: req.RequestedBy,
	}
	if req.SearchAttributes {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(
			keyword(swap.AttrTarget, spec.Target),
			keyword(swap.AttrBaseline, spec.Baseline.Model),
			keyword(swap.AttrCandidate, spec.Candidate.Model),
			keyword(swap.AttrStage, string(swap.StagePreflight)),
			keyword(swap.AttrRequestedBy, req.RequestedBy),
		)
	}
	return o
}

func rollbackOptions(req swap.RollbackRequest) client.StartWorkflowOptions {
	o := lockedOptions(swap.RollbackWorkflowID(req.Target))
	o.StaticSummary = cut("roll back "+req.Target, summaryLimit)
	o.StaticDetails = rollbackDetails(req)
	o.Memo = map[string]any{memoTarget: req.Target, memoRequestedBy: req.RequestedBy}
	if req.SearchAttributes {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(
			keyword(swap.AttrTarget, req.Target),
			keyword(swap.AttrStage, string(swap.StageRollback)),
			keyword(swap.AttrRequestedBy, req.RequestedBy),
		)
	}
	return o
}

// lockedOptions makes the workflow id a lock: a second start fails while the first runs, and is free once it closed.
func lockedOptions(id string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID:                                       id,
		TaskQueue:                                swap.QueueControl,
		WorkflowIDConflictPolicy:                 enums.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
		WorkflowIDReusePolicy:                    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
	}
}

// keywordLimit is the length of a keyword in the server's SQL visibility store, in characters.
const keywordLimit = 255

func keyword(name, value string) temporal.SearchAttributeUpdate {
	return temporal.NewSearchAttributeKeyKeyword(name).ValueSet(cut(value, keywordLimit))
}
