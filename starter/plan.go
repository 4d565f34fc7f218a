package main

import (
	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/config"
)

func newPlanCommand(a *app) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "plan -f swap.yaml",
		Short: "Check a specification and print it with every default filled in",
		Long: `Check a specification and print it with every default filled in to standard output, and an estimate of its time and
requests to standard error. The prompt file and the traces that it names are checked too if they are on this machine. Nothing is
started; Temporal is not needed.`,
		Args: exactly(),
		RunE: func(*cobra.Command, []string) error { return a.plan(file) },
	}
	specFlag(cmd, &file)
	return cmd
}

func (a *app) plan(file string) error {
	spec, err := a.loadSpec(file)
	if err != nil {
		return err
	}
	missing, err := config.CheckFiles(spec)
	if err != nil {
		return err
	}
	resolved, err := config.YAML(spec)
	if err != nil {
		return err
	}
	if _, err := a.out.Write(resolved); err != nil {
		return err
	}
	a.say("%s", config.Estimate(spec))
	for _, file := range missing {
		a.say("note: %s is not on this machine; the preflight checks the copy of the workers", file)
	}
	return nil
}
