package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/starter/internal/control"
	"github.com/swapgate/swapgate/starter/internal/view"
)

func newStatusCommand(a *app) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "status TARGET",
		Short: "Say where the last validation of a target stands",
		Long: `Say where the last validation of a target stands. When no worker answers, say what is wrong by what Temporal itself
knows (pending activities, their attempts, failures and heartbeats) and exit with 69.`,
		Args: exactly("TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.status(cmd.Context(), args[0], format) },
	}
	textOrJSON(cmd, &format)
	return cmd
}

// unanswered is what status prints as JSON when no worker answered.
type unanswered struct {
	control.Execution
	Problems []string `json:"problems,omitempty"`
}

func (a *app) status(ctx context.Context, target, format string) error {
	if err := checkTextOrJSON(format); err != nil {
		return err
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
	o, err := run.Observe(ctx)
	if err != nil {
		return err
	}
	text := strings.Join(view.Render(o, a.now()), "\n") + "\n"
	if o.Status != nil {
		return a.print(format, o.Status, text)
	}
	if err := a.print(format, unanswered{Execution: o.Execution, Problems: o.Problems}, text); err != nil {
		return err
	}
	if o.Execution.State != control.Running {
		return nil
	}
	return &exitError{code: exitUnavailable, message: fmt.Sprintf("no worker answered for %s", run.WorkflowID)}
}
