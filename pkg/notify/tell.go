package notify

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/swapgate/swapgate/pkg/notify/button"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Thread is the thread of one run in one channel.
type Thread struct {
	Poster Poster
	Claims Claims
	// To is the channel and the API's address, Token the bot's token.
	To    swap.Slack
	Token string
	RunID string
}

// Told is what became of news.
type Told struct {
	// Message is the run's message as it is now, or as it would be posted.
	Message Payload
	// Missing says what could not be shown although the rest was; empty where all is there.
	Missing string
}

// ThreadKey is the claim of a run's message, whatever it shows.
func ThreadKey(runID string) string { return path.Join("claims", runID, "slack-thread") }

// Render is the run's message for its news, and what its thread gets beside it.
func Render(to swap.Slack, token string, in swap.ThreadInput) (Payload, Plan, error) {
	plan := PlanFor(in.News, in.Verdict, token != "" && len(to.Approvers) > 0)
	message, err := runMessage(to.Channel, in, plan.Buttons, button.NewKey(token))
	return message, plan, err
}

// Tell brings the thread up to date: the first time it posts the run's message, and then it updates that one. What matters is
// posted into the thread, each once. Doing it again with the same news changes nothing. chart is the picture of the verdict, where
// there is one; that it cannot be uploaded keeps nothing else from being shown.
//
// Where it is not known whether the run's message is there, or somebody deleted it, posts go to the channel instead.
func (t Thread) Tell(ctx context.Context, in swap.ThreadInput, chart []byte) (Told, error) {
	message, plan, err := Render(t.To, t.Token, in)
	if err != nil {
		return Told{}, err
	}
	told := Told{Message: message}
	parent, err := t.show(ctx, message)
	switch {
	case errors.Is(err, ErrOutcomeUnknown), errors.Is(err, ErrMessageGone):
		told.Missing = "the run's message: " + err.Error()
	case err != nil:
		return told, err
	}
	for _, p := range plan.Posts {
		payload := reply(t.To.Channel, p, in)
		if parent.TS == "" && p == PostVerdict {
			payload = message // nothing else shows it
		}
		if err := t.post(ctx, postKind(p, in.News), payload, parent, p.Broadcast()); err != nil {
			return told, err
		}
	}
	if plan.Chart && len(chart) > 0 && parent.TS != "" {
		if err := t.upload(ctx, parent, in.Verdict, chart); err != nil {
			told.Missing = "the chart: " + err.Error()
		}
	}
	return told, nil
}

// show posts the run's message, or updates it. The message is empty where it is unknown or gone.
func (t Thread) show(ctx context.Context, message Payload) (Sent, error) {
	posted, err := Once(ctx, t.Claims, ThreadKey(t.RunID), func(ctx context.Context) (Sent, error) {
		return t.Poster.Post(ctx, t.To, t.Token, message)
	})
	if err != nil || !posted.Earlier {
		return posted.Sent, err
	}
	if err := t.Poster.Update(ctx, t.To, t.Token, posted.Sent, message); err != nil {
		return Sent{}, err
	}
	return posted.Sent, nil
}

// postKind tells the posts of one kind apart, so that each comes once and none is taken for another.
func postKind(p Post, n swap.RunNews) string {
	kind := "slack-post-" + string(p)
	switch p {
	case PostDeeds:
		return fmt.Sprintf("%s-%d", kind, n.Deeds[len(n.Deeds)-1].N)
	case PostApproval:
		return fmt.Sprintf("%s-%d", kind, n.Asked)
	}
	return kind
}

// post puts a message into the thread once; without a parent it goes to the channel.
func (t Thread) post(ctx context.Context, kind string, p Payload, parent Sent, broadcast bool) error {
	if parent.TS != "" {
		p = p.In(parent, broadcast)
	}
	_, err := Once(ctx, t.Claims, path.Join("claims", t.RunID, kind), func(ctx context.Context) (Sent, error) {
		return t.Poster.Post(ctx, t.To, t.Token, p)
	})
	return err
}

// upload puts the picture into the thread once.
func (t Thread) upload(ctx context.Context, parent Sent, v swap.Verdict, chart []byte) error {
	title := headline(v)
	file := File{Name: "verdict.png", Title: title, Alt: Fallback(v), Data: chart}
	_, err := Once(ctx, t.Claims, path.Join("claims", t.RunID, "slack-chart"), func(ctx context.Context) (Sent, error) {
		return t.Poster.Upload(ctx, t.To, t.Token, parent, file)
	})
	return err
}
