package activities

import (
	"context"

	"github.com/swapgate/swapgate/pkg/notify"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/secret"
	"github.com/swapgate/swapgate/pkg/swap"
)

// slackSchema names the layout of a stored message: the body of chat.postMessage.
const slackSchema = "slack-message/v1"

// Kinds of message, each claimed apart.
const (
	kindVerdict = "slack-verdict"
	kindAlarm   = "slack-alarm"
)

// NotifySlack posts an alarm once, into the thread of the run if it has one, or the verdict of a run that has none. The message is
// stored in any case; without a token it is stored only.
func (a *Activities) NotifySlack(ctx context.Context, in swap.NotifyInput) (*swap.ObjectRef, error) {
	to := *in.Spec.Notify.Slack
	kind, payload := kindVerdict, notify.NewPayload(to.Channel, in.Verdict)
	if in.Alarm != "" {
		kind, payload = kindAlarm, notify.NewAlarm(to.Channel, in.Alarm, in.Verdict)
	}
	store, err := a.OpenStore(in.Spec.Store)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	run := runKey(ctx, in.Spec.Target)
	message, err := notify.JSON(payload)
	if err != nil {
		return nil, err
	}
	ref, err := store.PutBytes(ctx, runstore.SlackKey(run, kind), "application/json", message, slackSchema)
	if err != nil || to.Token == nil {
		return &ref, err
	}
	token, err := secret.Resolve(to.Token)
	if err != nil {
		return nil, err
	}
	key, err := notify.Key(run.RunID, kind, payload)
	if err != nil {
		return nil, err
	}
	_, err = notify.Once(ctx, store, key, func(ctx context.Context) (notify.Sent, error) {
		return a.Slack.Post(ctx, to, token.Reveal(), inThread(ctx, store, run.RunID, payload))
	})
	return &ref, err
}
