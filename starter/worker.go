package main

import (
	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/worker/host"
)

// newWorkerCommand is the worker inside this executable, for the local stack; deployments run swapgate-worker.
func newWorkerCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:                "worker",
		Short:              "Run a worker of the local stack; takes the flags of swapgate-worker",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if code := host.Main(cmd.Context(), thisBuild().Version, args, a.err); code != 0 {
				return &exitError{code: code}
			}
			return nil
		},
	}
}
