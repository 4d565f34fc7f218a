package host

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/swapgate/swapgate/pkg/notify"
	"github.com/swapgate/swapgate/pkg/notify/desk"
	"github.com/swapgate/swapgate/pkg/secret"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Slack configures how a process hears the buttons of Slack messages; by default it does not.
type Slack struct {
	// Socket hears them over Socket Mode, with the app-level token AppToken.
	Socket   bool
	AppToken swap.SecretRef
	// Listen is the address of POST /slack/actions, whose requests are signed with SigningSecret; empty serves none.
	Listen        string
	SigningSecret swap.SecretRef
	// API is the address of Slack's API where it is not Slack's own; user groups are looked up where the run's specification says.
	API string
}

// flags registers the flags of s. The function that it returns completes s once they are parsed.
func (s *Slack) flags(fs *flag.FlagSet) func() error {
	var app, signing string
	fs.BoolVar(&s.Socket, "slack-socket", false, "hear the buttons of Slack messages over Socket Mode")
	fs.StringVar(&app, "slack-app-token", "env:SLACK_APP_TOKEN", "for --slack-socket: where the app-level token is, env:NAME or file:/PATH")
	fs.StringVar(&s.Listen, "slack-listen", "",
		"listen address of POST /slack/actions, where Slack sends the buttons' requests; empty serves none")
	fs.StringVar(&signing, "slack-signing-secret", "env:SLACK_SIGNING_SECRET",
		"for --slack-listen: where the signing secret is, env:NAME or file:/PATH")
	fs.StringVar(&s.API, "slack-api", "", "another address of the Slack API, such as https://slack-gov.com/api")
	return func() error {
		return errors.Join(secretRef("--slack-app-token", app, &s.AppToken), secretRef("--slack-signing-secret", signing, &s.SigningSecret))
	}
}

// secretRef reads env:NAME or file:/PATH. Its error does not repeat the text, which may be the secret itself.
func secretRef(name, text string, into *swap.SecretRef) error {
	kind, where, _ := strings.Cut(text, ":")
	switch {
	case kind == "env" && where != "":
		*into = swap.SecretRef{Env: where}
	case kind == "file" && where != "":
		*into = swap.SecretRef{File: where}
	default:
		return fmt.Errorf("%s: must be env:NAME or file:/PATH", name)
	}
	return nil
}

func (s Slack) validate() error {
	if s.Listen != "" {
		if _, _, err := net.SplitHostPort(s.Listen); err != nil {
			return fmt.Errorf("--slack-listen: must be host:port or :port, got %q", s.Listen)
		}
	}
	if u, err := url.Parse(s.API); err != nil || (s.API != "" && (u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"))) {
		return errors.New("--slack-api: must be an http or https URL")
	}
	return nil
}

// slackRetry is the pause after Slack refused the app-level token.
const slackRetry = time.Minute

// slackActions is the path that Slack sends the buttons' requests to.
const slackActions = "POST /slack/actions"

// hear begins to hear buttons as configured; stop ends it.
func (s Slack) hear(ctx context.Context, c client.Client, log *slog.Logger) (stop func(), err error) {
	if !s.Socket && s.Listen == "" {
		return func() {}, nil
	}
	hc := &http.Client{Timeout: slackTimeout}
	d := desk.Open(context.WithoutCancel(ctx), slackRuns{c}, notify.Poster{HTTP: hc}, desk.Replier{HTTP: hc, APIURL: s.API}, log)
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	stop = func() {
		cancel()
		wg.Wait()
		d.Close()
	}
	if s.Listen != "" {
		if err := s.serve(ctx, d, &wg); err != nil {
			stop()
			return nil, err
		}
	}
	if s.Socket {
		token, err := secret.Resolve(&s.AppToken)
		if err != nil {
			stop()
			return nil, fmt.Errorf("--slack-app-token: %w", err)
		}
		socket := desk.Socket{Desk: d, AppToken: token, APIURL: s.API, HTTP: hc, Retry: slackRetry}
		wg.Go(func() { socket.Listen(ctx) })
	}
	log.InfoContext(ctx, "hearing Slack's buttons", "socket_mode", s.Socket, "listen", s.Listen)
	return stop, nil
}

// slackTimeout bounds one call to Slack, and one request from it.
const slackTimeout = 15 * time.Second

// serve hears signed requests until ctx ends.
func (s Slack) serve(ctx context.Context, d *desk.Desk, wg *sync.WaitGroup) error {
	signing, err := secret.Resolve(&s.SigningSecret)
	if err != nil {
		return fmt.Errorf("--slack-signing-secret: %w", err)
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", s.Listen)
	if err != nil {
		return fmt.Errorf("--slack-listen %s: %w; choose a free address", s.Listen, err)
	}
	mux := http.NewServeMux()
	mux.Handle(slackActions, desk.Handler{Desk: d, Secret: signing})
	srv := &http.Server{Handler: mux, ReadTimeout: slackTimeout, WriteTimeout: slackTimeout, MaxHeaderBytes: 16 << 10}
	wg.Go(func() { _ = srv.Serve(ln) })
	wg.Go(func() {
		<-ctx.Done()
		_ = srv.Close()
	})
	return nil
}
