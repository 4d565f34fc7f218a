package swapgate

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/swapgate/swapgate/pkg/sim/gateway"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/httpapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var canary = swap.Weights{Baseline: 95, Candidate: 5}

// adminOf starts a real gateway and returns its admin handler.
func adminOf(t *testing.T, token string) http.Handler {
	t.Helper()
	upstream := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(upstream.Close)
	up := gateway.Upstream{URL: upstream.URL}
	g, err := gateway.New(gateway.Config{Upstreams: swap.PerArm[gateway.Upstream]{Baseline: up, Candidate: up}, AdminToken: token})
	require.NoError(t, err)
	t.Cleanup(g.Close)
	return g.AdminHandler()
}

// controllerOf steers whatever answers at h.
func controllerOf(t *testing.T, h http.Handler, token string) traffic.Controller {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	api, err := httpapi.New(srv.URL+"/", token, &http.Client{Transport: transport})
	require.NoError(t, err)
	return New(api)
}

// writes counts the PUTs that reach h.
func writes(h http.Handler, n *int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			*n++
		}
		h.ServeHTTP(w, r)
	})
}

func TestApplyIsIdempotentAndReadBack(t *testing.T) {
	puts := 0
	c := controllerOf(t, writes(adminOf(t, "secret"), &puts), "secret")
	before, err := c.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, swap.AllBaseline, before.Weights)

	after, err := c.Apply(t.Context(), canary)
	require.NoError(t, err)
	require.Equal(t, canary, after.Weights)
	require.NotEqual(t, after.Version, before.Version)
	again, err := c.Apply(t.Context(), canary)
	require.NoError(t, err)
	require.Equal(t, after, again)
	require.Equal(t, 1, puts, "weights that are right are not written")
}

func TestCounters(t *testing.T) {
	c := controllerOf(t, adminOf(t, ""), "")
	got, ok, err := c.Counters(t.Context())
	require.NoError(t, err)
	require.True(t, ok)
	require.Zero(t, got.Baseline.Requests)
	require.False(t, got.Candidate.TTFBP95ms.Valid(), "no requests, no latency")
}

func TestAWriterInBetweenIsAConflict(t *testing.T) {
	admin := adminOf(t, "")
	intruded := false
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut && !intruded {
			intruded = true
			put := httptest.NewRequestWithContext(r.Context(), http.MethodPut, "/admin/weights", strings.NewReader(`{"baseline":50,"candidate":50}`))
			admin.ServeHTTP(httptest.NewRecorder(), put)
		}
		admin.ServeHTTP(w, r)
	})
	c := controllerOf(t, h, "")
	got, err := c.Apply(t.Context(), canary)
	require.ErrorIs(t, err, traffic.ErrConflict)
	require.Equal(t, swap.Weights{Baseline: 50, Candidate: 50}, got.Weights, "the other writer's change stands")
	_, err = c.Apply(t.Context(), canary)
	require.NoError(t, err)
}

func TestALostReplyIsSettledByReading(t *testing.T) {
	admin := adminOf(t, "")
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			admin.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		admin.ServeHTTP(w, r)
	})
	got, err := controllerOf(t, h, "").Apply(t.Context(), canary)
	require.NoError(t, err)
	require.Equal(t, canary, got.Weights)
}

// fake answers reads and writes of weights from fixed texts.
func fake(readStatus int, read string, writeStatus int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			w.WriteHeader(writeStatus)
			return
		}
		w.WriteHeader(readStatus)
		_, _ = io.WriteString(w, read)
	})
}

func TestErrorsTellCasesApart(t *testing.T) {
	const all = `{"baseline":100,"candidate":0,"version":1}`
	tests := map[string]struct {
		h    http.Handler
		want error
	}{
		"accepted but not done": {fake(200, all, 200), traffic.ErrNotApplied},
		"write conflict":        {fake(200, all, 409), traffic.ErrConflict},
		"precondition failed":   {fake(200, all, 412), traffic.ErrConflict},
		"write refused":         {fake(200, all, 400), traffic.ErrRefused},
		"write unavailable":     {fake(200, all, 503), traffic.ErrUnreachable},
		"read unavailable":      {fake(502, `{"error":"down"}`, 200), traffic.ErrUnreachable},
		"read throttled":        {fake(429, ``, 200), traffic.ErrUnreachable},
		"wrong token":           {adminOf(t, "secret"), traffic.ErrRefused},
		"no admin API":          {fake(200, `<html>`, 200), traffic.ErrRefused},
		"another JSON":          {fake(200, `{"baseline":100}`, 200), traffic.ErrRefused},
		"impossible weights":    {fake(200, `{"baseline":70,"candidate":70,"version":1}`, 200), traffic.ErrRefused},
		"a redirect to nowhere": {fake(404, ``, 200), traffic.ErrRefused},
		"connection cut mid-read": {
			http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), traffic.ErrUnreachable,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := controllerOf(t, tc.h, "wrong-token").Apply(t.Context(), canary)
			require.ErrorIs(t, err, tc.want)
			require.NotContains(t, err.Error(), "wrong-token")
			for _, other := range []error{traffic.ErrConflict, traffic.ErrUnreachable, traffic.ErrNotApplied, traffic.ErrRefused} {
				if !errors.Is(tc.want, other) {
					require.NotErrorIs(t, err, other)
				}
			}
		})
	}
}

func TestACancelledCallSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := controllerOf(t, adminOf(t, ""), "").Read(ctx)
	require.ErrorIs(t, err, traffic.ErrUnreachable)
	require.ErrorIs(t, err, context.Canceled)
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"baseline":95,"candidate":5,"version":2}`)
	f.Add(`{"baseline":{"requests":1,"ttfb_ms":{"p50":null,"p95":3}},"candidate":{}}`)
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := decodeState([]byte(text)); err == nil {
			require.Equal(t, 100, s.Baseline+s.Candidate)
		}
		_, _ = decodeCounters([]byte(text))
	})
}
