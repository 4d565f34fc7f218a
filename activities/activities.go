package activities

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/load/calibration"
	"github.com/swapgate/swapgate/pkg/notify"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/secret"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

// Deps are what activities act through. Tests replace single ones.
type Deps struct {
	Log *slog.Logger
	// Version of this build, for provenance.
	Version string
	// HTTP is for control-plane calls; load has connections of its own.
	HTTP *http.Client
	Now  func() time.Time
	// OpenStore connects to a run store with the worker's own credentials.
	OpenStore func(swap.Store) (*runstore.Store, error)
	// OpenRoute connects to a gateway.
	OpenRoute func(swap.Route) (traffic.Controller, error)
	// Calibrate checks the load client before each step.
	Calibrate Calibrate
	// Tell gives news to the workflow.
	Tell Tell
	// Running says whether a workflow runs.
	Running func(ctx context.Context, workflowID string) (bool, error)
	// Shards is how load workers that share a step find each other.
	Shards Shards
	// Slack posts messages.
	Slack notify.Poster
}

// Activities are all durable steps.
type Activities struct{ Deps }

// New makes the activities act through deps.
func New(deps Deps) *Activities { return &Activities{Deps: deps} }

// controlTimeout bounds one control-plane call.
const controlTimeout = 15 * time.Second

// Production wires the real thing.
func Production(log *slog.Logger, version string) Deps {
	hc := &http.Client{Timeout: controlTimeout}
	return Deps{
		Log:       log,
		Version:   version,
		HTTP:      hc,
		Now:       time.Now,
		OpenStore: func(cfg swap.Store) (*runstore.Store, error) { return runstore.Open(atHome(cfg, os.Getenv)) },
		OpenRoute: openRoute(hc, nil),
		Calibrate: calibration.Run,
		Tell:      signalWorkflow,
		Running:   workflowRuns,
		Slack:     notify.Poster{HTTP: hc},
	}
}

// target is the server of one arm with its key resolved on this worker.
func target(e swap.Endpoint) (engine.Target, error) {
	key, err := secret.Resolve(e.APIKey)
	if err != nil {
		return engine.Target{}, err
	}
	return engine.Target{URL: e.URL, Model: e.Model, Key: key.Reveal()}, nil
}

// endpoint is one arm's server in a request.
func endpoint(spec swap.Spec, arm swap.Arm) swap.Endpoint {
	if arm == swap.Candidate {
		return spec.Candidate
	}
	return spec.Baseline
}
