package main

import (
	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/config"
)

func newSchemaCommand(a *app) *cobra.Command {
	var verdict, watch bool
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of swap.yaml, of the verdict or of a watch",
		Args:  exactly(),
		RunE: func(*cobra.Command, []string) error {
			schema := config.Schema
			switch {
			case verdict:
				schema = config.VerdictSchema
			case watch:
				schema = config.WatchSchema
			}
			_, err := a.out.Write(schema())
			return err
		},
	}
	cmd.Flags().BoolVar(&verdict, "verdict", false, "the schema of verdict.json instead of swap.yaml")
	cmd.Flags().BoolVar(&watch, "watch", false, "the schema of what a watch returns instead of swap.yaml")
	cmd.MarkFlagsMutuallyExclusive("verdict", "watch")
	return cmd
}
