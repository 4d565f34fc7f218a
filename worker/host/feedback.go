package host

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/swapgate/swapgate/pkg/online"
	"github.com/swapgate/swapgate/pkg/secret"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Feedback configures where a process takes what applications report of answers; by default it does not.
type Feedback struct {
	// Listen is the address of POST /feedback; empty serves none. Token is what clients must send.
	Listen string
	Token  swap.SecretRef
}

const (
	// feedbackEvery is how often reports are handed on to their runs, in sums: each time is a few events of a run's history.
	feedbackEvery = 5 * time.Second
	// feedbackTimeout bounds one report, and one hand-over.
	feedbackTimeout = 15 * time.Second
)

// flags registers the flags of f. The function that it returns completes f once they are parsed.
func (f *Feedback) flags(fs *flag.FlagSet) func() error {
	var token string
	fs.StringVar(&f.Listen, "feedback-listen", "",
		"listen address of POST /feedback, where applications report conversions and scores of quality; empty serves none")
	fs.StringVar(&token, "feedback-token", "env:SWAPGATE_FEEDBACK_TOKEN",
		"for --feedback-listen: where the token is that clients send, env:NAME or file:/PATH")
	return func() error {
		if f.Listen != "" {
			if _, _, err := net.SplitHostPort(f.Listen); err != nil {
				return fmt.Errorf("--feedback-listen: must be host:port or :port, got %q", f.Listen)
			}
		}
		return secretRef("--feedback-token", token, &f.Token)
	}
}

// take begins to take reports as configured; stop ends it, and hands on what was taken.
func (f Feedback) take(ctx context.Context, c client.Client, log *slog.Logger) (stop func(), err error) {
	if f.Listen == "" {
		return func() {}, nil
	}
	token, err := secret.Resolve(&f.Token)
	if err != nil {
		return nil, fmt.Errorf("--feedback-token: %w", err)
	}
	intake, err := online.NewIntake(token.Reveal(), signalFeedback(c), log)
	if err != nil {
		return nil, fmt.Errorf("--feedback-token: %w", err)
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", f.Listen)
	if err != nil {
		return nil, fmt.Errorf("--feedback-listen %s: %w; choose a free address", f.Listen, err)
	}
	mux := http.NewServeMux()
	mux.Handle("POST /feedback", intake)
	srv := &http.Server{Handler: mux, ReadTimeout: feedbackTimeout, WriteTimeout: feedbackTimeout, MaxHeaderBytes: 16 << 10}
	flushing, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	wg.Go(func() { _ = srv.Serve(ln) })
	wg.Go(func() { flush(flushing, intake) })
	log.InfoContext(ctx, "taking reports of applications", "listen", ln.Addr().String())
	return func() {
		_ = srv.Close()
		cancel()
		wg.Wait()
	}, nil
}

// flush hands on what was taken every few seconds, and a last time at the end.
func flush(ctx context.Context, intake *online.Intake) {
	t := time.NewTicker(feedbackEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			intake.Flush(ctx)
		case <-ctx.Done():
			last, done := context.WithTimeout(context.WithoutCancel(ctx), feedbackTimeout)
			intake.Flush(last)
			done()
			return
		}
	}
}

// signalFeedback hands a batch to the running validation of a target.
func signalFeedback(c client.Client) func(context.Context, string, swap.FeedbackBatch) error {
	return func(ctx context.Context, target string, b swap.FeedbackBatch) error {
		within, done := context.WithTimeout(ctx, feedbackTimeout)
		defer done()
		err := c.SignalWorkflow(within, swap.ValidateWorkflowID(target), "", swap.SignalFeedback, b)
		var none *serviceerror.NotFound
		if errors.As(err, &none) {
			return fmt.Errorf("%w: %s", online.ErrNoRun, target)
		}
		return err
	}
}
