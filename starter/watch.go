package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/temporal"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/starter/internal/control"
)

const (
	defaultEvery = 24 * time.Hour
	// leastEvery keeps a mistyped interval from loading a service without a pause.
	leastEvery = time.Minute
)

func newWatchCommand(a *app) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "watch",
		Short: "Watch the serving model for drift from its registered baseline",
		Long: `Watch the serving model for drift: measure the baseline of a specification alone, with the same workload and load as a
validation, and compare it with the baseline that a passing validation registered. See docs/drift.md.`,
	})
	cmd.AddCommand(newWatchCreateCommand(a), newWatchRunCommand(a), newWatchStatusCommand(a), newWatchDeleteCommand(a))
	return cmd
}

type watchCreateFlags struct {
	file   string
	by     string
	every  time.Duration
	cron   string
	format string
}

func newWatchCreateCommand(a *app) *cobra.Command {
	var f watchCreateFlags
	cmd := &cobra.Command{
		Use:   "create -f swap.yaml [--every 24h | --cron '0 3 * * *']",
		Short: "Create or change the schedule that watches a target",
		Long: `Create the Temporal schedule watch-TARGET, or change the one there is to this specification. A watch that comes due while
the one before it still runs is skipped.`,
		Example: "  swapgate watch create -f swap.yaml --cron '0 3 * * *'",
		Args:    exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.cron != "" && cmd.Flags().Changed("every") {
				return &usageError{err: errors.New("give --every or --cron, not both")}
			}
			return a.watchCreate(cmd.Context(), &f)
		},
	}
	specFlag(cmd, &f.file)
	textOrJSON(cmd, &f.format)
	cmd.Flags().StringVar(&f.by, "by", "", "who asks (default: the pipeline's user, else user@host)")
	cmd.Flags().DurationVar(&f.every, "every", defaultEvery, "time between two watches, counted from midnight UTC")
	cmd.Flags().StringVar(&f.cron, "cron", "", "cron expression in UTC, in place of --every")
	return cmd
}

// scheduled is what create prints as JSON.
type scheduled struct {
	Target   string `json:"target"`
	Schedule string `json:"schedule"`
	Created  bool   `json:"created"`
}

func (a *app) watchCreate(ctx context.Context, f *watchCreateFlags) error {
	if err := checkTextOrJSON(f.format); err != nil {
		return err
	}
	if f.every < leastEvery {
		return &usageError{err: fmt.Errorf("--every %v: must be at least %v", f.every, leastEvery)}
	}
	req, err := a.request(f.file, f.by)
	if err != nil {
		return err
	}
	c, err := a.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	when := control.Cadence{Every: f.every, Cron: f.cron}
	req.SearchAttributes = a.searchAttributesReady(ctx, c)
	created, err := c.ScheduleWatch(ctx, req, when)
	if errors.Is(err, control.ErrAttributesUnknown) {
		req.SearchAttributes = false
		created, err = c.ScheduleWatch(ctx, req, when)
	}
	if err != nil {
		return err
	}
	s := scheduled{Target: req.Spec.Target, Schedule: swap.WatchWorkflowID(req.Spec.Target), Created: created}
	done := "changed"
	if created {
		done = "created"
	}
	return a.print(f.format, s, fmt.Sprintf("%s schedule %s\n", done, s.Schedule))
}

type watchRunFlags struct {
	file      string
	by        string
	detach    bool
	workerFor time.Duration
	wait      waitFlags
	format    string
}

func newWatchRunCommand(a *app) *cobra.Command {
	var f watchRunFlags
	cmd := &cobra.Command{
		Use:   "run -f swap.yaml",
		Short: "Watch once, now, and exit by the response",
		Long: `Watch once, now, and exit by the response: 0 silent, 4 notify, 1 fail or block, 2 inconclusive, 70 not measured. It needs no
schedule. One that was started by hand and still runs is followed instead of starting another.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.watchRun(cmd.Context(), &f) },
	}
	specFlag(cmd, &f.file)
	textOrJSON(cmd, &f.format)
	f.wait.flags(cmd)
	cmd.Flags().StringVar(&f.by, "by", "", "who asks (default: the pipeline's user, else user@host)")
	cmd.Flags().BoolVar(&f.detach, "detach", false, "start and exit 0 without waiting for the end")
	cmd.Flags().DurationVar(&f.workerFor, "wait-for-worker", defaultWorkerWait, "how long to wait for workers to appear")
	return cmd
}

func (a *app) watchRun(ctx context.Context, f *watchRunFlags) error {
	if err := errors.Join(checkTextOrJSON(f.format), f.wait.check(), checkDuration("--wait-for-worker", f.workerFor)); err != nil {
		return err
	}
	req, err := a.request(f.file, f.by)
	if err != nil {
		return err
	}
	c, err := a.dialReady(ctx, &req, f.workerFor)
	if err != nil {
		return err
	}
	defer c.Close()
	run, joined, err := c.StartWatch(ctx, req)
	if errors.Is(err, control.ErrAttributesUnknown) {
		req.SearchAttributes = false
		run, joined, err = c.StartWatch(ctx, req)
	}
	if err != nil {
		return err
	}
	if joined {
		a.say("a watch of %s is running already; following it", req.Spec.Target)
	}
	a.say("watch of %s: workflow %s, run %s", req.Spec.Target, run.WorkflowID, run.RunID())
	if f.detach {
		return nil
	}
	return a.followWatch(ctx, run, f)
}

// followWatch waits for the response, prints it and returns the error with its exit code.
func (a *app) followWatch(ctx context.Context, run *control.Run, f *watchRunFlags) error {
	waitCtx, cancel := f.wait.context(ctx)
	defer cancel()
	var r swap.WatchResult
	err := follow(waitCtx, run, a.display(), &r)
	switch {
	case err != nil && ctx.Err() != nil:
		return &exitError{code: exitDetached, message: fmt.Sprintf("detached; %s (run %s) goes on", run.WorkflowID, run.RunID())}
	case err != nil && waitCtx.Err() != nil:
		return &exitError{code: exitNoVerdict, message: fmt.Sprintf("no response yet: %v; %s goes on", errWaitOver, run.WorkflowID)}
	case err != nil:
		return watchFailure(err)
	}
	if err := a.print(f.format, r, watchText(r)); err != nil {
		return err
	}
	if code := driftCode(r.Response); code != exitPass {
		return &exitError{code: code}
	}
	return nil
}

// watchFailure says why a watch ended without a response in the workflow's own words, where it has any.
func watchFailure(err error) error {
	var closed *control.ClosedError
	if !errors.As(err, &closed) {
		return err
	}
	var failure *temporal.ApplicationError
	if errors.As(closed.Err, &failure) {
		return &exitError{code: exitNoVerdict, message: failure.Message()}
	}
	return &exitError{code: exitNoVerdict, message: fmt.Sprintf("%s %s", closed.Execution.WorkflowID, closed.Execution.State)}
}

// nextOf is what to do about a finding, set off from its message.
func nextOf(f swap.Finding) string {
	if f.Next == "" {
		return ""
	}
	return " → " + f.Next
}

// watchText is the response, every reason for it, the numbers that are none, and what was noticed.
func watchText(r swap.WatchResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", strings.ToUpper(string(r.Response)), r.Summary)
	if base := r.Baseline; base != nil {
		fmt.Fprintf(&b, "\nbaseline version %d of %s, run %s\n", base.Version, base.Measured.UTC().Format(time.DateTime), base.RunID)
	}
	told := map[string]bool{}
	for _, reason := range r.Reasons {
		fmt.Fprintf(&b, "- %s\n", reason.Message)
		told[reason.Message] = true
	}
	line := func(what, message string) {
		if !told[message+"."] {
			fmt.Fprintf(&b, "  %-12s %s\n", what, message)
		}
	}
	for _, m := range r.Metrics {
		line(string(m.Response), m.Message)
	}
	for _, d := range r.Distances {
		line("distribution", d.Message)
	}
	for _, f := range r.Findings {
		if f.Severity != swap.Harmless {
			fmt.Fprintf(&b, "! %s: %s%s\n", f.Subject, f.Message, nextOf(f))
		}
	}
	if blocked := r.Blocked; blocked != nil {
		fmt.Fprintf(&b, "Rollouts of %s are blocked until %s.\n", r.Target, blocked.Until.UTC().Format(time.RFC3339))
	}
	return b.String()
}
