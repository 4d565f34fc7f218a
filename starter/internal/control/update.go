package control

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/swapgate/swapgate/pkg/swap"
)

const updateTimeout = 60 * time.Second

// Ask sends an update to the run and returns the workflow's answer. The same person asking for the same thing at the same
// point of the run again gets the first answer. A refusal by the workflow is a *RefusedError with its sentence.
func (r *Run) Ask(ctx context.Context, update string, by swap.ByRequest) (swap.Answer, error) {
	var answer swap.Answer
	if err := r.attended(ctx); err != nil {
		return answer, err
	}
	status, err := r.Status(ctx)
	if err != nil {
		return answer, r.unanswered(ctx, err)
	}
	ctx, cancel := context.WithTimeout(ctx, updateTimeout)
	defer cancel()
	h, err := r.c.sdk.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID:   r.WorkflowID,
		RunID:        r.RunID(),
		UpdateName:   update,
		UpdateID:     updateID(update, r.RunID(), by.By, status),
		Args:         []any{by},
		WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err == nil {
		err = h.Get(ctx, &answer)
	}
	var refused *temporal.ApplicationError
	switch {
	case err == nil:
		return answer, nil
	case errors.As(err, &refused):
		return answer, &RefusedError{
			Message: fmt.Sprintf("%s was refused: %s", update, refused.Message()),
			Next:    "see where the run stands: swapgate status " + status.Target,
		}
	default:
		return answer, r.unanswered(ctx, err)
	}
}

// attended checks that the run goes on and that a worker may be there to answer for it. It trusts no clock: an abort must
// not fail because the clocks of this machine and of the server differ.
func (r *Run) attended(ctx context.Context) error {
	e, err := r.Describe(ctx)
	if err != nil {
		return err
	}
	if e.State != Running {
		return &RefusedError{
			Message: fmt.Sprintf("%s is not running: it %s", r.WorkflowID, closedWord(e.State)),
			Next:    "there is nothing to decide any more",
		}
	}
	d, err := r.c.sdk.DescribeTaskQueue(ctx, workflowQueue.Name, workflowQueue.kind)
	if err != nil {
		return r.c.unreachable(err)
	}
	if len(d.GetPollers()) == 0 {
		return r.noAnswer(ctx, e, nil)
	}
	return nil
}

// noAnswer explains why the run's worker did not answer.
func (r *Run) noAnswer(ctx context.Context, e Execution, cause error) error {
	missing, err := r.c.QueuesWithoutWorker(ctx)
	if err != nil {
		return err
	}
	return &UnreachableError{
		What: r.WorkflowID + " does not answer: " + strings.Join(diagnose(e, missing, false), "; "),
		Next: "try again once a worker runs",
		Err:  cause,
	}
}

// unanswered says what became of the run whose worker did not answer: it may have closed meanwhile.
func (r *Run) unanswered(ctx context.Context, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	if err := r.attended(ctx); err != nil {
		return err
	}
	e, err := r.Describe(ctx)
	if err != nil {
		return err
	}
	return r.noAnswer(ctx, e, cause)
}

func closedWord(s State) string {
	switch s {
	case Canceled, Terminated:
		return "was " + string(s)
	case Running, Completed, Failed, TimedOut, Continued:
	}
	return string(s)
}

// updateID names what is decided: who, what, in which run, and for approve and extend at which point of it, since a run
// may ask for several approvals.
func updateID(update, runID, by string, s swap.Status) string {
	point := ""
	if update == swap.UpdateApprove || update == swap.UpdateExtend {
		point = fmt.Sprintf("%s/%d", s.Stage, s.Windows)
		if s.Weights != nil {
			point += fmt.Sprintf("/%d", s.Weights.Candidate)
		}
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{update, runID, by, point}, "\x00")))
	return update + "-" + hex.EncodeToString(sum[:8])
}
