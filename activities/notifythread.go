package activities

import (
	"context"

	"github.com/swapgate/swapgate/pkg/notify"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/secret"
	"github.com/swapgate/swapgate/pkg/swap"
)

// UpdateSlackThread brings the thread of a run up to date. The verdict is stored in any case; without a token nothing is posted.
func (a *Activities) UpdateSlackThread(ctx context.Context, in swap.ThreadInput) (swap.ThreadResult, error) {
	to := *in.Spec.Notify.Slack
	token, err := secret.Resolve(to.Token)
	if err != nil {
		return swap.ThreadResult{}, err
	}
	store, err := a.OpenStore(in.Spec.Store)
	if err != nil {
		return swap.ThreadResult{}, err
	}
	defer store.Close()
	in.Verdict.Artifacts.TemporalURL = temporalURL(ctx, in.Spec.Notify.TemporalUI)
	result := swap.ThreadResult{}
	if in.News.Over {
		if result.Message, err = storeMessage(ctx, store, token.Reveal(), in); err != nil {
			return result, err
		}
	}
	if token.Empty() {
		return result, nil
	}
	thread := notify.Thread{Poster: a.Slack, Claims: store, To: to, Token: token.Reveal(), RunID: runKey(ctx, in.Spec.Target).RunID}
	chart, missing := chartBytes(ctx, store, in)
	told, err := thread.Tell(ctx, in, chart)
	result.Missing = missing
	if told.Missing != "" {
		result.Missing = told.Missing
	}
	if result.Missing != "" {
		a.Log.WarnContext(ctx, "not all of the news was shown in Slack", "run", thread.RunID, "missing", result.Missing)
	}
	return result, err
}

// storeMessage keeps the run's message as it is posted.
func storeMessage(ctx context.Context, store *runstore.Store, token string, in swap.ThreadInput) (*swap.ObjectRef, error) {
	message, _, err := notify.Render(*in.Spec.Notify.Slack, token, in)
	if err != nil {
		return nil, err
	}
	data, err := notify.JSON(message)
	if err != nil {
		return nil, err
	}
	ref, err := store.PutBytes(ctx, runstore.SlackKey(runKey(ctx, in.Spec.Target), kindVerdict), "application/json", data, slackSchema)
	if err != nil {
		return nil, err
	}
	return &ref, nil
}

// chartBytes reads the verdict's picture. One that cannot be read is said, and keeps nothing else from being shown.
func chartBytes(ctx context.Context, store *runstore.Store, in swap.ThreadInput) (data []byte, missing string) {
	ref := in.Verdict.Artifacts.Chart
	if !in.News.Over || ref == nil {
		return nil, ""
	}
	data, err := store.GetBytes(ctx, *ref)
	if err != nil {
		return nil, "the chart: " + err.Error()
	}
	return data, ""
}

// inThread posts an alarm into the run's thread and into the channel, where the run has a thread.
func inThread(ctx context.Context, store *runstore.Store, runID string, p notify.Payload) notify.Payload {
	parent, found, err := notify.Find(ctx, store, notify.ThreadKey(runID))
	if err != nil || !found {
		return p // an alarm does not wait for the store
	}
	return p.In(parent, true)
}
