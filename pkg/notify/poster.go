package notify

import (
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

// Post posts p and returns the message's timestamp, which is its id within the channel. to gives the address of the API; the
// message goes to p.Channel. Errors are a *RateLimitedError or a *PostError; Retryable and NotPosted tell them apart.
func (p Poster) Post(ctx context.Context, to swap.Slack, token string, message Payload) (ts string, err error) {
	if token == "" {
		return "", &PostError{Channel: message.Channel, Detail: "the token is empty", NotPosted: true, Kind: ErrBadToken}
	}
	options := []slack.Option{slack.OptionHTTPClient(p.client())}
	if to.APIURL != "" {
		options = append(options, slack.OptionAPIURL(strings.TrimSuffix(to.APIURL, "/")+"/"))
	}
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	_, ts, err = slack.New(token, options...).PostMessageContext(ctx, message.Channel, message.options()...)
	if err != nil {
		return "", classify(ctx, message.Channel, token, sent.Load(), err)
	}
	if ts == "" {
		return "", &PostError{Channel: message.Channel, Detail: "the answer holds no timestamp of a message"}
	}
	return ts, nil
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
