package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/starter/internal/control"
)

type resultFlags struct {
	runID  string
	follow bool
	wait   waitFlags
	output verdictOutput
}

func newResultCommand(a *app) *cobra.Command {
	var f resultFlags
	cmd := &cobra.Command{
		Use:   "result TARGET",
		Short: "Print the verdict of the last validation and exit by it",
		Long: `Print the verdict of the last validation of a target, or of the run given by --run-id. The exit code is that of
validate. Without --follow, a validation that still runs has no verdict: exit code 70.`,
		Args: exactly("TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.result(cmd.Context(), args[0], &f) },
	}
	f.output.flags(cmd)
	f.wait.flags(cmd)
	cmd.Flags().StringVar(&f.runID, "run-id", "", "the run, where it is not the last one")
	cmd.Flags().BoolVar(&f.follow, "follow", false, "follow a validation that still runs")
	return cmd
}

func (a *app) result(ctx context.Context, target string, f *resultFlags) error {
	if err := errors.Join(f.output.check(), f.wait.check()); err != nil {
		return err
	}
	c, err := a.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	run, e, err := c.Validation(ctx, target, f.runID)
	if err != nil {
		return err
	}
	switch {
	case e.State != control.Running:
		var v swap.Verdict
		waitErr := run.Wait(ctx, &v)
		v, err = verdictOf(target, v, waitErr)
		if err != nil {
			return err
		}
		return f.output.deliver(a.out, v)
	case f.follow:
		return a.followValidation(ctx, run, target, f.wait, &f.output)
	default:
		return &exitError{
			code:    exitNoVerdict,
			message: fmt.Sprintf("no verdict yet: %s (run %s) is running", run.WorkflowID, run.RunID()),
			next:    []string{"follow it: swapgate result " + target + " --follow"},
		}
	}
}
