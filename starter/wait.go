package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/starter/internal/control"
)

// errWaitOver is the cause of a context that --timeout ended.
var errWaitOver = errors.New("the time given by --timeout is over")

type waitFlags struct{ timeout time.Duration }

func (w *waitFlags) flags(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&w.timeout, "timeout", 0, "stop waiting after this long; the run goes on (default: wait for the end)")
}

func (w *waitFlags) check() error { return checkDuration("--timeout", w.timeout) }

func checkDuration(flag string, d time.Duration) error {
	if d < 0 {
		return &usageError{err: fmt.Errorf("%s %v: must not be negative", flag, d)}
	}
	return nil
}

// context ends when the time is over. It has no deadline, which calls in flight would report as an outage of Temporal.
func (w *waitFlags) context(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	if w.timeout == 0 {
		return ctx, func() { cancel(nil) }
	}
	over := time.AfterFunc(w.timeout, func() { cancel(errWaitOver) })
	return ctx, func() {
		over.Stop()
		cancel(nil)
	}
}

// followValidation follows a validation to its end, hands out the verdict and returns the error with its exit code.
func (a *app) followValidation(ctx context.Context, run *control.Run, target string, wait waitFlags, out *verdictOutput) error {
	v, err := a.awaitVerdict(ctx, run, target, wait)
	if err != nil {
		return err
	}
	return out.deliver(a.out, v)
}

func (a *app) awaitVerdict(ctx context.Context, run *control.Run, target string, wait waitFlags) (swap.Verdict, error) {
	waitCtx, cancel := wait.context(ctx)
	defer cancel()
	var v swap.Verdict
	err := follow(waitCtx, run, a.display(), &v)
	if waitCtx.Err() != nil && err != nil {
		return v, detached(ctx, run, target)
	}
	return verdictOf(target, v, err)
}

// detached says that the command stopped following, why, and how to go on. Nothing happens to the run.
func detached(ctx context.Context, run *control.Run, target string) error {
	e := &exitError{
		code:    exitNoVerdict,
		message: fmt.Sprintf("no verdict yet: %v; %s (run %s) goes on", errWaitOver, run.WorkflowID, run.RunID()),
		next: []string{
			"follow it again: swapgate result " + target + " --follow",
			"stop it:         swapgate abort " + target + " --reason …",
		},
	}
	if ctx.Err() != nil {
		e.code = exitDetached
		e.message = fmt.Sprintf("detached; %s (run %s) goes on", run.WorkflowID, run.RunID())
	}
	return e
}
