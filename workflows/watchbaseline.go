package workflows

import (
	"fmt"
	"slices"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/swap"
)

// WatchBaseline measures the model that serves, alone, and compares it with its registered baseline. Every response completes
// the workflow; only a watch that could not be measured fails it, and a cancelled one is cancelled. No traffic is moved.
//
// The load steps are those of a validation, with one server as both arms: the same schedule, settling and checks as when the
// baseline was measured, and two halves that must agree. The blocks of both count.
func WatchBaseline(ctx workflow.Context, in swap.Request) (swap.WatchResult, error) {
	in.Spec = alone(in.Spec)
	w := &driftWatch{validation: newMeasurement(ctx, in)}
	w.board.only(ctx, watchStages)
	w.result = swap.WatchResult{
		SchemaVersion: swap.WatchSchemaVersion, Target: in.Spec.Target, Reasons: []swap.Reason{}, Metrics: []swap.DriftMetric{},
		Steps: []swap.StepResult{}, Provenance: w.verdict.Provenance,
	}
	if err := w.queries(ctx); err != nil {
		return w.result, err
	}
	return w.run(ctx)
}

// alone is the specification of a run in which the baseline is both arms. What is sampled of the candidate's hosts says nothing
// of it.
func alone(s swap.Spec) swap.Spec {
	s.Candidate, s.Rollout, s.InPlace = s.Baseline, nil, nil
	s.Telemetry.Sources = slices.DeleteFunc(slices.Clone(s.Telemetry.Sources), func(src swap.TelemetrySource) bool {
		return src.Arm == swap.Candidate
	})
	return s
}

// watchStages are the stages of a watch.
var watchStages = []swap.Stage{swap.StagePreflight, swap.StageWarmUp, swap.StageLoad, swap.StageCompare, swap.StageReport, swap.StageNotify}

// driftWatch is a measurement of one server.
type driftWatch struct {
	*validation
	result swap.WatchResult
}

func (w *driftWatch) queries(ctx workflow.Context) error {
	for _, q := range []struct {
		name, description string
		handler           any
	}{
		{swap.QueryStatus, "Where the watch stands.", w.status},
		{swap.QueryPlan, "The specification with every default filled in.", func() (swap.Spec, error) { return w.in.Spec, nil }},
	} {
		opts := workflow.QueryHandlerOptions{Description: q.description}
		if err := workflow.SetQueryHandlerWithOptions(ctx, q.name, q.handler, opts); err != nil {
			return err
		}
	}
	return nil
}

// run measures, compares, keeps the result and tells people where it calls for it.
func (w *driftWatch) run(ctx workflow.Context) (swap.WatchResult, error) {
	err := w.measure(ctx)
	if ctx.Err() != nil {
		return w.result, ctx.Err()
	}
	w.fill(ctx)
	if err != nil {
		w.result.Summary = fmt.Sprintf("%s on %s could not be watched: %s", w.in.Spec.Baseline.Model, w.in.Spec.Target, shortError(err))
		w.tellPeople(ctx)
		w.finish(ctx)
		return w.result, temporal.NewNonRetryableApplicationError(w.result.Summary, errorType(err), nil, w.result)
	}
	w.record(ctx)
	if w.result.Response.Severity() >= swap.DriftNotify.Severity() {
		w.tellPeople(ctx)
	} else {
		w.board.skip(ctx, swap.StageNotify, "nothing to tell: "+string(w.result.Response))
	}
	w.finish(ctx)
	return w.result, ctx.Err()
}

// measure runs the stages up to the comparison, or until one says that nothing can be measured.
func (w *driftWatch) measure(ctx workflow.Context) error {
	for _, s := range []struct {
		stage swap.Stage
		run   func(workflow.Context) (note string, err error)
	}{
		{swap.StagePreflight, w.lookAround}, {swap.StageWarmUp, w.warmUp}, {swap.StageLoad, w.load}, {swap.StageCompare, w.compareWithBaseline},
	} {
		w.verdict.Stage = s.stage
		w.board.begin(ctx, s.stage)
		note, err := s.run(ctx)
		if err != nil {
			w.board.end(ctx, s.stage, stateFailed, shortError(err))
			return err
		}
		w.board.end(ctx, s.stage, stateDone, note)
		if w.result.Response != "" {
			return nil
		}
	}
	return nil
}

// lookAround finds out whether the server can be measured, and whether a validation loads it at the same time.
func (w *driftWatch) lookAround(ctx workflow.Context) (string, error) {
	var idle swap.CheckIdleResult
	actx := workflow.WithActivityOptions(ctx, quick("no validation of the target runs"))
	err := workflow.ExecuteActivity(actx, swap.ActivityCheckIdle, swap.CheckIdleInput{Target: w.in.Spec.Target}).Get(actx, &idle)
	if err != nil {
		return "", err
	}
	if idle.Busy != "" {
		w.undecided(swap.Reason{Code: swap.ReasonTargetBusy, Subject: idle.Busy, Message: fmt.Sprintf(
			"%s runs, and its load would be measured as drift. The next watch measures again.", idle.Busy)})
		return idle.Busy + " runs", nil
	}
	note, err := w.preflight(ctx)
	if w.verdict.Verdict != "" {
		w.undecided(w.verdict.Reasons...)
	}
	return note, err
}

// undecided ends the watch without a comparison.
func (w *driftWatch) undecided(reasons ...swap.Reason) {
	w.result.Response, w.result.Reasons = swap.DriftInconclusive, reasons
}

// compareWithBaseline asks for the response to what was measured.
func (w *driftWatch) compareWithBaseline(ctx workflow.Context) (string, error) {
	var d swap.Drift
	actx := workflow.WithActivityOptions(ctx, compute("against the registered baseline"))
	in := swap.CompareDriftInput{Spec: w.in.Spec, Facts: w.verdict.Arms.Baseline, Manifests: w.manifests, Telemetry: w.telemetry}
	if err := workflow.ExecuteActivity(actx, swap.ActivityCompareDrift, in).Get(actx, &d); err != nil {
		return "", err
	}
	r := &w.result
	r.Response, r.Baseline, r.WorkSHA256 = d.Response, d.Baseline, d.WorkSHA256
	r.Metrics, r.Distances, r.Changes, r.Findings = d.Metrics, d.Distances, d.Changes, d.Findings
	r.Reasons = append(r.Reasons, d.Reasons...)
	w.verdict.Provenance.EvidenceSHA256 = d.EvidenceSHA256
	return string(d.Response), nil
}

// fill completes the document with what the measurement itself found.
func (w *driftWatch) fill(ctx workflow.Context) {
	r := &w.result
	r.Facts, r.Steps, r.Telemetry = w.verdict.Arms.Baseline, w.verdict.Steps, w.verdict.Telemetry
	for _, f := range w.verdict.Findings {
		if f.Severity != swap.Blocking && f.Subject != string(swap.Candidate) {
			r.Findings = append(r.Findings, f)
		}
	}
	r.Provenance = w.verdict.Provenance
	r.Provenance.Ended = workflow.Now(ctx)
	r.Summary = driftSummary(*r, w.in.Spec)
}

// driftSummary is the response in one sentence.
func driftSummary(r swap.WatchResult, spec swap.Spec) string {
	model := fmt.Sprintf("%s on %s", orUnknown(spec.Baseline.Model), spec.Target)
	if r.Response == swap.DriftSilent {
		return model + " is as its baseline was."
	}
	said := map[swap.DriftResponse]string{
		swap.DriftInconclusive: "was measured, and whether it changed is not decided", swap.DriftNotify: "is a little worse than its baseline",
		swap.DriftFail: "is worse than its baseline", swap.DriftBlock: "is much worse than its baseline, and rollouts are blocked",
	}[r.Response]
	if len(r.Reasons) == 0 {
		return model + " " + said + "."
	}
	return model + " " + said + ": " + r.Reasons[0].Message
}

// record keeps the result as history. That it fails changes no response, but a block that could not be set is said.
func (w *driftWatch) record(ctx workflow.Context) {
	w.board.begin(ctx, swap.StageReport)
	actx := workflow.WithActivityOptions(ctx, compute("history of the target"))
	var kept swap.RecordedDrift
	in := swap.RecordDriftInput{Spec: w.in.Spec, Result: w.result}
	if err := workflow.ExecuteActivity(actx, swap.ActivityRecordDrift, in).Get(actx, &kept); err != nil {
		next := "The result is in the workflow; the history lacks it."
		if w.result.Response == swap.DriftBlock {
			next = "Rollouts of the target are not blocked: stop them yourself."
		}
		w.note("store", "The result could not be kept: "+shortError(err), next)
		w.board.end(ctx, swap.StageReport, stateFailed, shortError(err))
		return
	}
	w.result.Stored, w.result.Blocked = &kept.Stored, kept.Blocked
	w.board.end(ctx, swap.StageReport, stateDone, kept.Stored.URI)
}

func (w *driftWatch) note(subject, message, next string) {
	w.result.Findings = append(w.result.Findings, swap.Finding{Severity: swap.Notable, Subject: subject, Message: message, Next: next})
}

// tellPeople posts the summary where the specification names a channel.
func (w *driftWatch) tellPeople(ctx workflow.Context) {
	if w.in.Spec.Notify.Slack == nil {
		w.board.skip(ctx, swap.StageNotify, "no channel in the specification")
		return
	}
	w.board.begin(ctx, swap.StageNotify)
	p := w.result.Provenance
	about := swap.Verdict{Target: w.in.Spec.Target, Provenance: p}
	about.Artifacts.TemporalURL = swap.RunURL(w.in.Spec.Notify.TemporalUI, workflow.GetInfo(ctx).Namespace, p.WorkflowID, p.RunID)
	actx := workflow.WithActivityOptions(ctx, tell("drift: "+string(w.result.Response), alarmPatience))
	in := swap.NotifyInput{Spec: w.in.Spec, Verdict: about, Alarm: w.result.Summary}
	if err := workflow.ExecuteActivity(actx, swap.ActivityNotifySlack, in).Get(actx, &w.result.Slack); err != nil {
		w.note("slack", "The message was not posted: "+shortError(err), "Check the token and the channel.")
		w.board.end(ctx, swap.StageNotify, stateFailed, shortError(err))
		return
	}
	w.board.end(ctx, swap.StageNotify, stateDone, delivery(*w.in.Spec.Notify.Slack))
}

// finish is the last state of the board.
func (w *driftWatch) finish(ctx workflow.Context) {
	w.board.status.Verdict, w.board.status.Reasons = swap.Decision(w.result.Response), w.result.Reasons
	w.board.finish(ctx, swap.Verdict{Verdict: swap.Decision(w.result.Response)})
}
