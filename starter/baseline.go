package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/baseline/alertrules"
	"github.com/swapgate/swapgate/pkg/baseline/registry"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// baselineFlags are those of every command below baseline: where the history is.
type baselineFlags struct {
	file      string
	store     swap.Store
	accessKey string
	secretKey string
	format    string
	version   int
}

func newBaselineCommand(a *app) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "baseline",
		Short: "Look at how a target's model behaved over its history, and write alert rules from it",
		Long: `Look at the versions of a target's baseline: what passing runs measured of the model that serves. The run store is read from
this machine, with its keys; Temporal is not needed.`,
	})
	cmd.AddCommand(newBaselineListCommand(a), newBaselineShowCommand(a), newBaselineAlertsCommand(a), newBaselineAcceptCommand(a),
		newBaselineScoresCommand(a))
	return cmd
}

func (f *baselineFlags) flags(cmd *cobra.Command) {
	specFlag(cmd, &f.file)
	cmd.Flags().StringVar(&f.store.Endpoint, "store-endpoint", "", "S3 API that keeps the history, in place of -f")
	cmd.Flags().StringVar(&f.store.Bucket, "store-bucket", "", "its bucket")
	cmd.Flags().StringVar(&f.store.Prefix, "store-prefix", "", "prefix of its keys")
	cmd.Flags().StringVar(&f.store.Region, "store-region", "", "its region")
	cmd.Flags().StringVar(&f.accessKey, "store-access-key-env", "", "variable that holds the access key")
	cmd.Flags().StringVar(&f.secretKey, "store-secret-key-env", "", "variable that holds the secret key")
}

func newBaselineListCommand(a *app) *cobra.Command {
	var f baselineFlags
	last := 20
	cmd := &cobra.Command{
		Use:     "list TARGET (-f swap.yaml | --store-bucket BUCKET)",
		Short:   "List the versions of a target's baseline, the newest first",
		Example: "  swapgate baseline list chat -f swap.yaml",
		Args:    exactly("TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withHistory(args[0], &f, func(store *runstore.Store) error {
				return a.listBaselines(cmd.Context(), store, args[0], f.format, last)
			})
		},
	}
	f.flags(cmd)
	textOrJSON(cmd, &f.format)
	cmd.Flags().IntVar(&last, "last", last, "how many versions")
	return cmd
}

func newBaselineShowCommand(a *app) *cobra.Command {
	var f baselineFlags
	cmd := &cobra.Command{
		Use:     "show TARGET (-f swap.yaml | --store-bucket BUCKET)",
		Short:   "Show the numbers of one version of a target's baseline",
		Example: "  swapgate baseline show chat -f swap.yaml --version 3",
		Args:    exactly("TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withHistory(args[0], &f, func(store *runstore.Store) error {
				entry, err := f.entry(cmd.Context(), store, args[0])
				if err != nil {
					return err
				}
				return a.print(f.format, entry, baselineText(entry))
			})
		},
	}
	f.flags(cmd)
	textOrJSON(cmd, &f.format)
	cmd.Flags().IntVar(&f.version, "version", 0, "which version (default: the newest)")
	return cmd
}

func newBaselineAlertsCommand(a *app) *cobra.Command {
	var f baselineFlags
	var o alertrules.Options
	cmd := &cobra.Command{
		Use:   "alerts TARGET (-f swap.yaml | --store-bucket BUCKET)",
		Short: "Write Prometheus alert rules from a target's baseline",
		Long: `Write a Prometheus rule file to standard output: P95 and P99 above the upper bound of the baseline, failed requests that use
up their budget too fast, and throughput below the lower bound while requests wait. Without --version the numbers are those of
the reference that later runs are held against.`,
		Example: "  swapgate baseline alerts chat -f swap.yaml --selector 'job=\"chat\"' > chat-rules.yaml",
		Args:    exactly("TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withHistory(args[0], &f, func(store *runstore.Store) error {
				return a.writeAlerts(cmd.Context(), store, args[0], f, o)
			})
		},
	}
	f.flags(cmd)
	f.format = formatText
	cmd.Flags().IntVar(&f.version, "version", 0, "which version (default: the reference)")
	cmd.Flags().StringVar(&o.Load, "load", "", "load level whose numbers count, such as 'concurrency 8' (default: the last)")
	cmd.Flags().StringVar(&o.Selector, "selector", "", "PromQL label matchers of the servers (default: the model's name, if a label has it)")
	cmd.Flags().Float64Var(&o.ErrorBudget, "error-budget", 0, "share of requests that may fail (default: 0.001, or what the baseline had)")
	return cmd
}

func newBaselineAcceptCommand(a *app) *cobra.Command {
	var f baselineFlags
	var ask askFlags
	cmd := &cobra.Command{
		Use:   "accept TARGET --reason REASON (-f swap.yaml | --store-bucket BUCKET)",
		Short: "Make the newest version the reference, although it is worse than the one so far",
		Long: `Make the numbers of the newest version the reference that later runs are held against. A model that passed with a small
regression does not become it by itself, so that small regressions cannot add up unseen. The reason is kept with the version and
shown by list and show. Where the newest version is the reference already, nothing is changed, and that is said.`,
		Example: "  swapgate baseline accept chat -f swap.yaml --reason 'longer answers are worth 4 %'",
		Args:    exactly("TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if ask.reason == "" {
				return &usageError{err: errors.New("--reason is required: why is the newest version the one to hold later runs against?")}
			}
			by := ask.request(a)
			return a.withHistory(args[0], &f, func(store *runstore.Store) error {
				entry, changed, err := registry.Accept(cmd.Context(), store, args[0], by.By, by.Reason, a.now())
				if err != nil {
					return err
				}
				return a.print(f.format, acceptance{Changed: changed, baselineSummary: summaryOf(entry)}, acceptedText(entry, changed))
			})
		},
	}
	f.flags(cmd)
	ask.flags(cmd)
	textOrJSON(cmd, &f.format)
	return cmd
}

// withHistory opens the store for do and says in which way asking it failed. A specification must be about target, if one is given.
func (a *app) withHistory(target string, f *baselineFlags, do func(*runstore.Store) error) error {
	if err := checkTextOrJSON(f.format); err != nil {
		return err
	}
	cfg, err := a.historyStore(target, f)
	if err != nil {
		return err
	}
	store, err := runstore.Open(cfg)
	if err != nil {
		return &usageError{err: err}
	}
	defer store.Close()
	err = do(store)
	switch {
	case errors.Is(err, registry.ErrNone), errors.Is(err, registry.ErrNoVersion), errors.Is(err, registry.ErrInvalid),
		errors.Is(err, alertrules.ErrNoRules),
		errors.Is(err, runstore.ErrNotFound):
		return &usageError{err: err}
	case errors.Is(err, runstore.ErrUnavailable):
		return &exitError{code: exitUnavailable, message: err.Error()}
	}
	return err
}

func (a *app) historyStore(target string, f *baselineFlags) (swap.Store, error) {
	switch {
	case f.file != "":
		spec, err := a.loadSpec(f.file)
		if err == nil && target != "" && spec.Target != target {
			err = &usageError{err: fmt.Errorf("%s is about target %q, not %q", f.file, spec.Target, target)}
		}
		return spec.Store, err
	case f.store.Bucket == "":
		return swap.Store{}, &usageError{err: errors.New("say where the history is: -f swap.yaml, or --store-bucket and --store-endpoint")}
	}
	store := f.store
	store.AccessKey, store.SecretKey = envRef(f.accessKey), envRef(f.secretKey)
	return store, nil
}

// entry is the version that was asked for, or the newest.
func (f *baselineFlags) entry(ctx context.Context, store registry.Store, target string) (registry.Registered, error) {
	if f.version != 0 {
		return registry.Get(ctx, store, target, f.version)
	}
	return registry.Latest(ctx, store, target, registry.Query{})
}

func (a *app) listBaselines(ctx context.Context, store registry.Store, target, format string, last int) error {
	if last < 1 {
		return &usageError{err: fmt.Errorf("--last %d: at least one version is needed", last)}
	}
	entries, err := registry.List(ctx, store, target, last)
	if err != nil {
		return err
	}
	summaries := make([]baselineSummary, len(entries))
	for i, e := range entries {
		summaries[i] = summaryOf(e)
	}
	return a.print(format, summaries, baselineTable(target, summaries))
}

func (a *app) writeAlerts(ctx context.Context, store registry.Store, target string, f baselineFlags, o alertrules.Options) error {
	entry, err := f.entry(ctx, store, target)
	if err == nil && f.version == 0 {
		entry, err = registry.Reference(ctx, store, entry)
	}
	if err != nil {
		return err
	}
	rules, err := alertrules.YAML(entry, o)
	if err != nil {
		return err
	}
	_, err = a.out.Write(rules)
	return err
}
