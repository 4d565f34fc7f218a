package main

import (
	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/swap"
)

func newApproveCommand(a *app) *cobra.Command {
	var f askFlags
	cmd := &cobra.Command{
		Use:   "approve TARGET",
		Short: "Approve the share of traffic that a rollout waits for",
		Args:  exactly("TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ask(cmd.Context(), swap.UpdateApprove, args[0], f.request(a))
		},
	}
	f.flags(cmd)
	return cmd
}
