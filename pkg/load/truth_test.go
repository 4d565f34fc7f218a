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
	}, facts)
}
