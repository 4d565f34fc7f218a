package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/online"
)

func newFeedbackCommand(a *app) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "feedback TARGET",
		Short: "Report conversions and scores of quality to a running rollout",
		Long: `Reports events to the validation of TARGET that is running, as JSON Lines:

  {"id":"order-17","arm":"candidate","kind":"conversion","value":1,"time":"2026-03-01T12:00:00Z"}
  {"id":"rating-9","arm":"baseline","kind":"quality","value":0.8}

arm is what the gateway's header X-Swapgate-Arm said of the answer. An id counts once. An event counts to the window that its time
is in; one that comes after rollout.feedback.grace is only counted as late. An application that reports all the time posts the same
lines to a worker with --feedback-listen.`,
		Args: exactly("TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.feedback(cmd.Context(), args[0], file) },
	}
	cmd.Flags().StringVarP(&file, "file", "f", "-", "file of events; - reads standard input")
	return cmd
}

func (a *app) feedback(ctx context.Context, target, file string) error {
	data, err := a.readEvents(file)
	if err != nil {
		return err
	}
	events, err := online.ParseEvents(data, a.now())
	if err != nil {
		return &usageError{err: fmt.Errorf("%s: %w", named(file), err)}
	}
	c, err := a.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	run, _, err := c.Validation(ctx, target, "")
	if err != nil {
		return err
	}
	batch := online.Batch(events, online.NewSeen(len(events)))
	if err := run.Report(ctx, batch); err != nil {
		return err
	}
	said := fmt.Sprintf("%d events reported to %s", len(events)-batch.Duplicates, target)
	if batch.Duplicates > 0 {
		said += fmt.Sprintf("; %d were in the file twice", batch.Duplicates)
	}
	return a.print(formatText, batch, said+"\n")
}

// readEvents reads no more than can be reported at once.
func (a *app) readEvents(file string) ([]byte, error) {
	in := a.in
	if file != "-" {
		f, err := os.Open(file) //nolint:gosec // named by the person who runs the command
		if err != nil {
			return nil, &usageError{err: err}
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, online.MaxBody+1))
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	if len(data) > online.MaxBody {
		return nil, &usageError{err: fmt.Errorf("%s is longer than %d MiB; report it in parts", named(file), online.MaxBody>>20)}
	}
	return data, nil
}

func named(file string) string {
	if file == "-" {
		return "standard input"
	}
	return file
}
