package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/swap"
)

type askFlags struct {
	by     string
	reason string
}

func (f *askFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.by, "by", "", "who asks (default: the pipeline's user, else user@host)")
	cmd.Flags().StringVar(&f.reason, "reason", "", "why; kept with the run")
}

func (f *askFlags) request(a *app) swap.ByRequest {
	by := f.by
	if by == "" {
		by = a.requestedBy()
	}
	return swap.ByRequest{By: by, Reason: f.reason}
}

// ask sends an update to the running validation of a target and prints the answer.
func (a *app) ask(ctx context.Context, update, target string, by swap.ByRequest) error {
	c, err := a.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	run, _, err := c.Validation(ctx, target, "")
	if err != nil {
		return err
	}
	answer, err := run.Ask(ctx, update, by)
	if err != nil {
		return err
	}
	return a.print(formatText, answer, answer.Message+"\n")
}
