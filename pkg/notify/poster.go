package notify

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"github.com/slack-go/slack"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Poster posts messages with the Slack API.
type Poster struct {
	// HTTP makes the requests; nil stands for a client with a time limit of 30 s. It follows no redirect: the token goes to
	// the configured address and nowhere else.
	HTTP *http.Client
}

// defaultTimeout bounds one request where no client is given.
const defaultTimeout = 30 * time.Second

// Post posts message and returns where it is. to gives the address of the API; the message goes to message.Channel. Errors are
// a *RateLimitedError or a *PostError; Retryable and NotPosted tell them apart.
func (p Poster) Post(ctx context.Context, to swap.Slack, token string, message Payload) (sent Sent, err error) {
	err = p.call(ctx, to, token, message.Channel, func(ctx context.Context, api *slack.Client) (err error) {
		sent.Channel, sent.TS, err = api.PostMessageContext(ctx, message.Channel, message.options()...)
		return err
	})
	if err == nil && sent.TS == "" {
		err = &PostError{Channel: message.Channel, Detail: "the answer holds no timestamp of a message"}
	}
	return sent, err
}

// Update replaces what a message shows. Doing it again changes nothing. Its errors are those of Post, and ErrMessageGone for a
// message that was deleted.
func (p Poster) Update(ctx context.Context, to swap.Slack, token string, at Sent, message Payload) error {
	err := p.call(ctx, to, token, at.Channel, func(ctx context.Context, api *slack.Client) error {
		_, _, _, err := api.UpdateMessageContext(ctx, at.Channel, at.TS, message.options()...)
		return err
	})
	var failed *PostError
	if errors.As(err, &failed) {
		failed.NotPosted = true // an update posts nothing, so that it can always be done again
	}
	return err
}

// File is what is uploaded.
type File struct {
	Name, Title string
	// Alt describes a picture to those who do not see it.
	Alt  string
	Data []byte
}

// Upload puts a file into the thread of a message. Sent.TS is the file's id. Its errors are those of Post.
func (p Poster) Upload(ctx context.Context, to swap.Slack, token string, thread Sent, f File) (sent Sent, err error) {
	err = p.call(ctx, to, token, thread.Channel, func(ctx context.Context, api *slack.Client) error {
		file, err := api.UploadFileContext(ctx, slack.UploadFileParameters{
			Reader: bytes.NewReader(f.Data), FileSize: len(f.Data), Filename: f.Name, Title: f.Title, AltTxt: f.Alt,
			Channel: thread.Channel, ThreadTimestamp: thread.TS,
		})
		if err == nil {
			sent = Sent{Channel: thread.Channel, TS: file.ID}
		}
		return err
	})
	return sent, err
}

// Members are the ids of a user group's users (scope usergroups:read). Its errors are those of Post.
func (p Poster) Members(ctx context.Context, to swap.Slack, token, group string) (members []string, err error) {
	err = p.call(ctx, to, token, group, func(ctx context.Context, api *slack.Client) (err error) {
		members, err = api.GetUserGroupMembersContext(ctx, group)
		return err
	})
	return members, err
}

// call asks the API something about a channel and gives its errors a name.
func (p Poster) call(
	ctx context.Context, to swap.Slack, token, channel string, do func(context.Context, *slack.Client) error,
) error {
	if token == "" {
		return &PostError{Channel: channel, Detail: "the token is empty", NotPosted: true, Kind: ErrBadToken}
	}
	options := []slack.Option{slack.OptionHTTPClient(p.client())}
	if to.APIURL != "" {
		options = append(options, slack.OptionAPIURL(strings.TrimSuffix(to.APIURL, "/")+"/"))
	}
	var begun atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { begun.Store(true) }})
	if err := do(ctx, slack.New(token, options...)); err != nil {
		return classify(ctx, channel, token, begun.Load(), err)
	}
	return nil
}

func (p Poster) client() *http.Client {
	client := http.Client{Timeout: defaultTimeout}
	if p.HTTP != nil {
		client = *p.HTTP
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

// fallbackRetryAfter is the wait where Slack limits the rate but does not say for how long.
const fallbackRetryAfter = time.Minute

// classify turns an error of the Slack client into one of this package, which holds nothing of the request.
func classify(ctx context.Context, channel, token string, sent bool, err error) error {
	var limited *slack.RateLimitedError
	if errors.As(err, &limited) {
		return &RateLimitedError{Channel: channel, RetryAfter: limited.RetryAfter}
	}
	var status slack.StatusCodeError
	if errors.As(err, &status) {
		if status.Code == http.StatusTooManyRequests {
			return &RateLimitedError{Channel: channel, RetryAfter: fallbackRetryAfter}
		}
		return &PostError{Channel: channel, Detail: "HTTP " + redact(status.Status, token), NotPosted: turnedAway(status.Code)}
	}
	var refusal slack.SlackErrorResponse
	if errors.As(err, &refusal) {
		return refused(channel, redact(refusal.Err, token), refusal.Needed)
	}
	return &PostError{Channel: channel, Detail: redact(err.Error(), token), NotPosted: !sent, Kind: ctx.Err()}
}

// turnedAway reports whether a status says that the request was not worked on. Any other 5xx may have posted.
func turnedAway(status int) bool {
	return status < http.StatusInternalServerError || status == http.StatusServiceUnavailable
}

// refused names what an error code of chat.postMessage means.
func refused(channel, code, needed string) error {
	e := &PostError{Channel: channel, Detail: code, NotPosted: true}
	switch code {
	case "ratelimited", "rate_limited":
		return &RateLimitedError{Channel: channel, RetryAfter: fallbackRetryAfter}
	case "internal_error", "fatal_error":
		e.NotPosted = false // Slack says of both that a part may have succeeded
	case "invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "no_permission", "missing_scope",
		"not_allowed_token_type", "org_login_required", "ekm_access_denied", "access_denied", "two_factor_setup_required":
		e.Kind = ErrBadToken
	case "channel_not_found", "not_in_channel", "is_archived", "restricted_action", "restricted_action_read_only_channel",
		"restricted_action_non_threadable_channel", "team_access_not_granted", "messages_tab_disabled":
		e.Kind = ErrChannel
	case "message_not_found", "cant_update_message", "edit_window_closed":
		e.Kind = ErrMessageGone
	case "invalid_blocks", "invalid_blocks_format", "msg_too_long", "msg_blocks_too_long", "no_text", "invalid_arguments",
		"invalid_arg_name", "invalid_form_data", "too_many_attachments":
		e.Kind = ErrRefused
	}
	if needed != "" {
		e.Detail += " (needs the scope " + needed + ")"
	}
	return e
}

// redact takes the token out of text that comes from elsewhere.
func redact(s, token string) string { return strings.ReplaceAll(s, token, "[token]") }
