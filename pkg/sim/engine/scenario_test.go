package engine_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/sim/engine"
	"github.com/swapgate/swapgate/pkg/sim/scenario"
)

// measured is the truth about one server under 180 Poisson requests per second of 200 prompt tokens and 16 answer tokens.
type measured struct {
	ttftP50, ttftP95, ttftP99, tpotP50 float64
	failed, short                      float64
	waited                             float64
}

func measure(t *testing.T, cfg engine.Config) measured {
	t.Helper()
	const requests, rate = 1200, 180.0
	cfg.Cold = engine.ColdStart{}
	cfg.Noise.Drift = 0 // it would take minutes to average out
	var out measured
	synctest.Test(t, func(t *testing.T) {
		e := engine.StartInBubble(cfg)
		defer e.Close()
		rng := rand.New(rand.NewPCG(1, 2))
		var asks sync.WaitGroup
		for i := range requests {
			time.Sleep(time.Duration(rng.ExpFloat64() / rate * float64(time.Second)))
			body := fmt.Sprintf(`{"model":%q,"prompt":%q,"max_tokens":16,"ignore_eos":true,"stream":true}`,
				cfg.Model, strings.Repeat(fmt.Sprint("w", i, " "), 200))
			asks.Go(func() {
				req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/completions", strings.NewReader(body))
				e.ServeHTTP(httptest.NewRecorder(), req)
			})
		}
		asks.Wait()
		out = summarise(e.Truth(0).Requests)
	})
	return out
}

func summarise(requests []engine.Truth) measured {
	var out measured
	var ttft, tpot []float64
	n := float64(len(requests))
	for _, r := range requests {
		if r.FirstUS == nil {
			out.failed += 1 / n
			continue
		}
		ttft = append(ttft, float64(*r.FirstUS)/1e3)
		tpot = append(tpot, float64(*r.LastUS-*r.FirstUS)/1e3/float64(r.OutputTokens-1))
		if r.OutputTokens < 16 {
			out.short += 1 / n
		}
		if *r.ScheduledUS > 0 {
			out.waited += 1 / n
		}
	}
	slices.Sort(ttft)
	slices.Sort(tpot)
	at := func(xs []float64, q float64) float64 { return xs[int(q*float64(len(xs)))] }
	out.ttftP50, out.ttftP95, out.ttftP99, out.tpotP50 = at(ttft, .5), at(ttft, .95), at(ttft, .99), at(tpot, .5)
	return out
}

func TestScenariosAreAsTheySay(t *testing.T) {
	base := measure(t, scenario.Baseline())
	require.InDelta(t, 27.5, base.ttftP50, 7.5, "time to first token is 20 to 35 ms")
	require.InDelta(t, 4, base.tpotP50, 1, "a decode step is 3 to 5 ms")
	require.Zero(t, base.waited, "no queue at this load")
	require.Zero(t, base.failed)
	require.Zero(t, base.short)

	candidates := map[string]measured{}
	for _, name := range []string{"same", "good", "slow-decode", "slow-prefill", "slow-tail", "errors", "early-stop"} {
		cfg, err := scenario.Candidate(name)
		require.NoError(t, err)
		candidates[name] = measure(t, cfg)
	}
	near := func(name string, want, got, of, tolerance float64) {
		t.Helper()
		require.InDelta(t, want, got/of, tolerance, name)
	}
	near("same", 1, candidates["same"].ttftP50, base.ttftP50, 0.03)
	near("same", 1, candidates["same"].tpotP50, base.tpotP50, 0.03)
	near("good", 1/1.08, candidates["good"].ttftP50, base.ttftP50, 0.04)
	near("good", 1/1.08, candidates["good"].tpotP50, base.tpotP50, 0.04)
	near("slow-decode", 1, candidates["slow-decode"].ttftP50, base.ttftP50, 0.03)
	// More requests are in the batch at a time, which adds to the 40 %.
	near("slow-decode", 1.5, candidates["slow-decode"].tpotP50, base.tpotP50, 0.1)
	// More requests are in prefill at a time, so that contention adds to the 60 %.
	near("slow-prefill", 1.75, candidates["slow-prefill"].ttftP50, base.ttftP50, 0.15)
	near("slow-prefill", 1, candidates["slow-prefill"].tpotP50, base.tpotP50, 0.05)
	near("slow-tail", 1.04, candidates["slow-tail"].ttftP50, base.ttftP50, 0.03)
	near("slow-tail", 3.5, candidates["slow-tail"].ttftP99, base.ttftP99, 0.7)
	require.InDelta(t, 0.03, candidates["errors"].failed, 0.01)
	require.InDelta(t, 0.3, candidates["early-stop"].short, 0.03)
}
