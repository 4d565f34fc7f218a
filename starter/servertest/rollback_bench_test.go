package servertest

import (
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"

	"github.com/swapgate/swapgate/activities"
	"github.com/swapgate/swapgate/pkg/config"
	"github.com/swapgate/swapgate/pkg/local"
	"github.com/swapgate/swapgate/pkg/sim/engine"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/gateways"
	"github.com/swapgate/swapgate/starter/internal/demo"
	"github.com/swapgate/swapgate/workflows"
)

const (
	// liveRate is the live traffic through the gateway, in requests per second.
	liveRate = 200
	// benchShare is the candidate's share when a rollback is triggered.
	benchShare = 50
)

// BenchmarkRollback measures how long live traffic stays on the candidate after a rollback is triggered, on the real HAProxy and
// the real Temporal server, with 200 requests per second through the gateway:
//
//	go test -run '^$' -bench Rollback -benchtime 200x -timeout 60m ./starter/servertest
//
// It reports the time in ms from the trigger to all weights read back on the baseline. In guard the trigger is the decision of the
// guard; evidence- is from the last request that it saw. In person it is the update that a button or a
// command sends. lost are live requests that failed although the baseline answered them all: none may be.
//
// The stages before the rollout answer at once: what is measured begins in the rollout.
func BenchmarkRollback(b *testing.B) {
	for _, by := range []string{"guard", "person"} {
		b.Run(by, func(b *testing.B) { benchmarkRollback(b, by == "guard") })
	}
}

func benchmarkRollback(b *testing.B, guard bool) {
	b.Helper()
	r := newRollbackBench(b)
	var took, evidence []float64
	b.ResetTimer()
	for b.Loop() {
		if guard {
			brake, since := r.byGuard()
			took, evidence = append(took, brake), append(evidence, since)
		} else {
			took = append(took, r.byPerson())
		}
	}
	b.StopTimer()
	b.ReportMetric(0, "ns/op")
	reportTimes(b, "", took)
	reportTimes(b, "evidence-", evidence)
	b.ReportMetric(float64(r.lost.Load()), "lost")
	b.ReportMetric(float64(r.answered.Load()), "live-requests")
}

func reportTimes(b *testing.B, prefix string, ms []float64) {
	b.Helper()
	if len(ms) == 0 {
		return
	}
	slices.Sort(ms)
	for name, q := range map[string]float64{"p50-ms": .5, "p90-ms": .9, "p99-ms": .99, "max-ms": 1} {
		b.ReportMetric(stats.Quantile(ms, q), prefix+name)
	}
}

// rollbackBench is a site with a gateway under live traffic, whose candidate can be made to fail.
type rollbackBench struct {
	b       *testing.B
	client  client.Client
	route   traffic.Controller
	spec    swap.Spec
	failing atomic.Bool
	// lost counts live requests that failed while the candidate was sound.
	lost, answered atomic.Int64
}

func newRollbackBench(b *testing.B) *rollbackBench {
	b.Helper()
	r := &rollbackBench{b: b}
	dir, err := os.MkdirTemp("", "rb") //nolint:usetesting // a socket's path must be short
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, os.RemoveAll(dir)) })
	site, err := local.StartSite(b.Context(), local.SiteOptions{Exe: exe, Dir: dir, Progress: os.Stderr})
	b.Cleanup(func() {
		stop, done := context.WithTimeout(context.Background(), patience)
		defer done()
		require.NoError(b, site.Stop(stop))
	})
	require.NoError(b, err)
	models, err := site.StartModels(b.Context(), local.ModelsOptions{Candidate: "same", Seed: 1, Adjust: sameName})
	require.NoError(b, err)
	servers := swap.PerArm[string]{Baseline: models.Engines.Baseline.URL, Candidate: r.breakable(models.Engines.Candidate.URL)}
	haproxy, err := local.StartHAProxy(b.Context(), dir, servers)
	require.NoError(b, err)
	site.Add("HAProxy", haproxy.Stop)
	r.specify(site, models, haproxy)
	r.route, err = gateways.Open(r.spec.Rollout.Route, "", nil, nil)
	require.NoError(b, err)
	r.client, err = site.Temporal.Dial(b.Context(), log.NewStructuredLogger(quiet()))
	require.NoError(b, err)
	b.Cleanup(r.client.Close)
	r.work()
	r.live(haproxy.URL)
	return r
}

// sameName lets both models answer to one name, because HAProxy passes requests on as they are.
func sameName(c *engine.Config) { c.Model = "bench" }

// breakable stands before the candidate and answers 500 when told to.
func (r *rollbackBench) breakable(target string) string {
	to, err := url.Parse(target)
	require.NoError(r.b, err)
	forward := httputil.NewSingleHostReverseProxy(to)
	forward.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if r.failing.Load() {
			http.Error(w, "out of order", http.StatusInternalServerError)
			return
		}
		forward.ServeHTTP(w, req)
	}))
	r.b.Cleanup(srv.Close)
	return srv.URL
}

func (r *rollbackBench) specify(site *local.Site, models *local.Models, haproxy *local.HAProxy) {
	file, err := demo.Spec{Target: "chat", Models: models, Store: site.S3.Store(), Seed: 1, Prefix: "bench/"}.Write(site.Dir())
	require.NoError(r.b, err)
	spec, err := config.Load(file, os.LookupEnv)
	require.NoError(r.b, err)
	r.spec = demo.Short(spec)
	r.spec.Rollout.Route = swap.Route{Kind: swap.RouteHAProxy, URL: haproxy.URL, HAProxy: &swap.HAProxy{
		Socket: "unix://" + haproxy.Socket, Backend: local.HAProxyBackend,
		Baseline: []string{"baseline"}, Candidate: []string{"candidate"},
	}}
	r.spec.Rollout.Weights = []int{benchShare, 100}
	r.spec.Rollout.Window = swap.Duration(time.Minute)
	r.spec.Rollout.ProbeRate = 100
	r.spec.Rollout.Guard = swap.Guard{ConsecutiveFailures: 10} // a busy machine's delays are no trigger
}

// work runs the workflows with the real activities of a rollout; the stages before it and after it answer at once.
func (r *rollbackBench) work() {
	acts := activities.New(activities.Production(quiet(), "bench"))
	options := worker.Options{MaxHeartbeatThrottleInterval: time.Second}
	control, load := worker.New(r.client, swap.QueueControl, options), worker.New(r.client, swap.QueueLoad, options)
	workflows.Register(control)
	acts.RegisterControl(skipping{control})
	acts.RegisterLoad(skipping{load})
	for _, w := range []worker.Worker{control, load} {
		require.NoError(r.b, w.Start())
		r.b.Cleanup(w.Stop)
	}
}

// skipping registers activities, but for those of the stages that are not measured it registers an empty answer.
type skipping struct{ worker.Worker }

func (s skipping) RegisterActivityWithOptions(run any, o activity.RegisterOptions) {
	if answer := answers[o.Name]; answer != nil {
		run = answer
	}
	s.Worker.RegisterActivityWithOptions(run, o)
}

var answers = map[string]any{
	swap.ActivityPreflight: func(_ context.Context, in swap.PreflightInput) (swap.PreflightResult, error) {
		facts := func(e swap.Endpoint) swap.ArmFacts {
			return swap.ArmFacts{URL: e.URL, Model: e.Model, Engine: "openai"}
		}
		all := swap.AllBaseline
		return swap.PreflightResult{Weights: &all, Arms: swap.PerArm[swap.ArmFacts]{
			Baseline: facts(in.Spec.Baseline), Candidate: facts(in.Spec.Candidate),
		}}, nil
	},
	swap.ActivityWarmUp: func(_ context.Context, in swap.WarmUpInput) (swap.WarmUpResult, error) {
		return swap.WarmUpResult{Arm: in.Arm, Stable: true}, nil
	},
	swap.ActivityLoadStep: func(_ context.Context, in swap.LoadStepInput) (swap.StepResult, error) {
		return swap.StepResult{Step: in.Step}, nil
	},
	swap.ActivityCaptureTelemetry: func(context.Context, swap.CaptureTelemetryInput) (swap.TelemetryResult, error) {
		return swap.TelemetryResult{}, nil
	},
	swap.ActivityFitBaseline: func(context.Context, swap.FitBaselineInput) (swap.BaselineFit, error) { return swap.BaselineFit{}, nil },
	swap.ActivityCompareArms: func(context.Context, swap.CompareInput) (swap.Comparison, error) {
		return swap.Comparison{Decision: swap.Pass}, nil
	},
	swap.ActivityPublishReport: func(context.Context, swap.PublishReportInput) (swap.Artifacts, error) { return swap.Artifacts{}, nil },
}

// live sends live traffic through the gateway until the benchmark ends.
func (r *rollbackBench) live(gateway string) {
	ctx, stop := context.WithCancel(context.Background())
	transport := &http.Transport{MaxIdleConnsPerHost: liveRate}
	var sending sync.WaitGroup
	sending.Go(func() {
		ticker := time.NewTicker(time.Second / liveRate)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				sending.Go(func() { r.ask(gateway, transport) })
			}
		}
	})
	r.b.Cleanup(func() {
		stop()
		sending.Wait()
		transport.CloseIdleConnections()
	})
}

// ask is one live request; its failure counts only where no candidate was made to fail while it ran.
func (r *rollbackBench) ask(gateway string, transport http.RoundTripper) {
	broken := r.failing.Load()
	resp, err := (&http.Client{Transport: transport}).Get(gateway + "/v1/models") //nolint:noctx // the server is local
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	r.answered.Add(1)
	if (err != nil || resp.StatusCode != http.StatusOK) && !broken && !r.failing.Load() {
		r.lost.Add(1)
	}
}

// start begins a run and returns when the candidate has its share and requests have gone there for a moment.
func (r *rollbackBench) start() client.WorkflowRun {
	r.b.Helper()
	req := swap.Request{Spec: r.spec, SpecSHA256: config.SHA256(r.spec), RequestedBy: "bench"}
	run, err := r.client.ExecuteWorkflow(r.b.Context(), client.StartWorkflowOptions{
		ID: swap.ValidateWorkflowID(r.spec.Target), TaskQueue: swap.QueueControl, WorkflowExecutionErrorWhenAlreadyStarted: true,
	}, swap.WorkflowValidateSwap, req)
	require.NoError(r.b, err)
	r.awaitWeights(swap.Weights{Baseline: 100 - benchShare, Candidate: benchShare})
	// The trigger comes at any time of the observer's and the guard's rhythm.
	timer := time.NewTimer(300*time.Millisecond + rand.N(200*time.Millisecond))
	<-timer.C
	return run
}

// awaitWeights asks the gateway until it has these weights, and returns when it first said so.
func (r *rollbackBench) awaitWeights(want swap.Weights) time.Time {
	r.b.Helper()
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		state, err := r.route.Read(r.b.Context())
		require.NoError(r.b, err)
		if state.Weights == want {
			return time.Now()
		}
		time.Sleep(time.Millisecond)
	}
	require.FailNow(r.b, "the gateway never had the weights", "%v", want)
	return time.Time{}
}

// byGuard makes the candidate fail and returns, in ms, how long the guard took from its decision to the weights read back, and
// how long that was after the request that decided.
func (r *rollbackBench) byGuard() (brake, evidence float64) {
	r.b.Helper()
	run := r.start()
	r.failing.Store(true)
	r.awaitWeights(swap.AllBaseline)
	r.failing.Store(false)
	v := r.ended(run)
	require.Equal(r.b, swap.Fail, v.Verdict, v.Summary)
	last := v.Rollout.Windows[len(v.Rollout.Windows)-1]
	require.NotNil(r.b, last.Brake, "the observer itself set the weights back")
	return last.Brake.TookMS, last.Brake.SinceEvidenceMS.Or(0)
}

// byPerson asks for a rollback and returns how long it took, in ms, until the gateway was read with all traffic on the baseline.
func (r *rollbackBench) byPerson() float64 {
	r.b.Helper()
	run := r.start()
	asked := time.Now()
	answered := make(chan error, 1)
	go func() {
		_, err := r.client.UpdateWorkflow(r.b.Context(), client.UpdateWorkflowOptions{
			WorkflowID: run.GetID(), UpdateName: swap.UpdateRollback, WaitForStage: client.WorkflowUpdateStageCompleted,
			Args: []any{swap.ByRequest{By: "bench", Reason: "bench"}},
		})
		answered <- err
	}()
	took := r.awaitWeights(swap.AllBaseline).Sub(asked)
	require.NoError(r.b, <-answered)
	require.Equal(r.b, swap.Aborted, r.ended(run).Verdict)
	return float64(took) / float64(time.Millisecond)
}

func (r *rollbackBench) ended(run client.WorkflowRun) (v swap.Verdict) {
	r.b.Helper()
	ctx, done := context.WithTimeout(r.b.Context(), patience)
	defer done()
	require.NoError(r.b, run.Get(ctx, &v))
	return v
}
