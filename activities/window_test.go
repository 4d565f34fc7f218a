package activities

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/rollout"
	"github.com/swapgate/swapgate/pkg/runstore"
	simengine "github.com/swapgate/swapgate/pkg/sim/engine"
	"github.com/swapgate/swapgate/pkg/swap"
)

var half = swap.Weights{Baseline: 50, Candidate: 50}

func windowInput(s *site) swap.ObserveWindowInput {
	return swap.ObserveWindowInput{Spec: s.spec, Facts: s.facts(), Index: 1, Weights: half}
}

func observe(t *testing.T, s *site, in swap.ObserveWindowInput) swap.ObserveWindowResult {
	t.Helper()
	return mustRun[swap.ObserveWindowResult](t, s, swap.ActivityObserveWindow, in)
}

func readWindow(t *testing.T, s *site, w swap.Window) []rawlog.Record {
	t.Helper()
	records, err := runstore.ReadTable[rawlog.Record](t.Context(), openStore(t, s.spec.Store), w.Raw)
	require.NoError(t, err)
	return records
}

func TestWindowSeesBothArmsInTheirShares(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.setWeights(t, half)
	c := start[swap.ObserveWindowResult](t, s, swap.ActivityObserveWindow, windowInput(s))
	got, err := c.wait(t)
	require.NoError(t, err)
	w := got.Window
	require.Equal(t, half, w.Weights)
	require.Equal(t, half, w.ReadBack)
	require.Zero(t, w.Unattributed)
	require.Nil(t, w.GuardFired)
	require.Nil(t, w.Brake)
	require.GreaterOrEqual(t, w.Ended.Sub(w.Started), s.spec.Rollout.Window.Std())
	require.InDelta(t, w.Arms.Baseline.Requests, w.Arms.Candidate.Requests, 1)

	records := readWindow(t, s, w)
	for _, arm := range swap.Arms {
		seen := w.Arms.Get(arm)
		require.Positive(t, seen.Requests)
		require.Equal(t, swap.OutcomeCounts{swap.OK: seen.Requests}, seen.Outcomes)
		require.Equal(t, seen.Requests, countArms(records)[string(arm)])
		require.Equal(t, seen.Requests, s.served(arm), "the arm that the gateway names is the one that answered")
		require.InDelta(t, seen.Requests, seen.GatewayRequests.Or(-1), 0, "the gateway counts the same")
		require.InDelta(t, 0, seen.GatewayErrors.Or(-1), 0)
		require.Greater(t, seen.TTFTP95ms.Or(0), 1.0)
	}
	require.Equal(t, swap.ActionHold, w.Decision.Action, "%+v", w.Decision)
	require.Contains(t, c.progress(t)[0].What, "window 1 at 50 %")
	require.Equal(t, 24, c.progress(t)[0].Total)
}

func TestWindowCarriesThePlannersState(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.setWeights(t, half)
	first := observe(t, s, windowInput(s))
	in := windowInput(s)
	in.Index, in.State = 2, first.State
	second := observe(t, s, in)
	require.Equal(t, swap.ActionAdvance, second.Window.Decision.Action, "two quiet windows are asked for: %+v", second.Window.Decision)
	require.Equal(t, 100, second.Window.Decision.Weight)
	var state rollout.State
	require.NoError(t, json.Unmarshal(second.State, &state))
	seen := func(arm swap.Arm) int {
		return first.Window.Arms.Get(arm).Requests + second.Window.Arms.Get(arm).Requests
	}
	require.Equal(t, seen(swap.Candidate), state.Totals.Candidate.Requests)
	require.Equal(t, seen(swap.Baseline), state.Totals.Baseline.Requests)

	in.State = json.RawMessage(`"from another version"`)
	_, err := run[swap.ObserveWindowResult](t, s, swap.ActivityObserveWindow, in)
	requireType(t, err, TypeInvalidRequest, false)
}

// The guard's fuse: whoever sees the candidate die pulls the brake, before anyone else hears of it.
func TestWindowBrakesWhenTheCandidateDies(t *testing.T) {
	t.Parallel()
	var dying, failed, braked atomic.Int64 // number of requests to a dead candidate, unix ns of the fatal one, of the brake
	s := newSite(t, func(p *plan) {
		p.servers.Candidate = func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if dying.Add(1) == 5 {
					failed.Store(time.Now().UnixNano())
				}
				next.ServeHTTP(w, r)
			})
		}
		p.admin = func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				next.ServeHTTP(w, r)
				if r.Method == http.MethodPut {
					braked.Store(time.Now().UnixNano())
				}
			})
		}
	})
	s.setWeights(t, half)
	s.spec.Rollout.Window = swap.Duration(time.Minute)
	s.crash(swap.Candidate)
	got := observe(t, s, windowInput(s))
	w := got.Window
	require.NotNil(t, w.GuardFired)
	require.Equal(t, swap.ReasonGuardErrors, w.GuardFired.Code)
	require.Equal(t, string(swap.Candidate), w.GuardFired.Subject)
	require.NotNil(t, w.Brake)
	require.Equal(t, &swap.AllBaseline, w.Brake.Weights)
	require.True(t, w.Brake.Changed)
	require.Less(t, w.Brake.TookMS, 2000.0)
	require.GreaterOrEqual(t, w.Brake.SinceEvidenceMS.Or(-1), w.Brake.TookMS)
	require.Less(t, time.Duration(braked.Load()-failed.Load()), guardEvery+2*time.Second)
	require.Equal(t, swap.AllBaseline, s.weights(t))
	require.Equal(t, swap.AllBaseline, w.ReadBack)
	require.Less(t, w.Ended.Sub(w.Started), 10*time.Second, "the window ends with the guard")
	require.Equal(t, swap.ActionRollback, w.Decision.Action)
	require.Equal(t, []swap.Reason{*w.GuardFired}, w.Decision.Reason)
	require.GreaterOrEqual(t, w.Arms.Candidate.LongestFailureRun, 5)
	require.GreaterOrEqual(t, w.Arms.Candidate.GatewayErrors.Or(0), 5.0)

	failedRows := 0
	for _, r := range readWindow(t, s, w) {
		if r.Arm == string(swap.Candidate) && swap.Outcome(r.Outcome) == swap.HTTP5xx {
			failedRows++
		}
	}
	require.Equal(t, w.Arms.Candidate.Outcomes[swap.HTTP5xx], failedRows)
}

// A gateway that does not take the brake leaves the rollback to the workflow, and says so.
func TestWindowWhoseBrakeIsRefusedStillRollsBack(t *testing.T) {
	t.Parallel()
	var refuse atomic.Bool
	s := newSite(t, func(p *plan) {
		p.admin = func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if refuse.Load() && r.Method == http.MethodPut {
					http.Error(w, "out of order", http.StatusServiceUnavailable)
					return
				}
				next.ServeHTTP(w, r)
			})
		}
	})
	s.setWeights(t, half)
	refuse.Store(true)
	s.spec.Rollout.Window = swap.Duration(time.Minute)
	require.NoError(t, s.engines.Candidate.SetFaults(simengine.Faults{ErrorRate: 1}))
	w := observe(t, s, windowInput(s)).Window
	require.NotNil(t, w.GuardFired)
	require.Nil(t, w.Brake, "what did not happen is not said to have happened")
	require.Equal(t, half, w.ReadBack)
	require.Equal(t, swap.ActionRollback, w.Decision.Action)
}

func TestWindowNoticesThatSomebodyElseMovesTraffic(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.setWeights(t, swap.Weights{Baseline: 40, Candidate: 60})
	w := observe(t, s, windowInput(s)).Window
	require.Equal(t, swap.ActionRollback, w.Decision.Action)
	require.Equal(t, swap.ReasonShareMismatch, w.Decision.Reason[0].Code)
}

// The share of a window that somebody disturbed and left as it was is not the one that it is judged at.
func TestWindowNoticesThatSomebodyMovedTrafficAndPutItBack(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.setWeights(t, half)
	c := start[swap.ObserveWindowResult](t, s, swap.ActivityObserveWindow, windowInput(s))
	eventually(t, "the window is under way", func() bool { return s.served(swap.Candidate) > 0 })
	s.setWeights(t, swap.AllBaseline)
	s.setWeights(t, half)
	got, err := c.wait(t)
	require.NoError(t, err)
	w := got.Window
	require.True(t, w.Rewritten)
	require.Equal(t, half, w.ReadBack)
	require.Equal(t, swap.ActionHold, w.Decision.Action)
	require.Equal(t, swap.ReasonShareMismatch, w.Decision.Reason[0].Code)
}

func TestWindowOfAGatewayThatNamesNoArmDecidesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(p *plan) {
		p.public = func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(anonymous{w}, r) })
		}
	})
	s.setWeights(t, half)
	w := observe(t, s, windowInput(s)).Window
	require.Positive(t, w.Unattributed)
	require.Zero(t, w.Arms.Candidate.Requests)
	require.Equal(t, swap.ActionHold, w.Decision.Action)
	require.Equal(t, swap.ReasonWindowNotDecided, w.Decision.Reason[0].Code)
}

// anonymous drops the name of the arm from a reply.
type anonymous struct{ http.ResponseWriter }

func (a anonymous) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a anonymous) WriteHeader(status int) {
	a.Header().Del(swap.ArmHeader)
	a.ResponseWriter.WriteHeader(status)
}

func TestWindowWithoutProbesReadsTheGateway(t *testing.T) {
	t.Parallel()
	var counted atomic.Int64
	s := newSite(t, func(p *plan) {
		p.admin = func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				next.ServeHTTP(w, r)
				if r.URL.Path == "/admin/counters" {
					counted.Add(1)
				}
			})
		}
	})
	s.setWeights(t, half)
	s.spec.Rollout.ProbeRate = 0
	s.spec.Rollout.Window = swap.Duration(500 * time.Millisecond)
	c := start[swap.ObserveWindowResult](t, s, swap.ActivityObserveWindow, windowInput(s))
	eventually(t, "the window is under way", func() bool { return counted.Load() > 0 })
	for range 10 {
		askThroughGateway(t, s)
	}
	got, err := c.wait(t)
	require.NoError(t, err)
	w := got.Window
	require.Empty(t, readWindow(t, s, w), "it sends nothing itself")
	require.GreaterOrEqual(t, w.Ended.Sub(w.Started), 500*time.Millisecond)
	for _, arm := range swap.Arms {
		require.Zero(t, w.Arms.Get(arm).Requests)
		require.InDelta(t, 5, w.Arms.Get(arm).GatewayRequests.Or(-1), 0, "live traffic is counted by the gateway")
	}
}

// askThroughGateway is one request of live traffic.
func askThroughGateway(t *testing.T, s *site) {
	t.Helper()
	body := `{"model":"m-8b","messages":[{"role":"user","content":"hi"}],"max_tokens":2}`
	url := s.spec.Rollout.Route.URL + "/v1/chat/completions"
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+armKey)
	resp, err := s.deps.HTTP.Do(req)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusOK, resp.StatusCode)
}

func TestWindowStopsProbingAtOnceWhenCancelled(t *testing.T) {
	t.Parallel()
	for name, rate := range map[string]float64{"probes": 60, "no probes": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.setWeights(t, half)
			s.spec.Rollout.Window, s.spec.Rollout.ProbeRate = swap.Duration(time.Minute), rate
			c := start[swap.ObserveWindowResult](t, s, swap.ActivityObserveWindow, windowInput(s))
			eventually(t, "the window is under way", func() bool {
				return len(c.progress(t)) > 0 && (rate == 0 || s.served(swap.Candidate) > 0)
			})
			began := time.Now()
			c.cancel()
			_, err := c.wait(t)
			requireCancelled(t, err)
			require.Less(t, time.Since(began), time.Second)
			require.Equal(t, half, s.weights(t), "going back is the workflow's")
		})
	}
}

func TestWindowErrors(t *testing.T) {
	t.Parallel()
	wrong := secretFile(t, "hush-wrong")
	for name, c := range map[string]struct {
		change func(s *site)
		name   string
		retry  bool
	}{
		"gateway gone":   {func(s *site) { s.spec.Rollout.Route.AdminURL = goneURL() }, TypeRouteUnavailable, true},
		"token refused":  {func(s *site) { s.spec.Rollout.Route.AdminToken = wrong }, TypeRouteRefused, false},
		"key missing":    {func(s *site) { s.spec.Baseline.APIKey = &swap.SecretRef{File: "/nowhere"} }, TypeSecretMissing, false},
		"prompts gone":   {func(s *site) { s.spec.Workload.PromptFile = "/nowhere" }, TypeInvalidRequest, false},
		"route URL":      {func(s *site) { s.spec.Rollout.Route.URL = "gateway" }, TypeInvalidRequest, false},
		"store's key":    {func(s *site) { s.spec.Store.AccessKey = &swap.SecretRef{File: "/nowhere"} }, TypeSecretMissing, false},
		"store's bucket": {func(s *site) { s.spec.Store.Bucket = "nowhere" }, TypeRunStoreDenied, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.spec.Rollout.Window = swap.Duration(50 * time.Millisecond)
			c.change(s)
			_, err := run[swap.ObserveWindowResult](t, s, swap.ActivityObserveWindow, windowInput(s))
			requireType(t, err, c.name, c.retry)
		})
	}
}
