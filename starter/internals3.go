package main

import (
	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/local"
)

// newInternalS3Command is how this executable runs itself again as the S3 service of the local stack: one process holds
// one such service, and it changes its working directory.
func newInternalS3Command() *cobra.Command {
	return &cobra.Command{
		Use:    "internal-s3",
		Short:  "Run the S3 service of the local stack, configured by its environment",
		Hidden: true,
		Args:   exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return local.RunS3(cmd.Context(), local.S3OptionsFromEnv())
		},
	}
}
