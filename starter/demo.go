package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/local"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/sim/scenario"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/starter/internal/demo"
)

// demoStop bounds the stop of the local stack.
const demoStop = 30 * time.Second

// demoSwaps are demonstrated when none is named: a sound one and a bad one.
var demoSwaps = []string{"good", "slow-decode"}

type demoFlags struct {
	swaps  []string
	seed   uint64
	dir    string
	keep   bool
	noUI   bool
	output verdictOutput
}

func newDemoCommand(a *app) *cobra.Command {
	var f demoFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Validate swaps of simulated models on this machine, with nothing installed",
		Long: `Validate swaps of simulated models on this machine: a real Temporal server, a real S3 service, real workers and load.
Without --swap it shows a sound swap that is promoted and a bad one that is caught, and exits 0 if both verdicts are right.
With --swap it exits by that swap's verdict, as validate does.

Swaps:
` + demoList(),
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), &f) },
	}
	cmd.Flags().StringArrayVar(&f.swaps, "swap", nil, "swap to demonstrate; may be repeated")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "seed of prompts, arrivals and of the models' noise")
	cmd.Flags().StringVar(&f.dir, "dir", "swapgate-demo", "folder that gets reports, raw runs and logs, in a folder of its own")
	cmd.Flags().BoolVar(&f.keep, "keep", false, "leave everything running until Ctrl-C, to look around")
	cmd.Flags().BoolVar(&f.noUI, "no-ui", false, "do not serve Temporal's web UI")
	f.output.flags(cmd)
	return cmd
}

func demoList() string {
	var b strings.Builder
	for _, name := range scenario.Names() {
		fmt.Fprintf(&b, "  %-13s %s\n", name, scenario.About(name))
	}
	return strings.TrimRight(b.String(), "\n")
}

func (a *app) demo(ctx context.Context, f *demoFlags) (err error) {
	if err := f.output.check(); err != nil {
		return err
	}
	for _, name := range f.swaps {
		if !slices.Contains(scenario.Names(), name) {
			return &usageError{err: fmt.Errorf("--swap %q: choose one of %s", name, strings.Join(scenario.Names(), ", "))}
		}
	}
	stage := &stage{app: a, flags: f, started: a.now()}
	defer func() { err = errors.Join(err, stage.close(ctx)) }()
	err = stage.play(ctx)
	if ctx.Err() != nil {
		return stage.interrupted()
	}
	if f.keep && stage.site != nil {
		a.say("everything is still running: look around, then press Ctrl-C. For other commands in another shell:\n"+
			"  export TEMPORAL_ADDRESS=%s", stage.site.Temporal.Address())
		<-ctx.Done()
	}
	return err
}

// stage is where a demo plays: the local site and what was shown on it.
type stage struct {
	app     *app
	flags   *demoFlags
	started time.Time
	dir     string
	site    *local.Site
}

func (s *stage) play(ctx context.Context) error {
	if err := s.open(ctx); err != nil {
		return err
	}
	if len(s.flags.swaps) == 0 {
		return s.showBoth(ctx)
	}
	return s.showNamed(ctx)
}

// interrupted replaces what a cut demo returns: its runs do not go on, because their server stops with it.
func (s *stage) interrupted() error {
	return &exitError{
		code:    exitDetached,
		message: "interrupted; everything that the demo started is stopped",
		next:    []string{"what it wrote is in " + s.dir},
	}
}

func (s *stage) open(ctx context.Context) error {
	var err error
	if s.dir, err = newFolder(s.flags.dir, s.started.UTC().Format("20060102T150405Z")); err != nil {
		return &usageError{err: fmt.Errorf("no folder for the demo: %w; name one that can be written with --dir", err)}
	}
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the running executable: %w", err)
	}
	s.site, err = local.StartSite(ctx, local.SiteOptions{
		Exe: exe, Dir: filepath.Join(s.dir, "site"), UI: !s.flags.noUI, Progress: s.app.err,
	})
	if err != nil {
		return err
	}
	for _, role := range []string{"control", "load"} {
		if _, err := s.site.StartWorker(ctx, role); err != nil {
			return err
		}
	}
	s.app.say("Temporal %s · S3 http://%s · files in %s", s.ui(), s.site.S3.Endpoint(), s.dir)
	return nil
}

// newFolder makes a folder in parent that no other demo has, not even one of the same second.
func newFolder(parent, name string) (string, error) {
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		path := filepath.Join(parent, name)
		if n > 1 {
			path += fmt.Sprintf("-%d", n)
		}
		if err := os.Mkdir(path, 0o700); !errors.Is(err, fs.ErrExist) {
			return path, err
		}
	}
}

func (s *stage) ui() string {
	if s.flags.noUI {
		return s.site.Temporal.Address()
	}
	return s.site.Temporal.UIURL()
}

func (s *stage) close(ctx context.Context) error {
	if s.site == nil {
		return nil
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), demoStop)
	defer done()
	return s.site.Stop(ctx)
}

// showBoth shows a sound and a bad swap and succeeds if both were judged rightly.
func (s *stage) showBoth(ctx context.Context) error {
	verdicts := make([]swap.Verdict, len(demoSwaps))
	for i, name := range demoSwaps {
		v, err := s.show(ctx, name)
		if err != nil {
			return err
		}
		verdicts[i] = v
		if err := s.flags.output.deliver(s.app.out, v); err != nil && exitCode(err) != verdictCode(v.Verdict) {
			return err
		}
	}
	good, bad := verdicts[0], verdicts[1]
	if good.Verdict == swap.Pass && bad.Verdict == swap.Fail && bad.FinalWeights != nil && *bad.FinalWeights == swap.AllBaseline {
		s.app.say("\nBoth verdicts are right: the sound swap serves all traffic, the bad one was put back. It took %s.",
			s.app.now().Sub(s.started).Round(time.Second))
		return nil
	}
	return &exitError{
		code:    exitNoVerdict,
		message: fmt.Sprintf("the demo expected pass and fail, but got %s and %s", good.Verdict, bad.Verdict),
		next:    []string{"is the machine busy? the verdicts above say what was missing", "logs are in " + s.site.Dir()},
	}
}

// showNamed shows the named swaps; the exit code is that of the last one that did not pass.
func (s *stage) showNamed(ctx context.Context) error {
	var result error
	for _, name := range s.flags.swaps {
		v, err := s.show(ctx, name)
		if err != nil {
			return err
		}
		if err := s.flags.output.deliver(s.app.out, v); err != nil {
			result = err
		}
	}
	return result
}

// show validates one swap with the same command that a pipeline would use.
func (s *stage) show(ctx context.Context, name string) (swap.Verdict, error) {
	s.app.say("\n=== swap %s: %s", name, scenario.About(name))
	models, err := s.site.StartModels(ctx, local.ModelsOptions{Candidate: name, Seed: s.flags.seed})
	if err != nil {
		return swap.Verdict{}, err
	}
	defer s.stopModels(ctx, models)
	store := s.site.S3.Store()
	spec := demo.Spec{Target: name, Models: models, Store: store, Seed: s.flags.seed, Prefix: "demo/"}
	if !s.flags.noUI {
		spec.TemporalUI = s.site.Temporal.UIURL()
	}
	file, err := spec.Write(s.dir)
	if err != nil {
		return swap.Verdict{}, err
	}
	v, err := s.validate(ctx, file)
	if err != nil {
		return v, err
	}
	return v, s.keep(ctx, name, store, v)
}

// stopModels makes room for the next swap's models.
func (s *stage) stopModels(ctx context.Context, m *local.Models) {
	if s.flags.keep {
		return
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), demoStop)
	defer done()
	for _, c := range []*local.Child{m.Gateway, m.Servers.Baseline, m.Servers.Candidate} {
		if err := c.Stop(ctx); err != nil {
			s.app.say("%v", err)
		}
	}
}

func (s *stage) validate(ctx context.Context, file string) (swap.Verdict, error) {
	var out bytes.Buffer
	inner := *s.app
	inner.out = &out
	temporal := s.site.Temporal
	inner.env = append(slices.Clone(s.app.env), "TEMPORAL_ADDRESS="+temporal.Address(), "TEMPORAL_NAMESPACE="+temporal.Namespace())
	f := validateFlags{file: file, by: "swapgate demo", workerFor: defaultWorkerWait, output: verdictOutput{format: formatJSON}}
	err := inner.validate(ctx, &f)
	v, readErr := readVerdict(out.Bytes())
	if readErr != nil {
		return v, errors.Join(err, readErr)
	}
	return v, nil
}

// keep copies a swap's documents out of the store.
func (s *stage) keep(ctx context.Context, name string, cfg swap.Store, v swap.Verdict) error {
	store, err := runstore.Open(cfg)
	if err != nil {
		return err
	}
	defer store.Close()
	for _, doc := range []struct {
		ref        *swap.ObjectRef
		file, what string
	}{
		{v.Artifacts.Report, "report-" + name + ".html", "report"},
		{v.Artifacts.Verdict, "verdict-" + name + ".json", "verdict"},
		{v.Artifacts.Slack, "slack-" + name + ".json", "Slack message (no token is set, so this is what would be posted)"},
	} {
		if doc.ref == nil {
			continue
		}
		data, err := store.GetBytes(ctx, *doc.ref)
		if err != nil {
			return err
		}
		path := filepath.Join(s.dir, doc.file)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return fmt.Errorf("keep the %s of %s: %w", doc.what, name, err)
		}
		s.app.say("%s: %s", doc.what, path)
	}
	return nil
}

func readVerdict(data []byte) (v swap.Verdict, err error) {
	if err := json.Unmarshal(data, &v); err != nil {
		return v, fmt.Errorf("read the demo's verdict: %w", err)
	}
	return v, nil
}
