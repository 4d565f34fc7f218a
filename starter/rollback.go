package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/temporal"

	"github.com/swapgate/swapgate/pkg/snapshot"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/starter/internal/control"
)

type rollbackFlags struct {
	file      string
	snapshot  string
	list      bool
	ask       askFlags
	store     swap.Store
	accessKey string
	secretKey string
	detach    bool
	format    string
}

func newRollbackCommand(a *app) *cobra.Command {
	var f rollbackFlags
	cmd := &cobra.Command{
		Use:   "rollback TARGET (-f swap.yaml | --store-bucket BUCKET)",
		Short: "Put a target's traffic back to a snapshot",
		Long: `Put a target's traffic back to a snapshot. A running validation is asked to roll back and end; without one, a rollback
of its own is started, which also serves when a validation was terminated. The exit code is 0 when the gateway was read
back as restored, and 70 when that is not known.

--list shows the snapshots that there are, read from the run store with the keys of this machine; nothing is changed.`,
		Example: "  swapgate rollback chat -f swap.yaml --reason 'answers are garbled'\n" +
			"  swapgate rollback chat -f swap.yaml --list\n" +
			"  swapgate rollback chat -f swap.yaml --snapshot 3f9a11c0",
		Args: exactly("TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.list {
				return a.listSnapshots(cmd.Context(), args[0], &f)
			}
			return a.rollback(cmd.Context(), args[0], &f)
		},
	}
	specFlag(cmd, &f.file)
	f.ask.flags(cmd)
	textOrJSON(cmd, &f.format)
	cmd.Flags().StringVar(&f.snapshot, "snapshot", "", "what to restore: the beginning of its id, or s3://bucket/key (default: the newest)")
	cmd.Flags().BoolVar(&f.list, "list", false, "show the target's snapshots and change nothing")
	cmd.Flags().StringVar(&f.store.Endpoint, "store-endpoint", "", "S3 API that keeps the snapshots, in place of -f")
	cmd.Flags().StringVar(&f.store.Bucket, "store-bucket", "", "its bucket")
	cmd.Flags().StringVar(&f.store.Prefix, "store-prefix", "", "prefix of its keys")
	cmd.Flags().StringVar(&f.store.Region, "store-region", "", "its region")
	cmd.Flags().StringVar(&f.accessKey, "store-access-key-env", "", "variable of the worker that holds the access key")
	cmd.Flags().StringVar(&f.secretKey, "store-secret-key-env", "", "variable of the worker that holds the secret key")
	cmd.Flags().BoolVar(&f.detach, "detach", false, "start and exit 0 without waiting for the end")
	return cmd
}

func (a *app) rollback(ctx context.Context, target string, f *rollbackFlags) error {
	if err := errors.Join(checkTextOrJSON(f.format), checkSnapshot(f.snapshot)); err != nil {
		return err
	}
	c, err := a.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	run, e, err := c.Validation(ctx, target, "")
	var none *control.RefusedError
	switch {
	case err == nil && e.State == control.Running:
		return a.rollbackRunning(ctx, run, target, f)
	case err != nil && !errors.As(err, &none):
		return err
	}
	return a.rollbackAlone(ctx, c, target, f)
}

// rollbackRunning lets the running validation roll back: two writers of the same weights would race.
func (a *app) rollbackRunning(ctx context.Context, run *control.Run, target string, f *rollbackFlags) error {
	if f.snapshot != "" {
		return &control.RefusedError{
			Message: fmt.Sprintf("%s is running and rolls back to its own snapshot, not to %s", run.WorkflowID, f.snapshot),
			Next:    "leave out --snapshot, or abort the validation first: swapgate abort " + target + " --reason …",
		}
	}
	answer, err := run.Ask(ctx, swap.UpdateRollback, f.ask.request(a))
	if err != nil {
		return err
	}
	a.say("%s", answer.Message)
	if f.detach {
		return nil
	}
	v, err := a.awaitVerdict(ctx, run, target, waitFlags{})
	if err != nil {
		return err
	}
	return a.printRestored(f.format, restored{Target: target, Weights: v.FinalWeights, Snapshot: v.Snapshot}, v.Verdict != swap.Errored)
}

func (a *app) rollbackAlone(ctx context.Context, c *control.Client, target string, f *rollbackFlags) error {
	store, err := a.rollbackStore(target, f)
	if err != nil {
		return err
	}
	by := f.ask.request(a)
	req := swap.RollbackRequest{Target: target, Store: store, Reason: by.Reason, RequestedBy: by.By}
	switch {
	case strings.Contains(f.snapshot, "://"):
		req.Snapshot = &swap.ObjectRef{URI: f.snapshot}
	default:
		req.SnapshotID = f.snapshot
	}
	req.SearchAttributes = a.searchAttributesReady(ctx, c)
	run, joined, err := c.StartRollback(ctx, req)
	if errors.Is(err, control.ErrAttributesUnknown) {
		req.SearchAttributes = false
		run, joined, err = c.StartRollback(ctx, req)
	}
	if err != nil {
		return err
	}
	if joined {
		a.say("a rollback of %s is running already; following it", target)
	}
	a.say("rollback of %s: workflow %s, run %s", target, run.WorkflowID, run.RunID())
	if f.detach {
		return nil
	}
	var r swap.RollbackResult
	if err := follow(ctx, run, a.display(), &r); err != nil {
		if ctx.Err() != nil {
			return &exitError{code: exitDetached, message: fmt.Sprintf("detached; %s (run %s) goes on", run.WorkflowID, run.RunID())}
		}
		return rollbackFailure(err)
	}
	return a.printRestored(f.format, restored{Target: target, Weights: r.Restored.Weights, Snapshot: r.Restored.Snapshot}, true)
}

// checkSnapshot refuses what is neither an id nor an address before anything is asked.
func checkSnapshot(name string) error {
	if name == "" || strings.Contains(name, "://") || snapshot.IsID(name) {
		return nil
	}
	return &usageError{err: fmt.Errorf("--snapshot %s: want the id of a snapshot or at least its first 4 digits, as --list shows them, or "+
		"s3://bucket/key", name)}
}

// rollbackFailure says why a rollback ended without success in the workflow's own words, where it has any.
func rollbackFailure(err error) error {
	var failure *temporal.ApplicationError
	if !errors.As(err, &failure) {
		return err
	}
	return &exitError{code: exitNoVerdict, message: failure.Message()}
}

func (a *app) rollbackStore(target string, f *rollbackFlags) (swap.Store, error) {
	switch {
	case f.file != "":
		spec, err := a.loadSpec(f.file)
		if err == nil && spec.Target != target {
			err = &usageError{err: fmt.Errorf("%s is about target %q, not %q", f.file, spec.Target, target)}
		}
		return spec.Store, err
	case f.store.Bucket == "":
		return swap.Store{}, &usageError{err: errors.New("say where the snapshots are: -f swap.yaml, or --store-bucket and --store-endpoint")}
	}
	store := f.store
	store.AccessKey, store.SecretKey = envRef(f.accessKey), envRef(f.secretKey)
	return store, nil
}

func envRef(name string) *swap.SecretRef {
	if name == "" {
		return nil
	}
	return &swap.SecretRef{Env: name}
}

type restored struct {
	Target  string        `json:"target"`
	Weights *swap.Weights `json:"weights,omitempty"`
	// Snapshot that was restored; absent where none was needed.
	Snapshot *swap.ObjectRef `json:"snapshot,omitempty"`
}

// printRestored says what is live. certain is false for a run that failed before it could tell.
func (a *app) printRestored(format string, r restored, certain bool) error {
	text := r.Target + " has no route: there was no traffic to put back\n"
	if w := r.Weights; w != nil {
		text = fmt.Sprintf("%s: baseline %d %%, candidate %d %%, read back from the gateway\n", r.Target, w.Baseline, w.Candidate)
	}
	if r.Weights == nil && !certain {
		return &exitError{
			code: exitNoVerdict, message: "the run failed and did not say what is live on " + r.Target,
			next: []string{"run the same command again: a rollback of its own is then started"},
		}
	}
	return a.print(format, r, text)
}
