package load

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/engine/protocol"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	simengine "github.com/swapgate/swapgate/pkg/sim/engine"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

// Against a server that knows the truth of every request: each record agrees with what that very request was, and a
// client's time is never shorter than the server's.
func TestRecordsAgreeWithTheTruth(t *testing.T) {
	cfg := simengine.Default()
	cfg.Faults = simengine.Faults{ErrorRate: 0.1, RejectRate: 0.1, ResetRate: 0.1}
	sim, err := simengine.New(cfg)
	require.NoError(t, err)
	t.Cleanup(sim.Close)
	srv := httptest.NewServer(sim)
	defer srv.Close()
	target := engine.Target{URL: srv.URL, Model: cfg.Model}

	caps := protocol.Capabilities{UsageInStream: true}
	c, err := engine.NewClient(target, engine.ClientOptions{Capabilities: caps})
	require.NoError(t, err)
	defer c.Close()
	opt := options()
	opt.Model = cfg.Model
	p := PlanBlock(generator(t), swap.Step{Rate: 60}, 0, 2*time.Second, 1, 7, nil)
	res, err := run(t.Context(), c, p, opt)
	require.NoError(t, err)

	truths := map[string]simengine.Truth{}
	for _, truth := range sim.Truth(0).Requests {
		truths[strings.Split(truth.TraceParent, "-")[1]] = truth
	}
	require.Len(t, truths, len(res.Records), "each request arrived exactly once")
	var errorsUS []int64
	for _, r := range res.Records {
		truth := truths[r.TraceID]
		require.Equal(t, expected(truth), swap.Outcome(r.Outcome), "status %d, finish %q", truth.Status, truth.FinishReason)
		if !r.Good() {
			continue
		}
		require.Equal(t, truth.OutputTokens, int(*r.OutputTokens))
		require.Equal(t, truth.PromptTokens, int(*r.PromptTokens))
		require.Equal(t, truth.FinishReason, r.FinishReason)
		require.GreaterOrEqual(t, *r.FirstUS, *truth.FirstUS)
		require.Less(t, time.Duration(r.SentUnixNS-truth.ArrivalUnixNS), 5*time.Millisecond, "the wall clock may be slewed")
		errorsUS = append(errorsUS, *r.FirstUS-*truth.FirstUS)
	}
	slices.Sort(errorsUS)
	t.Logf("TTFT above the truth: median %d µs, largest %d µs; %v", errorsUS[len(errorsUS)/2], errorsUS[len(errorsUS)-1],
		rawlog.Outcomes(res.Records))
	require.Less(t, errorsUS[len(errorsUS)/2], int64(50_000), "generous: the machine is shared")
}

func expected(truth simengine.Truth) swap.Outcome {
	switch {
	case truth.Status == http.StatusTooManyRequests:
		return swap.HTTP429
	case truth.Status >= 500:
		return swap.HTTP5xx
	case truth.FinishReason == "stop" || truth.FinishReason == "length":
		return swap.OK
	}
	return swap.ResetMidStream
}

func TestProbeOfTheSimulator(t *testing.T) {
	cfg := simengine.Default()
	cfg.APIKey = "hunter2"
	sim, err := simengine.New(cfg)
	require.NoError(t, err)
	t.Cleanup(sim.Close)
	srv := httptest.NewServer(sim)
	defer srv.Close()
	hc := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	facts, err := engine.Probe(t.Context(), hc, engine.Target{URL: srv.URL, Model: cfg.Model, Key: "hunter2"}, swap.APIChat)
	require.NoError(t, err)
	require.Equal(t, swap.ArmFacts{
		URL: srv.URL, Engine: engine.VLLM, Version: "0.27.0", Model: cfg.Model, Fingerprint: cfg.Fingerprint(),
		MaxModelLen: swap.Of(8192), UsageInStream: true, TokenLimitKey: "max_tokens", MetricsPage: "/metrics",
		Setup: swap.Setup{
			PrefixCaching: "on", ChatTokens: swap.Of(29),
			TensorParallel: swap.Of(1), PipelineParallel: swap.Of(1), DataParallel: swap.Of(1),
		},
	}, facts)
}

// T53: the same plan twice on a server with a prefix cache. Salted, the second pass is as new as the first; shared, it is not,
// and the records say so.
func TestASecondPassFindsNothingCached(t *testing.T) {
	sim, err := simengine.New(simengine.Default())
	require.NoError(t, err)
	t.Cleanup(sim.Close)
	srv := httptest.NewServer(sim)
	defer srv.Close()
	c, err := engine.NewClient(engine.Target{URL: srv.URL, Model: simengine.Default().Model}, engine.ClientOptions{
		Capabilities: protocol.Capabilities{UsageInStream: true},
	})
	require.NoError(t, err)
	defer c.Close()
	for cache, wantHits := range map[swap.PromptCache]bool{swap.CacheSalted: false, swap.CacheShared: true} {
		t.Run(string(cache), func(t *testing.T) {
			g, err := workload.New(swap.Workload{
				API: swap.APIChat, InputTokens: swap.Lengths{Median: 200}, OutputTokens: swap.Lengths{Median: 2}, PromptCache: cache, Seed: 3,
			})
			require.NoError(t, err)
			p := PlanBlock(g, swap.Step{Rate: 40}, 0, 500*time.Millisecond, 1, 7, nil)
			hits := [2]int{}
			for pass, salt := range []string{"first", "second"} {
				opt := options()
				opt.Model, opt.RunSalt = simengine.Default().Model, salt
				res, err := run(t.Context(), c, p, opt)
				require.NoError(t, err)
				for _, r := range res.Records {
					if r.CachedTokens != nil && *r.CachedTokens >= 64 {
						hits[pass]++
					}
				}
			}
			require.Zero(t, hits[0])
			require.Equal(t, wantHits, hits[1] > 0)
		})
	}
}
