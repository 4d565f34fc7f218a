package activities

import (
	"bytes"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func preflight(t *testing.T, s *site) (swap.PreflightResult, error) {
	t.Helper()
	return run[swap.PreflightResult](t, s, swap.ActivityPreflight, swap.PreflightInput{Spec: s.spec})
}

func TestPreflightOfAHealthySite(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	got, err := preflight(t, s)
	require.NoError(t, err)
	require.Empty(t, got.Findings)
	require.Equal(t, &swap.AllBaseline, got.Weights)
	require.Equal(t, 2, got.PlannedBlocks)
	require.Equal(t, swap.Of(16), got.PlannedRequests)
	require.Equal(t, "v-test", got.Version)
	for _, arm := range swap.Arms {
		facts := got.Arms.Get(arm)
		require.Equal(t, "on", facts.Setup.PrefixCaching)
		facts.Version, facts.Fingerprint, facts.MaxModelLen, facts.Setup = "", "", swap.Absent(), swap.Setup{}
		require.Equal(t, s.facts().Get(arm), facts)
		require.NotEmpty(t, got.Arms.Get(arm).Fingerprint)
		require.InDelta(t, 8192, got.Arms.Get(arm).MaxModelLen.Or(0), 0)
	}
	left, err := openStore(t, s.spec.Store).List(t.Context(), "")
	require.NoError(t, err)
	require.Empty(t, left, "the probe object is deleted")
}

func TestPreflightWithoutARollout(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.spec.Rollout = nil
	got, err := preflight(t, s)
	require.NoError(t, err)
	require.Nil(t, got.Weights)
}

func TestPreflightErrors(t *testing.T) {
	t.Parallel()
	wrong := secretFile(t, "hush-wrong")
	cases := map[string]struct {
		change func(s *site)
		name   string
		retry  bool
		says   string
	}{
		"arm not reachable": {
			func(s *site) { s.spec.Candidate.URL = goneURL() },
			TypeEngineUnreachable, true, "candidate",
		},
		"arm crashed": {
			func(s *site) { s.crash(swap.Baseline) },
			TypeEngineUnreachable, true, "baseline",
		},
		"another model": {
			func(s *site) { s.spec.Candidate.Model = "m-70b" },
			TypeModelMismatch, false, "m-8b-fp8",
		},
		"wrong key": {
			func(s *site) { s.spec.Baseline.APIKey = wrong },
			TypeEngineRefused, false, "api_key",
		},
		"no key": {
			func(s *site) { s.spec.Baseline.APIKey = &swap.SecretRef{File: "/nowhere/key"} },
			TypeSecretMissing, false, "/nowhere/key",
		},
		"store denied": {
			func(s *site) { s.spec.Store.SecretKey = wrong },
			TypeRunStoreDenied, false, "credentials",
		},
		"no bucket": {
			func(s *site) { s.spec.Store.Bucket = "nowhere" },
			TypeRunStoreDenied, false, "nowhere",
		},
		"store not reachable": {
			func(s *site) { s.spec.Store.Endpoint = goneURL() },
			TypeRunStoreUnavailable, true, "",
		},
		"route not reachable": {
			func(s *site) { s.spec.Rollout.Route.AdminURL = goneURL() },
			TypeRouteUnavailable, true, "",
		},
		"route refuses the token": {
			func(s *site) { s.spec.Rollout.Route.AdminToken = wrong },
			TypeRouteRefused, false, "token",
		},
		"kind of route": {
			func(s *site) { s.spec.Rollout.Route.Kind = "mesh" },
			TypeRouteRefused, false, "mesh",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			c.change(s)
			_, err := preflight(t, s)
			requireType(t, err, c.name, c.retry)
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "hush-wrong")
		})
	}
}

func TestPreflightWaitsForAServerThatLoads(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(p *plan) { p.engines.Candidate.Loading = swap.Duration(time.Hour) })
	_, err := preflight(t, s)
	requireType(t, err, TypeEngineOverloaded, true)
}

func TestPreflightFindings(t *testing.T) {
	t.Parallel()
	exporter := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, dcgmPage)
	}), nil)
	source := func(url string, required bool) func(*site) {
		return func(s *site) {
			s.spec.Telemetry.Sources = []swap.TelemetrySource{{Kind: swap.SourceDCGM, URL: url, Required: required}}
		}
	}
	type finding struct {
		severity swap.Severity
		subject  string
	}
	gone, badPrompts := goneURL(), inputFile(t, "p.jsonl", "{}\n")
	cases := map[string]struct {
		change func(*site)
		plan   func(*plan)
		live   *swap.Weights
		want   []finding
	}{
		"exporter answers":          {change: source(exporter, true)},
		"required exporter missing": {change: source(gone, true), want: []finding{{swap.Blocking, "telemetry " + gone}}},
		"optional exporter missing": {change: source(gone, false), want: []finding{{swap.Notable, "telemetry " + gone}}},
		"GPU hosts are asked by their own workers": {change: func(s *site) {
			s.spec.Telemetry.Sources = []swap.TelemetrySource{{Kind: swap.SourceNVML, Host: "gpu-1", Required: true}}
		}},
		"context too short": {
			plan:   func(p *plan) { p.engines.Candidate.MaxModelLen = 63 },
			change: func(s *site) { s.spec.Workload.InputTokens = swap.Lengths{Median: 60, Max: 60} },
			want:   []finding{{swap.Blocking, "context_length"}},
		},
		"context too short, and accepted": {
			plan: func(p *plan) { p.engines.Candidate.MaxModelLen = 63 },
			change: func(s *site) {
				s.spec.Workload.InputTokens = swap.Lengths{Median: 60, Max: 60}
				s.spec.Compatibility.Accept = []swap.CompatRule{swap.CompatContext}
			},
		},
		"context too short on both": {
			plan:   func(p *plan) { p.engines.Baseline.MaxModelLen, p.engines.Candidate.MaxModelLen = 63, 63 },
			change: func(s *site) { s.spec.Workload.InputTokens = swap.Lengths{Median: 60, Max: 60} },
			want:   []finding{{swap.Blocking, "baseline"}, {swap.Blocking, "candidate"}},
		},
		"prompts that cannot be read": {
			change: func(s *site) { s.spec.Workload.PromptFile = badPrompts },
			want:   []finding{{swap.Blocking, badPrompts}},
		},
		"KV share": {change: func(s *site) {
			s.spec.Load.Steps = append(s.spec.Load.Steps, swap.Step{KVShare: 0.5, Hold: s.spec.Load.Block})
		}},
		"KV share of a cache that cannot be seen": {
			change: func(s *site) {
				s.spec.Load.Steps = append(s.spec.Load.Steps, swap.Step{KVShare: 0.5, Hold: s.spec.Load.Block})
			},
			plan: func(p *plan) { p.servers.Candidate = withoutMetrics },
			want: []finding{{swap.Blocking, "step 2 (KV 50 %)"}},
		},
		"no usage in the stream, but a gate on tokens": {
			plan:   func(p *plan) { p.servers.Candidate = refusingUsage },
			change: func(s *site) { s.spec.Gates = []swap.Gate{{Metric: swap.MetricTPOT, Stat: swap.StatP50}} },
			want:   []finding{{swap.Blocking, "candidate"}},
		},
		"no usage in the stream, and no gate on tokens": {plan: func(p *plan) { p.servers.Candidate = refusingUsage }},
		"route not at 100/0": {
			live: &swap.Weights{Baseline: 80, Candidate: 20},
			want: []finding{{swap.Blocking, "route"}},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var plans []func(*plan)
			if c.plan != nil {
				plans = append(plans, c.plan)
			}
			s := newSite(t, plans...)
			if c.change != nil {
				c.change(s)
			}
			if c.live != nil {
				s.setWeights(t, *c.live)
			}
			got, err := preflight(t, s)
			require.NoError(t, err)
			var found []finding
			for _, f := range got.Findings {
				require.NotEmpty(t, f.Message)
				require.NotEmpty(t, f.Next, "a finding says what to do")
				found = append(found, finding{f.Severity, f.Subject})
			}
			require.Equal(t, c.want, found)
		})
	}
}

// withoutMetrics is a server without a metrics page.
func withoutMetrics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/metrics" {
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// refusingUsage is a server that does not know stream_options.
func refusingUsage(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || bytes.Contains(body, []byte("stream_options")) {
			http.Error(w, `{"error":{"message":"unknown field"}}`, http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}
