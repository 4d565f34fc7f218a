package desk

import (
	"context"
	"io"
	"log"
	"net/http"
	"strings"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"github.com/swapgate/swapgate/pkg/secret"
)

// Socket hears interactions over Socket Mode: a connection that the worker opens, so that nothing has to reach it from outside.
type Socket struct {
	Desk *Desk
	// AppToken is the app-level token (xapp-…, scope connections:write).
	AppToken secret.Value
	// APIURL is the API's address where it is not Slack's own.
	APIURL string
	HTTP   *http.Client
	// Retry is the pause after Slack refused the token; other faults are retried by the client itself.
	Retry time.Duration
}

// maxFrame bounds one message of the connection.
const maxFrame = 1 << 20

// Listen hears presses until ctx ends.
func (s Socket) Listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := s.listenOnce(ctx)
		if ctx.Err() != nil {
			return
		}
		why := strings.ReplaceAll(err.Error(), s.AppToken.Reveal(), "[token]")
		s.Desk.Log.ErrorContext(ctx, "Slack's Socket Mode is not open; buttons do nothing", "error", why, "retry_in", s.Retry)
		select {
		case <-ctx.Done():
		case <-time.After(s.Retry):
		}
	}
}

// listenOnce keeps a connection open, reconnecting as Slack asks, until Slack refuses the token.
func (s Socket) listenOnce(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	quiet := log.New(io.Discard, "", 0) // the library's log would hold messages
	options := []slack.Option{slack.OptionAppLevelToken(s.AppToken.Reveal()), slack.OptionLog(quiet)}
	if s.HTTP != nil {
		options = append(options, slack.OptionHTTPClient(s.HTTP))
	}
	if s.APIURL != "" {
		options = append(options, slack.OptionAPIURL(strings.TrimSuffix(s.APIURL, "/")+"/"))
	}
	client := socketmode.New(slack.New("", options...), socketmode.OptionReadLimit(maxFrame), socketmode.OptionLog(quiet))
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		s.hear(ctx, client)
	}()
	err := client.RunContext(ctx)
	cancel()
	<-heard
	return err
}

func (s Socket) hear(ctx context.Context, client *socketmode.Client) {
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-client.Events:
			s.event(ctx, client, e)
		}
	}
}

// event answers one event. A press that cannot be taken now is not acknowledged, so that Slack says so to the one who pressed.
func (s Socket) event(ctx context.Context, client *socketmode.Client, e socketmode.Event) {
	switch e.Type {
	case socketmode.EventTypeConnected:
		s.Desk.Log.InfoContext(ctx, "Slack's Socket Mode is open")
	case socketmode.EventTypeConnectionError, socketmode.EventTypeIncomingError:
		s.Desk.Log.WarnContext(ctx, "Slack's Socket Mode is interrupted; it is opened again", "event", string(e.Type))
	}
	if e.Request == nil || e.Request.EnvelopeID == "" {
		return
	}
	if e.Type == socketmode.EventTypeInteractive {
		if press, err := Parse(e.Request.Payload); err == nil && !s.Desk.Accept(ctx, press) {
			return
		}
	}
	if err := client.AckCtx(ctx, e.Request.EnvelopeID, nil); err != nil && ctx.Err() == nil {
		s.Desk.Log.WarnContext(ctx, "an event of Slack could not be acknowledged", "error", err)
	}
}
