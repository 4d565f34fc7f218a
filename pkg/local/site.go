package local

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"github.com/swapgate/swapgate/pkg/sim/engine"
	"github.com/swapgate/swapgate/pkg/sim/gateway"
	"github.com/swapgate/swapgate/pkg/sim/scenario"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Site is one machine with everything a validation needs: Temporal, an S3 service and workers, each a process of its own,
// so that a test can kill any of them.
type Site struct {
	*Stack
	Temporal *Temporal
	S3       *S3
	exe      string
}

// SiteOptions configure a site.
type SiteOptions struct {
	// Exe is the swapgate executable.
	Exe string
	// Dir gets databases, objects and logs.
	Dir string
	// UI says whether Temporal's web UI is served.
	UI bool
	// Progress gets lines about what takes long; nil drops them.
	Progress io.Writer
}

// StartSite starts Temporal and S3. Workers and models are started apart. Stop the site in any case.
func StartSite(ctx context.Context, o SiteOptions) (*Site, error) {
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	stack, err := NewStack(o.Dir)
	if err != nil {
		return nil, err
	}
	s := &Site{Stack: stack, exe: o.Exe}
	group, gctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		cli, err := FindTemporal(gctx, o.Progress)
		if err != nil {
			return err
		}
		s.Temporal, err = StartTemporal(gctx, TemporalCommand{Path: cli, Dir: stack.Dir(), UI: o.UI})
		return err
	})
	group.Go(func() (err error) {
		s.S3, err = StartS3(gctx, S3Command{Path: o.Exe, Args: []string{"internal-s3"}, Dir: stack.Dir(), Bucket: "swapgate"})
		return err
	})
	err = group.Wait()
	if s.Temporal != nil {
		s.Add("Temporal dev server", func(ctx context.Context) error { return s.Temporal.Stop(ctx) })
	}
	if s.S3 != nil {
		s.Add("S3 service", func(ctx context.Context) error { return s.S3.Stop(ctx) })
	}
	if err != nil {
		return s, err
	}
	return s, nil
}

// StartWorker starts a worker process with a role and waits until it polls.
func (s *Site) StartWorker(ctx context.Context, role string) (*Child, error) {
	health, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	worker, err := StartServer(ctx, Command{
		Name: role + " worker", Path: s.exe, Args: []string{"worker", "--role", role, "--health", health, "--stop-timeout", "5s"},
		Env:     []string{"TEMPORAL_ADDRESS=" + s.Temporal.Address(), "TEMPORAL_NAMESPACE=" + s.Temporal.Namespace()},
		LogFile: filepath.Join(s.Dir(), "worker-"+role+".log"),
	}, "http://"+health+"/readyz")
	if err != nil {
		return nil, err
	}
	s.Add(role+" worker", worker.Stop)
	return worker, nil
}

// Models are two simulated engines behind a gateway.
type Models struct {
	// URLs of the engines, and the names of their models.
	Engines swap.PerArm[swap.Endpoint]
	// Route is the gateway.
	Route swap.Route
	// Servers are the engines' processes, Gateway is the gateway's.
	Servers swap.PerArm[*Child]
	Gateway *Child
	gateway Command
}

// ModelsOptions choose the models of a swap.
type ModelsOptions struct {
	// Candidate is the name of a scenario.
	Candidate string
	// Seed of the models' noise; the two arms' noise differs.
	Seed uint64
	// Adjust, if set, changes the configuration of both arms.
	Adjust func(*engine.Config)
}

// StartModels starts the baseline, a candidate and a gateway with all traffic on the baseline.
func (s *Site) StartModels(ctx context.Context, o ModelsOptions) (*Models, error) {
	m := &Models{}
	base := scenario.Baseline()
	cand, err := scenario.Candidate(o.Candidate)
	if err != nil {
		return nil, err
	}
	base.Seed, cand.Seed = 2*o.Seed+1, 2*o.Seed+2
	if o.Adjust != nil {
		o.Adjust(&base)
		o.Adjust(&cand)
	}
	if err := s.startEngine(ctx, m, swap.Baseline, base); err != nil {
		return nil, err
	}
	if err := s.startEngine(ctx, m, swap.Candidate, cand); err != nil {
		return nil, err
	}
	return m, s.startGateway(ctx, m)
}

func (s *Site) startEngine(ctx context.Context, m *Models, arm swap.Arm, cfg engine.Config) error {
	address, err := freeAddress(ctx)
	if err != nil {
		return err
	}
	file, err := s.writeJSON(string(arm)+".json", cfg)
	if err != nil {
		return err
	}
	url := "http://" + address
	child, err := StartServer(ctx, Command{
		Name: string(arm) + " engine", Path: s.exe, Args: []string{"sim", "engine", "--listen", address, "--config", file},
		LogFile: filepath.Join(s.Dir(), "engine-"+string(arm)+".log"),
	}, url+"/health")
	if err != nil {
		return err
	}
	s.Add(string(arm)+" engine", child.Stop)
	*m.Engines.Ptr(arm) = swap.Endpoint{URL: url, Model: cfg.Model}
	*m.Servers.Ptr(arm) = child
	return nil
}

func (s *Site) startGateway(ctx context.Context, m *Models) error {
	var addresses [2]string
	for i := range addresses {
		var err error
		if addresses[i], err = freeAddress(ctx); err != nil {
			return err
		}
	}
	m.Route = swap.Route{Kind: swap.RouteSwapgate, URL: "http://" + addresses[0], AdminURL: "http://" + addresses[1]}
	state := filepath.Join(s.Dir(), "gateway-"+addresses[1]+".state")
	upstreams := swap.PerArm[gateway.Upstream]{
		Baseline:  gateway.Upstream{URL: m.Engines.Baseline.URL, Model: m.Engines.Baseline.Model},
		Candidate: gateway.Upstream{URL: m.Engines.Candidate.URL, Model: m.Engines.Candidate.Model},
	}
	file, err := s.writeJSON("gateway.json", gateway.Config{Weights: swap.AllBaseline, StateFile: state, Upstreams: upstreams})
	if err != nil {
		return err
	}
	m.gateway = Command{
		Name: "gateway", Path: s.exe,
		Args:    []string{"sim", "gateway", "--listen", addresses[0], "--admin-listen", addresses[1], "--config", file},
		LogFile: filepath.Join(s.Dir(), "gateway.log"),
	}
	return s.RestartGateway(ctx, m)
}

// RestartGateway starts the gateway, again if it has ended, with the weights that it had.
func (s *Site) RestartGateway(ctx context.Context, m *Models) (err error) {
	m.Gateway, err = StartServer(ctx, m.gateway, m.Route.AdminURL+"/admin/weights")
	if err != nil {
		return err
	}
	s.Add("gateway", m.Gateway.Stop)
	return nil
}

func (s *Site) writeJSON(name string, v any) (string, error) {
	path := filepath.Join(s.Dir(), name)
	data, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("write %s: %w", name, err)
	}
	return path, nil
}
