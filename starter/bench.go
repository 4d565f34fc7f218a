package main

import (
	"context"
	"fmt"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/judge/swapbench"
)

// benchFlags are those of swapgate bench judge.
type benchFlags struct {
	reps      int
	ruleReps  int
	resamples int
	scenario  string
	seed      uint64
	quick     bool
	output    string
}

const (
	quickReps, quickResamples = 10, 199
	fewestResamples           = 99
)

func newBenchCommand(a *app) *cobra.Command {
	cmd := group(&cobra.Command{Use: "bench", Short: "Measure how often swapgate's own verdicts are right"})
	cmd.AddCommand(newBenchJudgeCommand(a))
	return cmd
}

func newBenchJudgeCommand(a *app) *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "judge",
		Short: "Judge scenarios of known truth, beside the rules of other tools",
		Long: `Judge generated measurements of known truth and count false alarms, misses and open verdicts, beside the rules of other tools
on the same data. The exit code is 1 if the judge breaks an acceptance line. Neither Temporal nor a server is needed.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.benchJudge(cmd.Context(), f) },
	}
	cmd.Flags().IntVar(&f.reps, "reps", 2000, "repetitions of each scenario with noise")
	cmd.Flags().IntVar(&f.ruleReps, "rule-reps", 300, "repetitions of each scenario by the rules of other tools; 0 leaves them out")
	cmd.Flags().IntVar(&f.resamples, "resamples", 1999, "resamples of the judge's bootstrap")
	cmd.Flags().StringVar(&f.scenario, "scenario", "", "only scenarios whose name matches this regular expression")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the generated measurements")
	cmd.Flags().BoolVar(&f.quick, "quick", false, "few repetitions and resamples, of swapgate's judge alone")
	cmd.Flags().StringVarP(&f.output, "output", "o", formatText, "format: text, json or markdown")
	return cmd
}

func (a *app) benchJudge(ctx context.Context, f benchFlags) error {
	only, err := regexp.Compile(f.scenario)
	switch {
	case err != nil:
		return &usageError{err: fmt.Errorf("--scenario: %w", err)}
	case f.reps < 1:
		return &usageError{err: fmt.Errorf("--reps %d: want 1 or more", f.reps)}
	case f.ruleReps < 0:
		return &usageError{err: fmt.Errorf("--rule-reps %d: want 0 or more", f.ruleReps)}
	case f.resamples < fewestResamples:
		return &usageError{err: fmt.Errorf("--resamples %d: want %d or more", f.resamples, fewestResamples)}
	case f.output != formatText && f.output != formatJSON && f.output != "markdown":
		return &usageError{err: fmt.Errorf("--output %q: want text, json or markdown", f.output)}
	}
	o := swapbench.Options{Repetitions: f.reps, RuleRepetitions: f.ruleReps, Seed: f.seed, Resamples: f.resamples, Only: only}
	if f.quick {
		o.Repetitions, o.RuleRepetitions, o.Resamples = min(f.reps, quickReps), 0, quickResamples
	}
	table, err := swapbench.Run(ctx, o)
	if err != nil {
		return err
	}
	table.Version = thisBuild().Version
	if len(table.Rows) == 0 {
		return &usageError{err: fmt.Errorf("--scenario %q: no scenario matches", f.scenario)}
	}
	if err := a.writeBench(table, f.output); err != nil {
		return err
	}
	if broken := table.Broken(); len(broken) > 0 {
		return &exitError{code: exitFail, message: fmt.Sprintf("%d acceptance lines do not hold", len(broken))}
	}
	return nil
}

func (a *app) writeBench(table swapbench.Table, format string) error {
	out := table.Text()
	switch format {
	case formatJSON:
		var err error
		if out, err = table.JSON(); err != nil {
			return err
		}
	case "markdown":
		out = table.Markdown()
	}
	_, err := a.out.Write(out)
	return err
}
