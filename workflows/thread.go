package workflows

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/swap"
)

// changeThread is the version of runs that keep one message in Slack up to date; earlier ones post their verdict only.
const changeThread = "slack-thread"

// Pauses after news that did not get through and that nothing newer has replaced.
const (
	retryNewsFirst = time.Minute
	retryNewsMost  = 10 * time.Minute
)

// thread is what people were told of a run so far.
type thread struct {
	seq int
	// shown is the last news that got through, without its number and its deeds.
	shown *swap.RunNews
	// deeds are those that no news told yet; told counts the others.
	deeds []swap.Deed
	told  int
	// closing asks the keeper of the thread to end, and idle says that it has.
	closing, idle bool
}

// openThread begins to tell people how the run goes, beside the run: Slack never holds it up. Of several changes that come while
// one is being told, the last counts.
func (v *validation) openThread(ctx workflow.Context) {
	slack := v.in.Spec.Notify.Slack
	if slack == nil || workflow.GetVersion(ctx, changeThread, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return
	}
	v.thread = &thread{idle: true}
	if slack.Token == nil {
		return // only the verdict is stored, and nothing is posted
	}
	v.thread.idle = false
	own, done := workflow.NewDisconnectedContext(ctx)
	workflow.Go(own, func(ctx workflow.Context) {
		defer done()
		v.keepThread(ctx)
		v.thread.idle = true
	})
}

// keepThread tells every change until the thread is closed, or until Slack refuses for good.
func (v *validation) keepThread(ctx workflow.Context) {
	t := v.thread
	for pause := retryNewsFirst; ; {
		if err := workflow.Await(ctx, func() bool { return t.closing || v.hasNews() }); err != nil || t.closing {
			return
		}
		news := v.news()
		switch err := v.tellNews(ctx, news); {
		case err == nil:
			pause = retryNewsFirst
		case refusedForGood(err):
			return
		default:
			newer := func() bool { return t.closing || !v.news().Alike(news) }
			if _, err := workflow.AwaitWithTimeout(ctx, pause, newer); err != nil {
				return
			}
			pause = min(2*pause, retryNewsMost)
		}
	}
}

// refusedForGood reports whether the next news would be refused too.
func refusedForGood(err error) bool {
	var app *temporal.ApplicationError
	return errors.As(err, &app) && app.NonRetryable() && app.Type() != "SlackUncertain"
}

func (v *validation) hasNews() bool {
	return v.thread.shown == nil || len(v.thread.deeds) > 0 || !v.news().Alike(*v.thread.shown)
}

// news is what people should see of the run now.
func (v *validation) news() swap.RunNews {
	decided := v.verdict.Verdict != ""
	n := swap.RunNews{
		Stage: shownStage(v.board.status.Stage), Asked: v.approval.asked, Extensions: v.extensions, Stuck: v.board.rollbackStuck,
		RolledBack: v.verdict.Rollout != nil && (v.braked || decided && v.verdict.Verdict != swap.Pass),
	}
	if w := v.board.status.Weights; w != nil {
		weights := *w
		n.Weights = &weights
	}
	if v.stop != nil || decided {
		return n
	}
	nobody := swap.ByRequest{}
	n.Can = swap.Can{
		Approve: v.canApprove(nobody) == nil && !v.approval.granted, Extend: v.canExtend(nobody) == nil, Rollback: v.canStop(nobody) == nil,
	}
	if n.Can.Approve {
		n.Approve = v.approval.weight
	}
	return n
}

// shownStage takes stages together that people need not tell apart, so that a run has few news.
func shownStage(s swap.Stage) swap.Stage {
	switch s {
	case swap.StageSnapshot, swap.StageWarmUp:
		return swap.StagePreflight
	case swap.StageBaseline:
		return swap.StageCompare
	case swap.StageNotify:
		return swap.StageReport
	}
	return s
}

// tellNews has the thread show the news.
func (v *validation) tellNews(ctx workflow.Context, news swap.RunNews) error {
	_, err := v.updateThread(ctx, news, v.outline(), tell("news: "+string(news.Stage), newsPatience))
	if err == nil {
		v.thread.shown = &news
	}
	return err
}

// updateThread numbers the news, adds what people asked for in the meantime, and has them shown.
func (v *validation) updateThread(
	ctx workflow.Context, news swap.RunNews, verdict swap.Verdict, options workflow.ActivityOptions,
) (swap.ThreadResult, error) {
	t := v.thread
	t.seq++
	news.Seq, news.Deeds = t.seq, t.deeds
	var result swap.ThreadResult
	actx := workflow.WithActivityOptions(ctx, options)
	in := swap.ThreadInput{Spec: v.in.Spec, Verdict: verdict, News: news}
	err := workflow.ExecuteActivity(actx, swap.ActivityUpdateThread, in).Get(actx, &result)
	if err == nil {
		t.deeds = t.deeds[len(news.Deeds):]
		t.told += len(news.Deeds)
	}
	return result, err
}

// outline is the verdict as far as a message that is no verdict shows it: news are many, and a history is not.
func (v *validation) outline() swap.Verdict {
	return swap.Verdict{
		SchemaVersion: v.verdict.SchemaVersion, Target: v.verdict.Target, Verdict: v.verdict.Verdict, Reasons: v.verdict.Reasons,
		Arms: v.verdict.Arms, Provenance: v.verdict.Provenance,
	}
}

// deed remembers what somebody asked of the run, for the thread.
func (v *validation) deed(by swap.ByRequest, answer string) {
	if t := v.thread; t != nil {
		t.deeds = append(t.deeds, swap.Deed{N: t.told + len(t.deeds) + 1, Answer: answer, By: by.By})
	}
}

// tellVerdict closes the thread with the verdict.
func (v *validation) tellVerdict(ctx workflow.Context) error {
	v.thread.closing = true
	if err := workflow.Await(ctx, func() bool { return v.thread.idle }); err != nil {
		return err
	}
	news := v.news()
	news.Stage, news.Over, news.Stuck = swap.StageDone, true, false
	result, err := v.updateThread(ctx, news, v.verdict, tell("verdict "+string(v.verdict.Verdict), verdictPatience))
	if err != nil {
		v.notPosted(err)
		return err
	}
	v.verdict.Artifacts.Slack = result.Message
	if result.Missing != "" {
		v.note("slack", fmt.Sprintf("Not all was shown in Slack: %s.", result.Missing), "Use the report; docs/slack.md has the scopes.")
	}
	return nil
}
