package workflows

import (
	"errors"
	"fmt"

	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/rollout/feedback"
	"github.com/swapgate/swapgate/pkg/swap"
)

// ValidateSwap runs one validation from preflight to verdict. A failed gate completes the workflow with verdict fail; only
// a run that could not be measured fails the workflow, and a cancelled one is cancelled. In every case traffic is on a
// known arm, as read back from the gateway, before the workflow closes.
func ValidateSwap(ctx workflow.Context, in swap.Request) (swap.Verdict, error) {
	v, err := newValidation(ctx, in)
	if err != nil {
		return swap.Verdict{}, err
	}
	return v.run(ctx)
}

// validation is the state of one run.
type validation struct {
	in      swap.Request
	log     log.Logger
	board   *board
	verdict swap.Verdict
	// telemetry is what the captures beside the load returned.
	telemetry []swap.TelemetryResult
	manifests []swap.ObjectRef
	inPlace   inPlace

	// cancelStages stops the pipeline, and nothing of what follows it.
	cancelStages workflow.CancelFunc
	stop         *stopRequest
	// cancelled says that the workflow was cancelled before it had decided.
	cancelled bool
	// braked says that traffic was set back, or is being so, before the stages had ended.
	braked   bool
	approval approval
	// feedback is what the application reported; nil where the plan does not ask for it.
	feedback   *feedback.Ledger
	extensions int
	// thread is the run's thread in Slack; nil where it has none.
	thread *thread
}

// stopRequest is a person's wish to end the run and go back.
type stopRequest struct {
	by   swap.ByRequest
	code string
}

func newValidation(ctx workflow.Context, in swap.Request) (*validation, error) {
	v := newMeasurement(ctx, in)
	return v, v.handlers(ctx)
}

// newMeasurement is a run that nobody can ask anything of yet.
func newMeasurement(ctx workflow.Context, in swap.Request) *validation {
	info := workflow.GetInfo(ctx)
	v := &validation{
		in:  in,
		log: log.With(workflow.GetLogger(ctx), "target", in.Spec.Target),
		verdict: swap.Verdict{
			SchemaVersion: swap.VerdictSchemaVersion,
			Target:        in.Spec.Target,
			Arms:          swap.PerArm[swap.ArmFacts]{Baseline: named(in.Spec.Baseline), Candidate: named(in.Spec.Candidate)},
			Gates:         []swap.GateResult{},
			Steps:         []swap.StepResult{},
			Reasons:       []swap.Reason{},
			Provenance: swap.Provenance{
				WorkflowID:  info.WorkflowExecution.ID,
				RunID:       info.WorkflowExecution.RunID,
				Started:     workflow.Now(ctx),
				SpecSHA256:  in.SpecSHA256,
				Seed:        in.Spec.Workload.Seed,
				RequestedBy: in.RequestedBy,
				Labels:      in.Labels,
			},
		},
	}
	v.board = newBoard(ctx, in)
	v.hearLoadNews(ctx)
	return v
}

// named is what is known of an arm before preflight looked at it.
func named(e swap.Endpoint) swap.ArmFacts { return swap.ArmFacts{URL: e.URL, Model: e.Model} }

// run is the whole life of a validation: the stages, then whatever they made necessary, then telling people.
func (v *validation) run(ctx workflow.Context) (swap.Verdict, error) {
	stages, cancel := workflow.WithCancel(ctx)
	v.cancelStages = cancel
	v.openThread(ctx)
	workflow.Go(ctx, func(ctx workflow.Context) {
		ctx.Done().Receive(ctx, nil)
		v.brakeAtOnce(ctx)
	})
	err := v.pipeline(stages)

	// From here on nothing may be cut short: a cancelled run must still go back and tell.
	closing, done := workflow.NewDisconnectedContext(ctx)
	defer done()
	v.decideFrom(ctx, err)
	if restoreErr := v.goBack(closing); restoreErr != nil {
		return v.verdict, restoreErr
	}
	if restoreErr := v.restoreModel(closing); restoreErr != nil {
		return v.verdict, restoreErr
	}
	v.register(closing)
	v.markHealthy(closing)
	v.publish(closing)
	if awaitErr := workflow.Await(closing, func() bool { return workflow.AllHandlersFinished(closing) }); awaitErr != nil {
		return v.verdict, awaitErr
	}
	return v.result(ctx, err)
}

// pipeline runs the stages until one of them decides.
func (v *validation) pipeline(ctx workflow.Context) error {
	for _, s := range []struct {
		stage swap.Stage
		run   func(workflow.Context) (note string, err error)
	}{
		{swap.StagePreflight, v.preflight},
		{swap.StageSnapshot, v.takeSnapshot},
		{swap.StageWarmUp, v.warmUp},
		{swap.StageLoad, v.load},
		{swap.StageBaseline, v.fitBaseline},
		{swap.StageCompare, v.compare},
		{swap.StageRollout, v.rollout},
	} {
		if s.stage == swap.StageRollout && !v.moves() {
			v.board.skip(ctx, s.stage, "no rollout in the request")
			continue
		}
		v.verdict.Stage = s.stage
		v.board.begin(ctx, s.stage)
		note, err := s.run(ctx)
		if err != nil {
			v.board.end(ctx, s.stage, stateFailed, shortError(err))
			return err
		}
		v.board.end(ctx, s.stage, stateDone, note)
		if v.verdict.Verdict != "" {
			return nil
		}
	}
	if ctx.Err() == nil {
		// A stop that was accepted while the last stage ended is kept: it was answered that traffic goes back.
		v.decide(swap.Pass)
	}
	return nil
}

// decide sets the verdict. The first decision stands.
func (v *validation) decide(d swap.Decision, reasons ...swap.Reason) {
	if v.verdict.Verdict != "" {
		return
	}
	v.verdict.Verdict = d
	v.verdict.Reasons = append(reasons, v.verdict.Reasons...)
	v.board.status.Verdict = d
	v.board.status.Reasons = v.verdict.Reasons
}

// decideFrom turns the way in which the pipeline ended into a decision, where the pipeline itself did not decide.
func (v *validation) decideFrom(ctx workflow.Context, err error) {
	switch {
	case v.stop != nil:
		v.decide(swap.Aborted, swap.Reason{
			Code: v.stop.code, Subject: string(v.verdict.Stage),
			Message: fmt.Sprintf("Stopped by %s during %s, reason: %s.", orUnknown(v.stop.by.By), v.verdict.Stage, orUnknown(v.stop.by.Reason)),
		})
	case ctx.Err() != nil:
		v.cancelled = v.verdict.Verdict == ""
		v.decide(swap.Aborted, swap.Reason{
			Code: swap.ReasonCancelled, Subject: string(v.verdict.Stage),
			Message: fmt.Sprintf("The workflow was cancelled during %s.", v.verdict.Stage),
		})
	case err != nil:
		v.decide(swap.Errored, swap.Reason{
			Code: swap.ReasonCouldNotMeasure, Subject: string(v.verdict.Stage),
			Message: fmt.Sprintf("%s failed: %s", v.verdict.Stage, shortError(err)),
		})
	}
	v.verdict.Provenance.Ended = workflow.Now(ctx)
	v.verdict.Summary = summary(v.verdict)
}

// result is what the workflow returns. Its error holds no cancellation unless the cancel decided the run: the server would
// otherwise show a failed run as calmly cancelled, and a promoted one as if nothing had been moved.
func (v *validation) result(ctx workflow.Context, err error) (swap.Verdict, error) {
	switch {
	case v.cancelled:
		return v.verdict, ctx.Err()
	case v.verdict.Verdict == swap.Errored:
		return v.verdict, temporal.NewNonRetryableApplicationError(v.verdict.Summary, errorType(err), nil, v.verdict)
	}
	return v.verdict, nil
}

// errorType keeps the stable type of the error that stopped the pipeline.
func errorType(err error) string {
	var app *temporal.ApplicationError
	if errors.As(err, &app) && app.Type() != "" {
		return app.Type()
	}
	return "CouldNotMeasure"
}

// shortError is the message of the innermost application error: the activity's own words, without the SDK's wrapping.
func shortError(err error) string {
	if temporal.IsCanceledError(err) {
		return "stopped before its end"
	}
	var app *temporal.ApplicationError
	if errors.As(err, &app) {
		return app.Message()
	}
	var timeout *temporal.TimeoutError
	if errors.As(err, &timeout) {
		return timeout.Message() + " (" + timeout.TimeoutType().String() + ")"
	}
	return err.Error()
}

func orUnknown(s string) string {
	if s == "" {
		return "not given"
	}
	return s
}
