package activities

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/calibration"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/local/localtest"
	"github.com/swapgate/swapgate/pkg/runstore"
	simengine "github.com/swapgate/swapgate/pkg/sim/engine"
	"github.com/swapgate/swapgate/pkg/sim/gateway"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

// The credentials of a site. None of them may leave the worker.
const (
	armKey     = "hush-arm-key"
	adminToken = "hush-admin-token"
	slackToken = "xoxb-hush-slack-token"
)

// testRunID is the run id of Temporal's test environment.
const testRunID = "default-test-run-id"

// site is two simulated servers, a gateway before them, a store, and the activities wired as in production.
type site struct {
	spec    swap.Spec
	engines swap.PerArm[*simengine.Engine]
	deps    Deps
	// allowed is the time of an activity, where it is not Temporal's own of the test.
	allowed time.Duration
	// logger takes what activities log; nil for nobody.
	logger io.Writer
}

// goodClient stands for a check of the load client that found nothing. These tests share their process with the servers, so
// that a real one would find much.
func goodClient(context.Context, calibration.Config) (swap.InstrumentReading, error) {
	return swap.InstrumentReading{Requests: 40, Tokens: 160, TTFTErrorP99MS: swap.Of(0.1), TokenErrorP99MS: swap.Of(0.1)}, nil
}

type middleware func(http.Handler) http.Handler

// plan is how a site is built.
type plan struct {
	engines swap.PerArm[simengine.Config]
	// servers, public and admin stand before the handlers of the site, where they are set.
	servers       swap.PerArm[middleware]
	public, admin middleware
	deps          func(*Deps)
}

func newSite(t *testing.T, changes ...func(*plan)) *site {
	t.Helper()
	p := plan{engines: swap.PerArm[simengine.Config]{Baseline: fastEngine("m-8b"), Candidate: fastEngine("m-8b-fp8")}}
	for _, change := range changes {
		change(&p)
	}
	s := &site{deps: Production(slog.New(slog.DiscardHandler), "v-test")}
	s.deps.Calibrate = goodClient
	s.deps.Tell = func(context.Context, swap.LoadNews) error { return nil }
	s.deps.Running = func(context.Context, string) (bool, error) { return false, nil }
	if p.deps != nil {
		p.deps(&s.deps)
	}
	s.spec = specOf(t, secretFile(t, armKey))
	s.spec.Store = newStore(t)
	var upstreams swap.PerArm[gateway.Upstream]
	for _, arm := range swap.Arms {
		sim, err := simengine.New(p.engines.Get(arm))
		require.NoError(t, err)
		t.Cleanup(sim.Close)
		*s.engines.Ptr(arm) = sim
		model := p.engines.Get(arm).Model
		url := serve(t, sim, p.servers.Get(arm))
		*upstreams.Ptr(arm) = gateway.Upstream{URL: url, Model: model}
		server := &s.spec.Baseline
		if arm == swap.Candidate {
			server = &s.spec.Candidate
		}
		server.URL, server.Model = url, model
	}
	g, err := gateway.New(gateway.Config{Upstreams: upstreams, AdminToken: adminToken})
	require.NoError(t, err)
	t.Cleanup(g.Close)
	s.spec.Rollout.Route = swap.Route{
		Kind: swap.RouteSwapgate, URL: serve(t, g.Handler(), p.public), AdminURL: serve(t, g.AdminHandler(), p.admin),
		AdminToken: secretFile(t, adminToken),
	}
	return s
}

func serve(t *testing.T, h http.Handler, before middleware) (url string) {
	t.Helper()
	if before != nil {
		h = before(h)
	}
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

// fastEngine answers after a few milliseconds, always alike.
func fastEngine(model string) simengine.Config {
	cfg := simengine.Default()
	cfg.Model, cfg.APIKey = model, armKey
	cfg.Noise, cfg.Cold, cfg.NaturalLength = simengine.Noise{}, simengine.ColdStart{}, swap.Lengths{}
	cfg.Prefill = simengine.Prefill{Base: swap.Duration(2 * time.Millisecond), TokensPerSecond: 1e6}
	cfg.Decode = simengine.Decode{Base: swap.Duration(time.Millisecond)}
	return cfg
}

// specOf is a complete specification with blocks and windows of fractions of a second.
func specOf(t *testing.T, key *swap.SecretRef) swap.Spec {
	t.Helper()
	return swap.Spec{
		Target:    "chat",
		Baseline:  swap.Endpoint{APIKey: key},
		Candidate: swap.Endpoint{APIKey: key},
		Workload: swap.Workload{
			API: swap.APIChat, InputTokens: swap.Lengths{Median: 8, Min: 8, Max: 8}, OutputTokens: swap.Lengths{Median: 4, Min: 4, Max: 4},
			IgnoreEOS: true, PromptCache: swap.CacheSalted, Seed: 1, RequestTimeout: swap.Duration(5 * time.Second),
		},
		WarmUp: swap.WarmUp{MinRequests: 20, MaxRequests: 60, Concurrency: 4, MaxDuration: swap.Duration(5 * time.Second)},
		Load: swap.Load{
			Steps: []swap.Step{{Rate: 40, Hold: swap.Duration(400 * time.Millisecond)}},
			Block: swap.Duration(200 * time.Millisecond), Settle: swap.Duration(50 * time.Millisecond),
		},
		Telemetry: swap.Telemetry{Interval: swap.Duration(20 * time.Millisecond)},
		Gates: []swap.Gate{
			{Metric: swap.MetricTTFT, Stat: swap.StatP50, Margin: 0.5, Unit: swap.Relative, Better: swap.LowerIsBetter},
			{Metric: swap.MetricErrorRate, Stat: swap.StatRate, Margin: 0.2, Unit: swap.Absolute, Better: swap.LowerIsBetter},
		},
		Judge: swap.Judge{Level: 0.95, Resamples: 199, MinBlocks: 4, MinTail: 1, Seed: 1},
		Rollout: &swap.Rollout{
			Weights: []int{50, 100}, Window: swap.Duration(400 * time.Millisecond), WindowsPerWeight: 2, MaxExtensions: 1,
			ProbeRate: 60, MinRequests: 5, Guard: swap.Guard{ErrorRateRise: 0.5, ErrorMinRequests: 1000, ConsecutiveFailures: 5},
		},
		Snapshots: swap.Snapshots{Keep: 2},
		Notify: swap.Notify{
			Slack: &swap.Slack{Channel: "#models"}, TemporalUI: "http://temporal.example/", ReportBaseURL: "https://reports.example/",
		},
	}
}

// secretFile keeps a credential the way a worker's deployment does.
func secretFile(t *testing.T, value string) *swap.SecretRef {
	t.Helper()
	path := filepath.Join(t.TempDir(), "credential")
	require.NoError(t, os.WriteFile(path, []byte(value+"\n"), 0o600))
	return &swap.SecretRef{File: path}
}

// storeKeys guards the key files of the shared S3 service, which are written anew for every bucket.
var storeKeys sync.Mutex

// newStore is an empty bucket, with key files of its own.
func newStore(t *testing.T) swap.Store {
	t.Helper()
	storeKeys.Lock()
	defer storeKeys.Unlock()
	cfg := localtest.S3(t)
	for _, ref := range []**swap.SecretRef{&cfg.AccessKey, &cfg.SecretKey} {
		value, err := os.ReadFile((*ref).File)
		require.NoError(t, err)
		*ref = secretFile(t, string(value))
	}
	return cfg
}

// secrets are the values that may be nowhere but in requests to their own service.
func (s *site) secrets(t *testing.T) []string {
	t.Helper()
	all := []string{armKey, adminToken, slackToken}
	if ref := s.spec.Store.SecretKey; ref != nil {
		value, err := os.ReadFile(ref.File)
		require.NoError(t, err)
		all = append(all, strings.TrimSpace(string(value)))
	}
	return all
}

// facts is what preflight finds out about both servers.
func (s *site) facts() swap.PerArm[swap.ArmFacts] {
	var facts swap.PerArm[swap.ArmFacts]
	for _, arm := range swap.Arms {
		e := endpoint(s.spec, arm)
		*facts.Ptr(arm) = swap.ArmFacts{
			URL: e.URL, Engine: "vllm", Model: e.Model, UsageInStream: true, TokenLimitKey: "max_tokens", MetricsPage: "/metrics",
		}
	}
	return facts
}

// served counts the requests that an arm has finished.
func (s *site) served(arm swap.Arm) int { return len(s.engines.Get(arm).Truth(0).Requests) }

// openStore is the site's store as a test sees it, past any proxy.
func openStore(t *testing.T, cfg swap.Store) *runstore.Store {
	t.Helper()
	store, err := runstore.Open(cfg)
	require.NoError(t, err)
	t.Cleanup(store.Close)
	return store
}

// weights is what the gateway itself says.
func (s *site) weights(t *testing.T) swap.Weights {
	t.Helper()
	state, err := s.controller(t).Read(t.Context())
	require.NoError(t, err)
	return state.Weights
}

func (s *site) setWeights(t *testing.T, w swap.Weights) {
	t.Helper()
	_, err := s.controller(t).Apply(t.Context(), w)
	require.NoError(t, err)
}

func (s *site) controller(t *testing.T) traffic.Controller {
	t.Helper()
	c, err := s.deps.OpenRoute(s.spec.Rollout.Route)
	require.NoError(t, err)
	return c
}

// crash makes an arm cut every connection.
func (s *site) crash(arm swap.Arm) {
	if err := s.engines.Get(arm).SetFaults(simengine.Faults{Crash: true}); err != nil {
		panic(err)
	}
}

// goneURL is an address at which nobody listens any more.
func goneURL() string {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	return srv.URL
}

func countArms(records []rawlog.Record) map[string]int {
	n := map[string]int{}
	for _, r := range records {
		n[r.Arm]++
	}
	return n
}

// lines is a log that may be written from anywhere.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
