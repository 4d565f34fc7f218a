package drill

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"

	"github.com/swapgate/swapgate/pkg/config"
	"github.com/swapgate/swapgate/pkg/local"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/starter/internal/demo"
	"github.com/swapgate/swapgate/workflows"
)

// window is long enough for a fault to strike in it.
const window = 2 * time.Second

// target is what every run of a drill is about; each has a site of its own.
const target = "drill"

// course is one run on its site.
type course struct {
	site     *local.Site
	client   client.Client
	control  *local.Child
	load     *local.Child
	models   *local.Models
	spec     swap.Spec
	specFile string
	exe      string
	outage   time.Duration
	patience time.Duration
}

// open starts a site with everything a run needs. The caller stops the site, also after an error.
func (c *course) open(ctx context.Context, dir string, seed uint64) (err error) {
	if c.site, err = local.StartSite(ctx, local.SiteOptions{Exe: c.exe, Dir: dir}); err != nil {
		return err
	}
	if err := errors.Join(c.startWorker(ctx, &c.control, "control"), c.startWorker(ctx, &c.load, "load")); err != nil {
		return err
	}
	if c.models, err = c.site.StartModels(ctx, local.ModelsOptions{Candidate: "same", Seed: seed, Adjust: demo.Slower}); err != nil {
		return err
	}
	if c.client, err = c.site.Temporal.Dial(ctx, log.NewStructuredLogger(slog.New(slog.DiscardHandler))); err != nil {
		return err
	}
	c.specFile, err = demo.Spec{Target: target, Models: c.models, Store: c.site.S3.Store(), Seed: seed, Prefix: "drill/"}.Write(dir)
	if err != nil {
		return err
	}
	spec, err := config.Load(c.specFile, os.LookupEnv)
	if err != nil {
		return err
	}
	c.spec = demo.Short(spec)
	c.spec.Rollout.Window = swap.Duration(window)
	return nil
}

func (c *course) startWorker(ctx context.Context, w **local.Child, role string) (err error) {
	*w, err = c.site.StartWorker(ctx, role)
	return err
}

func (c *course) workflowID() string { return swap.ValidateWorkflowID(target) }

func (c *course) start(ctx context.Context) error {
	req := swap.Request{Spec: c.spec, SpecSHA256: config.SHA256(c.spec), RequestedBy: "swapgate drill", SearchAttributes: true}
	_, err := c.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: c.workflowID(), TaskQueue: swap.QueueControl, WorkflowExecutionErrorWhenAlreadyStarted: true,
	}, swap.WorkflowValidateSwap, req)
	return err
}

func (c *course) closed(ctx context.Context) bool {
	d, err := c.client.DescribeWorkflow(ctx, c.workflowID(), "")
	return err == nil && d.Status != enums.WORKFLOW_EXECUTION_STATUS_RUNNING
}

// result waits for the end of the run and returns its verdict as the run itself tells it, which a run that was cut off can, too.
func (c *course) result(ctx context.Context) (v swap.Verdict, err error) {
	if err := c.poll(ctx, "the end of the run", func(ctx context.Context) (bool, error) { return c.closed(ctx), nil }); err != nil {
		return v, err
	}
	value, err := c.client.QueryWorkflow(ctx, c.workflowID(), "", swap.QueryPreview)
	if err != nil {
		return v, fmt.Errorf("ask the run for its verdict: %w", err)
	}
	return v, value.Get(&v)
}

// replay runs the workflow code on the run's history.
func (c *course) replay(ctx context.Context) error {
	var past history.History
	events := c.client.GetWorkflowHistory(ctx, c.workflowID(), "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			return fmt.Errorf("read the history: %w", err)
		}
		past.Events = append(past.Events, event)
	}
	replayer := worker.NewWorkflowReplayer()
	workflows.Register(replayer)
	return replayer.ReplayWorkflowHistory(log.NewStructuredLogger(slog.New(slog.DiscardHandler)), &past)
}

// rollBackByCommand is what the documentation tells a person to do after a run was terminated.
func (c *course) rollBackByCommand(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, c.exe, "rollback", target, "-f", c.specFile, "--reason", "drill") //nolint:gosec // this executable
	cmd.Env = append(os.Environ(), "TEMPORAL_ADDRESS="+c.site.Temporal.Address(), "TEMPORAL_NAMESPACE="+c.site.Temporal.Namespace())
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("swapgate rollback: %w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

// state is what the gateway says, asked outside of what is drilled.
type state struct {
	swap.Weights
	Version int64 `json:"version"`
}

func (c *course) weights(ctx context.Context) (s state, err error) {
	return s, c.admin(ctx, http.MethodGet, nil, &s)
}

// setWeights is another writer: it asks for nobody's version.
func (c *course) setWeights(ctx context.Context, w swap.Weights) error {
	body, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return c.admin(ctx, http.MethodPut, body, nil)
}

func (c *course) admin(ctx context.Context, method string, body []byte, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, c.models.Route.AdminURL+"/admin/weights", bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return err
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("the gateway answered %s: %s", resp.Status, data)
	case out == nil:
		return nil
	}
	return json.Unmarshal(data, out)
}

// pick draws the fault and the moment of a run, counted from 1: in each round of as many runs as there are faults, every fault once.
func pick(faults []Fault, seed uint64, run int) (Fault, moment) {
	round, place := (run-1)/len(faults), (run-1)%len(faults)
	rounds := rand.New(rand.NewPCG(seed, ^uint64(round))) //nolint:gosec // a drill, not a secret
	random := rand.New(rand.NewPCG(seed, uint64(run)))    //nolint:gosec // a drill, not a secret
	fault := faults[rounds.Perm(len(faults))[place]]
	return fault, fault.when[random.IntN(len(fault.when))](random)
}
