package main

import (
	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/config"
)

func newSchemaCommand(a *app) *cobra.Command {
	var verdict bool
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of swap.yaml or of the verdict",
		Args:  exactly(),
		RunE: func(*cobra.Command, []string) error {
			schema := config.Schema
			if verdict {
				schema = config.VerdictSchema
			}
			_, err := a.out.Write(schema())
			return err
		},
	}
	cmd.Flags().BoolVar(&verdict, "verdict", false, "the schema of verdict.json instead of swap.yaml")
	return cmd
}
