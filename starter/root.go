package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/starter/internal/control"
)

// app is what every subcommand is given.
type app struct {
	in  io.Reader
	out io.Writer
	err io.Writer
	env environ
	now func() time.Time
}

// run runs one command line and returns its exit code. Cancelling ctx is the interrupt of a person or of a pipeline.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	a := &app{in: stdin, out: newConsole(stdout, env), err: newConsole(stderr, env), env: env, now: time.Now}
	root := newRoot(a) //nolint:contextcheck // commands take the context from cobra
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil {
		err = interrupted(ctx, err)
		a.explain(err)
	}
	return exitCode(err)
}

func newRoot(a *app) *cobra.Command {
	root := group(&cobra.Command{
		Use:   "swapgate",
		Short: "Tell whether it is safe to replace the model that a service runs",
		Long: `swapgate validates the replacement of a served model before a release: it drives the same load on both models,
judges the candidate against the baseline, moves traffic step by step where asked to, and rolls back when it must.
The work is a durable Temporal workflow; this command starts it, follows it and hands its verdict to a pipeline.

Temporal is found by its usual settings: TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_PROFILE, TEMPORAL_TLS_….`,
	})
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err: err} })
	root.AddCommand(
		newDemoCommand(a),
		newWorkerCommand(a),
		newValidateCommand(a),
		newPlanCommand(a),
		newStatusCommand(a),
		newResultCommand(a),
		newApproveCommand(a),
		newAbortCommand(a),
		newExtendCommand(a),
		newFeedbackCommand(a),
		newRollbackCommand(a),
		newBaselineCommand(a),
		newWatchCommand(a),
		newSearchAttributesCommand(a),
		newJudgeCommand(a),
		newBenchCommand(a), newDrillCommand(a),
		newMetricsCommand(a),
		newSchemaCommand(a),
		newSimCommand(a),
		newVersionCommand(a),
		newInternalS3Command(),
	)
	return root
}

// group makes a command that only holds subcommands and says so when none is named.
func group(c *cobra.Command) *cobra.Command {
	c.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		err := fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			err = fmt.Errorf("%w; did you mean %q?", err, near[0])
		}
		return &usageError{err: err}
	}
	c.SuggestionsMinimumDistance = 2
	c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return c
}

// exactly is cobra.ExactArgs with names for what is missing.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		want := "no argument"
		if len(names) > 0 {
			want = "exactly " + strings.Join(names, " and ")
		}
		return &usageError{err: fmt.Errorf("%s takes %s, but got %q", cmd.CommandPath(), want, args)}
	}
}

// dial connects to Temporal by the environment's settings.
func (a *app) dial(ctx context.Context) (*control.Client, error) { return control.Dial(ctx, a.env) }

// say writes a line for a person to standard error.
func (a *app) say(format string, args ...any) {
	// Nothing can be told to a person whose terminal is gone.
	_, _ = fmt.Fprintf(a.err, format+"\n", args...)
}
