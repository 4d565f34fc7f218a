package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/config"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/starter/internal/control"
)

// defaultWorkerWait is how long a command waits for a worker to appear.
const defaultWorkerWait = 5 * time.Second

type validateFlags struct {
	file      string
	by        string
	labels    []string
	join      bool
	detach    bool
	workerFor time.Duration
	wait      waitFlags
	output    verdictOutput
}

func newValidateCommand(a *app) *cobra.Command {
	var f validateFlags
	cmd := &cobra.Command{
		Use:   "validate -f swap.yaml",
		Short: "Start a validation, follow it and exit by its verdict",
		Long: `Start a validation, follow it and exit by its verdict: 0 pass, 1 fail, 2 inconclusive, 3 aborted, 70 no verdict.
Progress goes to standard error, the verdict to standard output. Ctrl-C stops following, not the validation.`,
		Example: "  swapgate validate -f swap.yaml --label commit=4f2c1e --write junit=swapgate.xml --write json=verdict.json",
		Args:    exactly(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.validate(cmd.Context(), &f) },
	}
	specFlag(cmd, &f.file)
	f.output.flags(cmd)
	f.wait.flags(cmd)
	cmd.Flags().StringVar(&f.by, "by", "", "who asks (default: the pipeline's user, else user@host)")
	cmd.Flags().StringArrayVar(&f.labels, "label", nil, "label kept with the run, as KEY=VALUE; may be repeated")
	cmd.Flags().BoolVar(&f.join, "join", false, "follow a running validation of the same specification instead of being refused")
	cmd.Flags().BoolVar(&f.detach, "detach", false, "start, print the ids and exit 0 without waiting for the verdict")
	cmd.Flags().DurationVar(&f.workerFor, "wait-for-worker", defaultWorkerWait, "how long to wait for workers to appear")
	return cmd
}

func specFlag(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVarP(file, "file", "f", "", "the specification, swap.yaml")
}

func (a *app) loadSpec(file string) (swap.Spec, error) {
	if file == "" {
		return swap.Spec{}, &usageError{err: errors.New("the specification is missing: give it with -f swap.yaml")}
	}
	return config.Load(file, a.env.LookupEnv)
}

func (a *app) validate(ctx context.Context, f *validateFlags) error {
	if err := errors.Join(f.output.check(), f.wait.check(), checkDuration("--wait-for-worker", f.workerFor)); err != nil {
		return err
	}
	labels, err := parsePairs("--label", f.labels)
	if err != nil {
		return err
	}
	req, err := a.request(f.file, f.by)
	if err != nil {
		return err
	}
	req.Labels = labels
	c, err := a.dialReady(ctx, &req, f.workerFor)
	if err != nil {
		return err
	}
	defer c.Close()
	run, err := a.startOrJoin(ctx, c, req, f.join)
	if err != nil {
		return err
	}
	link := swap.RunURL(req.Spec.Notify.TemporalUI, c.Namespace, run.WorkflowID, run.RunID())
	if f.detach {
		return a.printStarted(f.output.format, c, req, run, link)
	}
	a.say("validation of %s: workflow %s, run %s", req.Spec.Target, run.WorkflowID, run.RunID())
	if link != "" {
		a.say("%s", link)
	}
	return a.followValidation(ctx, run, req.Spec.Target, f.wait, &f.output)
}

// request asks for what a specification says, in the name of by or, where that is empty, of who runs the command.
func (a *app) request(file, by string) (swap.Request, error) {
	spec, err := a.loadSpec(file)
	if err != nil {
		return swap.Request{}, err
	}
	if by == "" {
		by = a.requestedBy()
	}
	return swap.Request{Spec: spec, SpecSHA256: config.SHA256(spec), RequestedBy: by}, nil
}

// dialReady connects to Temporal, says in the request whether search attributes can be set, and waits for workers.
func (a *app) dialReady(ctx context.Context, req *swap.Request, workerFor time.Duration) (*control.Client, error) {
	c, err := a.dial(ctx)
	if err != nil {
		return nil, err
	}
	req.SearchAttributes = a.searchAttributesReady(ctx, c)
	if err := c.AwaitWorkers(ctx, workerFor); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// searchAttributesReady checks them before a start: one that the namespace lacks would refuse the start.
func (a *app) searchAttributesReady(ctx context.Context, c *control.Client) bool {
	list, err := c.SearchAttributes(ctx)
	switch {
	case err != nil:
		a.say("swapgate: search attributes cannot be listed (%v); the run goes on without them", err)
	case !control.AllRegistered(list):
		a.say("swapgate: namespace %q lacks swapgate's search attributes; the run goes on without them. "+
			"To add them: swapgate search-attributes register", c.Namespace)
	default:
		return true
	}
	return false
}

// startOrJoin starts the validation. A running one of the same specification is joined where asked; one of another
// specification never is, because its verdict would be taken for that of this candidate.
func (a *app) startOrJoin(ctx context.Context, c *control.Client, req swap.Request, join bool) (*control.Run, error) {
	run, err := c.StartValidation(ctx, req)
	if errors.Is(err, control.ErrAttributesUnknown) {
		a.say("swapgate: %v yet; the run goes on without them", control.ErrAttributesUnknown)
		req.SearchAttributes = false
		run, err = c.StartValidation(ctx, req)
	}
	var running *control.AlreadyRunningError
	if !join || !errors.As(err, &running) {
		return run, err
	}
	if !running.SameSpec(req.SpecSHA256) {
		return nil, fmt.Errorf("cannot join a validation of another specification: %w", err)
	}
	a.say("joined the running validation")
	return running.Run, nil
}

type started struct {
	Target     string `json:"target"`
	WorkflowID string `json:"workflow_id"`
	RunID      string `json:"run_id"`
	Address    string `json:"temporal_address"`
	Namespace  string `json:"namespace"`
	URL        string `json:"url,omitempty"`
}

func (a *app) printStarted(format string, c *control.Client, req swap.Request, run *control.Run, link string) error {
	s := started{
		Target: req.Spec.Target, WorkflowID: run.WorkflowID, RunID: run.RunID(),
		Address: c.Address, Namespace: c.Namespace, URL: link,
	}
	if format != formatJSON {
		format = formatText
	}
	return a.print(format, s, fmt.Sprintf("workflow %s\nrun      %s\n", s.WorkflowID, s.RunID))
}

func parsePairs(flag string, pairs []string) (map[string]string, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	m := make(map[string]string, len(pairs))
	for _, p := range pairs {
		k, v, ok := strings.Cut(p, "=")
		if !ok || k == "" {
			return nil, &usageError{err: fmt.Errorf("%s %q: want KEY=VALUE", flag, p)}
		}
		m[k] = v
	}
	return m, nil
}
