package main

import (
	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/swap"
)

func newAbortCommand(a *app) *cobra.Command {
	var f askFlags
	cmd := &cobra.Command{
		Use:   "abort TARGET",
		Short: "Stop a validation and put all traffic back to the baseline",
		Args:  exactly("TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ask(cmd.Context(), swap.UpdateAbort, args[0], f.request(a))
		},
	}
	f.flags(cmd)
	return cmd
}
