package main

import (
	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/swap"
)

func newExtendCommand(a *app) *cobra.Command {
	var f askFlags
	cmd := &cobra.Command{
		Use:   "extend TARGET",
		Short: "Grant a rollout one more repetition of an inconclusive window",
		Args:  exactly("TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ask(cmd.Context(), swap.UpdateExtend, args[0], f.request(a))
		},
	}
	f.flags(cmd)
	return cmd
}
