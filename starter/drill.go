package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/starter/internal/drill"
)

type drillFlags struct {
	runs, parallel   int
	seed             uint64
	fault, dir       string
	outage, patience time.Duration
	output           string
}

func newDrillCommand(a *app) *cobra.Command {
	var f drillFlags
	cmd := &cobra.Command{
		Use:   "drill",
		Short: "Break things in the middle of runs, and check where live traffic ends",
		Long: `Break things in the middle of real runs on this machine, each on a site of its own, and check that traffic ends on the baseline,
or on the candidate that was promoted; that no window was judged while the gateway had other weights; and that the history replays.
In each round of as many runs as there are faults every fault strikes once; the order and the moments depend on the seed. The exit code
is 1 if a run broke one of these promises.

Faults:
` + drillList(),
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.drill(cmd.Context(), f) },
	}
	cmd.Flags().IntVar(&f.runs, "runs", 10, "how many runs")
	cmd.Flags().IntVar(&f.parallel, "parallel", 2, "how many of them at a time")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the faults and of their moments")
	cmd.Flags().StringVar(&f.fault, "fault", "", "only faults whose name matches this regular expression")
	cmd.Flags().DurationVar(&f.outage, "outage", 20*time.Second, "how long a gateway refuses")
	cmd.Flags().DurationVar(&f.patience, "patience", 4*time.Minute, "how long any one thing is waited for")
	cmd.Flags().StringVar(&f.dir, "dir", "swapgate-drill", "folder that gets the files of runs that broke a promise, in a folder of its own")
	textOrJSON(cmd, &f.output)
	return cmd
}

func drillList() string {
	var b strings.Builder
	for _, fault := range drill.Faults {
		fmt.Fprintf(&b, "  %-21s %s\n", fault.Name, fault.About)
	}
	return strings.TrimRight(b.String(), "\n")
}

func (a *app) drill(ctx context.Context, f drillFlags) error {
	faults, err := drillFaults(f)
	if err != nil {
		return err
	}
	dir, err := newFolder(f.dir, a.now().UTC().Format("20060102T150405Z"))
	if err != nil {
		return &usageError{err: fmt.Errorf("no folder for the drill: %w; name one that can be written with --dir", err)}
	}
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the running executable: %w", err)
	}
	runs, err := drill.All(ctx, drill.Options{
		Exe: exe, Dir: dir, Runs: f.runs, Seed: f.seed, Parallel: f.parallel, Faults: faults, Outage: f.outage, Patience: f.patience,
		Done: func(r drill.Run) { a.say("%s", drillLine(r)) },
	})
	if err != nil {
		return err
	}
	_ = os.Remove(dir) // stays where a run left its files
	return a.drilled(f, dir, runs)
}

func drillFaults(f drillFlags) (faults []drill.Fault, err error) {
	only, err := regexp.Compile(f.fault)
	switch {
	case err != nil:
		return nil, &usageError{err: fmt.Errorf("--fault: %w", err)}
	case f.runs < 1:
		return nil, &usageError{err: fmt.Errorf("--runs %d: want 1 or more", f.runs)}
	case f.parallel < 1:
		return nil, &usageError{err: fmt.Errorf("--parallel %d: want 1 or more", f.parallel)}
	case f.outage <= 0 || f.patience <= f.outage:
		return nil, &usageError{err: errors.New("--outage must be above 0, and --patience longer than it")}
	}
	for _, fault := range drill.Faults {
		if only.MatchString(fault.Name) {
			faults = append(faults, fault)
		}
	}
	if len(faults) == 0 {
		return nil, &usageError{err: fmt.Errorf("--fault %q: no fault matches", f.fault)}
	}
	return faults, checkTextOrJSON(f.output)
}

// drillLine is a run on one line, with a line for each promise that it broke.
func drillLine(r drill.Run) string {
	outcome := string(r.Verdict)
	if outcome == "" {
		outcome = "no verdict"
	}
	line := fmt.Sprintf("%3d  %-21s %-30s %-12s baseline %d / candidate %d",
		r.Number, r.Fault, r.Moment, outcome, r.Final.Baseline, r.Final.Candidate)
	if !r.Struck {
		line += ", over before the fault"
	}
	if back, ok := r.BackAfterMS.Get(); ok {
		line += fmt.Sprintf(", back after %.0f ms", back)
	}
	for _, b := range r.Broken {
		line += "\n     BROKEN: " + b
	}
	return line
}

// drilled tells the outcome of all runs.
func (a *app) drilled(f drillFlags, dir string, runs []drill.Run) error {
	broken, struck := 0, 0
	for _, r := range runs {
		if len(r.Broken) > 0 {
			broken++
		}
		if r.Struck {
			struck++
		}
	}
	text := fmt.Sprintf("%d runs, in %d of which the fault struck in time; %d broke a promise\n", len(runs), struck, broken)
	if f.output == formatJSON {
		data, err := json.MarshalIndent(runs, "", "  ")
		if err != nil {
			return err
		}
		text = string(data) + "\n"
	}
	if _, err := fmt.Fprint(a.out, text); err != nil {
		return err
	}
	if broken > 0 {
		return &exitError{
			code: exitFail, message: fmt.Sprintf("%d of %d runs broke a promise", broken, len(runs)), next: []string{"their files are in " + dir},
		}
	}
	return nil
}
