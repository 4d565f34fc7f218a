package drill

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Fault is something that goes wrong, once, in the course of a run.
type Fault struct {
	Name, About string
	// when are the moments at which it may strike.
	when   []func(*rand.Rand) moment
	strike func(context.Context, *course) error
	// Ends are the decisions that a run may end with after it; empty for a run that has none, because it was cut off.
	Ends []swap.Decision
}

var (
	undisturbed = []swap.Decision{swap.Pass, swap.Inconclusive}
	putBack     = []swap.Decision{swap.Fail, swap.Inconclusive}
	// stopped may come too late for a run that has decided.
	stopped = []swap.Decision{swap.Aborted, swap.Pass, swap.Inconclusive}

	anywhere  = []func(*rand.Rand) moment{duringLoad, duringRollout}
	inRollout = []func(*rand.Rand) moment{duringRollout}
)

// Faults are all faults, in the order of the documentation.
var Faults = []Fault{
	{"none", "nothing goes wrong", []func(*rand.Rand) moment{atLaunch}, nothing, undisturbed},
	{"control-worker-killed", "the worker that runs workflows is killed and another started", anywhere, killControl, undisturbed},
	{"load-worker-killed", "the worker that drives load is killed and another started", anywhere, killLoad, undisturbed},
	{"temporal-restarted", "the Temporal server is killed and started again", anywhere, restartTemporal, undisturbed},
	{
		"gateway-refuses", "nothing can connect to the gateway for a while", inRollout, gatewayRefuses,
		[]swap.Decision{swap.Pass, swap.Fail, swap.Inconclusive, swap.Errored},
	},
	{"other-writer", "somebody else sets the weights", inRollout, otherWriter, putBack},
	{"other-writer-briefly", "somebody else sets the weights and puts them back", inRollout, otherWriterBriefly, undisturbed},
	{"candidate-dies", "the candidate's server is killed", inRollout, killCandidate, putBack},
	{"cancel", "the workflow is cancelled", anywhere, cancelRun, stopped},
	{"abort", "a person aborts", anywhere, ask(swap.UpdateAbort), stopped},
	{"rollback", "a person rolls back", inRollout, ask(swap.UpdateRollback), stopped},
	{"abort-and-kill", "a person aborts, and both workers are killed at once", inRollout, abortAndKill, stopped},
	{
		"abort-gateway-down", "a person aborts while the gateway refuses", inRollout, abortWithGatewayDown,
		append([]swap.Decision{swap.Fail}, stopped...),
	},
	{"terminate", "the workflow is terminated, then `swapgate rollback` is run", anywhere, terminate, nil},
}

// allows reports whether a run may end so.
func (f Fault) allows(d swap.Decision) bool { return slices.Contains(f.Ends, d) }

func nothing(context.Context, *course) error { return nil }

func killControl(ctx context.Context, c *course) error {
	return errors.Join(c.control.Kill(), c.startWorker(ctx, &c.control, "control"))
}

func killLoad(ctx context.Context, c *course) error {
	return errors.Join(c.load.Kill(), c.startWorker(ctx, &c.load, "load"))
}

func restartTemporal(ctx context.Context, c *course) error {
	return errors.Join(c.site.Temporal.Kill(), c.site.Temporal.Restart(ctx))
}

func gatewayRefuses(ctx context.Context, c *course) error {
	if err := c.models.Gateway.Kill(); err != nil {
		return err
	}
	pause(ctx, c.outage)
	return c.site.RestartGateway(ctx, c.models)
}

func otherWriter(ctx context.Context, c *course) error {
	return c.setWeights(ctx, swap.Weights{Baseline: 50, Candidate: 50})
}

func otherWriterBriefly(ctx context.Context, c *course) error {
	before, err := c.weights(ctx)
	if err != nil {
		return err
	}
	if err := c.setWeights(ctx, swap.Weights{Baseline: 50, Candidate: 50}); err != nil {
		return err
	}
	return c.setWeights(ctx, before.Weights)
}

func killCandidate(_ context.Context, c *course) error { return c.models.Servers.Candidate.Kill() }

func cancelRun(ctx context.Context, c *course) error {
	return c.client.CancelWorkflow(ctx, c.workflowID(), "")
}

// ask sends an update. A run that has decided meanwhile refuses it, which is as good.
func ask(update string) func(context.Context, *course) error {
	return func(ctx context.Context, c *course) error {
		_, err := c.client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
			WorkflowID: c.workflowID(), UpdateName: update, WaitForStage: client.WorkflowUpdateStageAccepted,
			Args: []any{swap.ByRequest{By: "swapgate drill", Reason: "drill"}},
		})
		if err != nil && c.closed(ctx) {
			return errClosedBefore
		}
		return err
	}
}

func abortAndKill(ctx context.Context, c *course) error {
	if err := ask(swap.UpdateAbort)(ctx, c); err != nil {
		return err
	}
	return errors.Join(c.control.Kill(), c.load.Kill(), c.startWorker(ctx, &c.control, "control"), c.startWorker(ctx, &c.load, "load"))
}

func abortWithGatewayDown(ctx context.Context, c *course) error {
	if err := c.models.Gateway.Kill(); err != nil {
		return err
	}
	err := ask(swap.UpdateAbort)(ctx, c)
	pause(ctx, c.outage)
	return errors.Join(err, c.site.RestartGateway(ctx, c.models))
}

func terminate(ctx context.Context, c *course) error {
	if err := c.client.TerminateWorkflow(ctx, c.workflowID(), "", "drill"); err != nil {
		return err
	}
	return c.rollBackByCommand(ctx)
}

// pause is how long an outage lasts.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
