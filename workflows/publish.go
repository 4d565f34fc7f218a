package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/swap"
)

// publish writes the report and tells people. Neither can change the verdict: what fails here is noted and passed over.
func (v *validation) publish(ctx workflow.Context) {
	v.board.begin(ctx, swap.StageReport)
	actx := workflow.WithActivityOptions(ctx, compute("report.html and verdict.json"))
	var artifacts swap.Artifacts
	in := swap.PublishReportInput{Spec: v.in.Spec, Verdict: v.verdict}
	if err := workflow.ExecuteActivity(actx, swap.ActivityPublishReport, in).Get(actx, &artifacts); err != nil {
		v.note("report", "The report could not be written: "+shortError(err), "Use this result; the raw data are in the store.")
		v.board.end(ctx, swap.StageReport, stateFailed, shortError(err))
	} else {
		v.verdict.Artifacts = artifacts
		v.board.end(ctx, swap.StageReport, stateDone, artifacts.ReportURL)
	}

	if v.in.Spec.Notify.Slack == nil {
		v.board.skip(ctx, swap.StageNotify, "no channel in the request")
	} else {
		v.board.begin(ctx, swap.StageNotify)
		if err := v.postVerdict(ctx); err != nil {
			v.board.end(ctx, swap.StageNotify, stateFailed, shortError(err))
		} else {
			v.board.end(ctx, swap.StageNotify, stateDone, delivery(*v.in.Spec.Notify.Slack))
		}
	}
	v.board.finish(ctx, v.verdict)
}

// delivery is where the message went.
func delivery(s swap.Slack) string {
	if s.Token == nil {
		return "stored, not posted: no token is set"
	}
	return s.Channel
}

// postVerdict tells people of the verdict, in the run's thread if it has one.
func (v *validation) postVerdict(ctx workflow.Context) error {
	if v.thread != nil {
		return v.tellVerdict(ctx)
	}
	return v.notifyWith(ctx, "")
}

// notifyWith posts the verdict, or the alarm if there is one, where the request names a channel.
func (v *validation) notifyWith(ctx workflow.Context, alarm string) error {
	if v.in.Spec.Notify.Slack == nil {
		return nil
	}
	options := tell("verdict "+string(v.verdict.Verdict), verdictPatience)
	if alarm != "" {
		options = tell("alarm: rollback is stuck", alarmPatience)
	}
	actx := workflow.WithActivityOptions(ctx, options)
	in := swap.NotifyInput{Spec: v.in.Spec, Verdict: v.verdict, Alarm: alarm}
	var message *swap.ObjectRef
	if err := workflow.ExecuteActivity(actx, swap.ActivityNotifySlack, in).Get(actx, &message); err != nil {
		v.notPosted(err)
		return err
	}
	if alarm == "" {
		v.verdict.Artifacts.Slack = message
	}
	return nil
}

func (v *validation) notPosted(err error) {
	v.note("slack", "The message was not posted: "+shortError(err), "Check the token and the channel.")
}

// note adds a finding that changes no decision.
func (v *validation) note(subject, message, next string) {
	v.verdict.Findings = append(v.verdict.Findings, swap.Finding{Severity: swap.Notable, Subject: subject, Message: message, Next: next})
}

// summary is the verdict in one sentence.
func summary(v swap.Verdict) string {
	swapped := fmt.Sprintf("%s → %s on %s", orUnknown(v.Arms.Baseline.Model), orUnknown(v.Arms.Candidate.Model), v.Target)
	why := ""
	if len(v.Reasons) > 0 {
		why = ": " + v.Reasons[0].Message
	}
	switch v.Verdict {
	case swap.Pass:
		if v.FinalWeights != nil {
			return fmt.Sprintf("%s is safe: every gate passed and the candidate serves %d %% of traffic.", swapped, v.FinalWeights.Candidate)
		}
		return swapped + " is safe: every gate passed."
	case swap.Fail:
		return swapped + " is not safe" + why
	case swap.Inconclusive:
		return swapped + " is not decided" + why
	case swap.Aborted:
		return swapped + " was stopped" + why
	default:
		return swapped + " could not be measured" + why
	}
}
