package notify

import (
	"errors"
	"fmt"
	"time"
)

// Kinds of failure that another attempt does not cure; test with errors.Is.
var (
	// ErrBadToken says that Slack does not accept the token, or that the token may not post.
	ErrBadToken = errors.New("the token is refused; check that it is the bot's token and has the scopes of docs/slack.md")
	// ErrChannel says that there is no such channel for the bot, or that it may not post there.
	ErrChannel = errors.New("the channel does not take the message; check its name and invite the bot to it")
	// ErrRefused says that Slack refuses the message itself.
	ErrRefused = errors.New("the message itself is refused")
	// ErrMessageGone says that a message cannot be updated any more: it was deleted, or is not the bot's.
	ErrMessageGone = errors.New("the message cannot be updated any more; it may have been deleted")
)

// ErrOutcomeUnknown says that an earlier attempt may have posted the message, and that nothing tells whether it did. Once
// never posts such a message again; see docs/slack.md for what a person can do.
var ErrOutcomeUnknown = errors.New("an earlier attempt may have posted this message, so it is not posted again; look into the channel")

// RateLimitedError says that Slack takes no message before RetryAfter has passed. Nothing was posted.
type RateLimitedError struct {
	Channel    string
	RetryAfter time.Duration
}

func (e *RateLimitedError) Error() string {
	return fmt.Sprintf("Slack takes no more messages to channel %q for %s", e.Channel, e.RetryAfter)
}

// PostError is a message that Slack did not confirm. It never holds the token.
type PostError struct {
	Channel string
	// Detail is Slack's error code, or what went wrong on the way.
	Detail string
	// NotPosted is true where it is certain that nothing was posted.
	NotPosted bool
	// Kind is ErrBadToken, ErrChannel, ErrRefused or ErrMessageGone, or the context's error; nil for all else.
	Kind error
}

func (e *PostError) Error() string {
	s := fmt.Sprintf("cannot post to Slack channel %q: %s", e.Channel, e.Detail)
	if e.Kind != nil {
		s += ": " + e.Kind.Error()
	}
	return s
}

func (e *PostError) Unwrap() error { return e.Kind }

// Retryable reports whether another attempt may help. After ErrOutcomeUnknown it may: the attempt in flight may have
// recorded its result by then.
func Retryable(err error) bool {
	for _, final := range []error{ErrBadToken, ErrChannel, ErrRefused, ErrMessageGone} {
		if errors.Is(err, final) {
			return false
		}
	}
	return err != nil
}

// NotPosted reports whether err makes it certain that nothing was posted.
func NotPosted(err error) bool {
	var limited *RateLimitedError
	if errors.As(err, &limited) {
		return true
	}
	var failed *PostError
	return errors.As(err, &failed) && failed.NotPosted
}
