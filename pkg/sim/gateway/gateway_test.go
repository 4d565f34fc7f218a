package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func (r *rig) counters(t *testing.T) swap.PerArm[ArmCounters] {
	t.Helper()
	var c swap.PerArm[ArmCounters]
	got := r.do(t, http.MethodGet, r.admin.URL+"/admin/counters", "")
	require.NoError(t, json.Unmarshal([]byte(got.body), &c))
	return c
}

func TestRequestsAreSplitAndLabelled(t *testing.T) {
	r := newRig(t, Config{Weights: swap.Weights{Baseline: 90, Candidate: 10}}, echo("b"), echo("c"))
	seen := map[string]int{}
	for range 100 {
		got := r.ask(t, "{}")
		require.NoError(t, got.err)
		require.Equal(t, got.body[:1], got.header.Get(swap.ArmHeader)[:1])
		seen[got.header.Get(swap.ArmHeader)]++
	}
	require.Equal(t, map[string]int{"baseline": 90, "candidate": 10}, seen)
	c := r.counters(t)
	require.EqualValues(t, 90, c.Baseline.Requests)
	require.EqualValues(t, 10, c.Candidate.TTFB.Count)
	require.Zero(t, c.Baseline.Errors+c.Candidate.Errors)
	require.Positive(t, c.Candidate.TTFB.P95.Or(0))
}

func TestModelIsRewrittenPerArm(t *testing.T) {
	var cfg Config
	cfg.Upstreams.Baseline.Model = `v"1`
	r := newRig(t, cfg, echo("b"), echo("c"))
	require.JSONEq(t, `{"model":"v\"1","max_tokens":3,"messages":[{"role":"user","content":"a <b> \u00e9"}]}`,
		strings.TrimPrefix(r.ask(t, `{"model":"public","max_tokens":3,"messages":[{"role":"user","content":"a <b> é"}]}`).body, "b "))
	require.Equal(t, `b {"no":"model"}`, r.ask(t, `{"no":"model"}`).body)
	require.Equal(t, `b not json`, r.ask(t, `not json`).body)
	require.Equal(t, 200, r.put(t, `{"baseline":0,"candidate":100}`).status)
	require.Equal(t, `c {"model":"public"}`, r.ask(t, `{"model":"public"}`).body, "no name is configured for the candidate")
}

func TestTokensPassWithoutDelay(t *testing.T) {
	next := make(chan struct{})
	r := newRig(t, Config{}, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		flusher := http.NewResponseController(w)
		_ = flusher.Flush()
		for i := range 5 {
			select {
			case <-next:
			case <-req.Context().Done():
				return
			}
			_, _ = fmt.Fprintf(w, "data: %d\n\n", i)
			_ = flusher.Flush()
		}
	}, echo("c"))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.public.URL, strings.NewReader("{}"))
	require.NoError(t, err)
	resp, err := r.client.Do(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	lines := bufio.NewReader(resp.Body)
	// The next token is made only after this one has arrived: a gateway that held anything back would hang here.
	for i := range 5 {
		sent := time.Now()
		next <- struct{}{}
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		require.Less(t, time.Since(sent), 2*time.Second)
		require.Equal(t, fmt.Sprintf("data: %d\n", i), line)
		_, err = lines.ReadString('\n')
		require.NoError(t, err)
	}
	_, err = lines.ReadString('\n')
	require.ErrorIs(t, err, io.EOF)
}

func TestUpstreamErrorsAreCounted(t *testing.T) {
	failing := func(w http.ResponseWriter, req *http.Request) {
		switch {
		case strings.HasSuffix(req.URL.Path, "/500"):
			http.Error(w, "no", http.StatusInternalServerError)
		case strings.HasSuffix(req.URL.Path, "/400"):
			http.Error(w, "no", http.StatusBadRequest)
		case strings.HasSuffix(req.URL.Path, "/before"):
			panic(http.ErrAbortHandler)
		default:
			_, _ = io.WriteString(w, "data: 1\n\n")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	}
	r := newRig(t, Config{Weights: swap.Weights{Candidate: 100}}, echo("b"), failing)
	get := func(path string) reply { return r.do(t, http.MethodPost, r.public.URL+path, "{}") }
	require.Equal(t, 500, get("/500").status)
	require.Equal(t, 400, get("/400").status)
	require.EqualValues(t, 1, r.counters(t).Candidate.Errors, "a 4xx is the client's error")
	refused := get("/before")
	require.Equal(t, 502, refused.status)
	require.Contains(t, refused.body, "candidate upstream failed: connection closed without an answer")
	require.Equal(t, "candidate", refused.header.Get(swap.ArmHeader))
	require.ErrorIs(t, get("/middle").err, io.ErrUnexpectedEOF)
	c := r.counters(t).Candidate
	require.EqualValues(t, 3, c.Errors)
	require.EqualValues(t, 4, c.Requests)
	require.Eventually(t, func() bool { return r.counters(t).Candidate.InFlight == 0 }, 5*time.Second, time.Millisecond)
}

func TestAnUpstreamThatIsDown(t *testing.T) {
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r := newRig(t, Config{Weights: swap.Weights{Baseline: 50, Candidate: 50}}, echo("b"), echo("c"))
	cfg := r.gateway.cfg
	cfg.Upstreams.Candidate.URL = "http://" + ln.Addr().String()
	require.NoError(t, ln.Close())
	g, err := New(cfg)
	require.NoError(t, err)
	defer g.Close()
	half := httptest.NewServer(g.Handler())
	defer half.Close()
	statuses := map[int]int{}
	for range 10 {
		statuses[r.do(t, http.MethodPost, half.URL, "{}").status]++
	}
	require.Equal(t, map[int]int{200: 5, 502: 5}, statuses)
	require.EqualValues(t, 5, g.meters.Candidate.read().Errors)
}

func TestAClientThatLeavesIsNoError(t *testing.T) {
	begun, done := make(chan struct{}), make(chan struct{})
	r := newRig(t, Config{}, func(w http.ResponseWriter, req *http.Request) {
		defer close(done)
		_, _ = io.WriteString(w, "data: 1\n\n")
		_ = http.NewResponseController(w).Flush()
		close(begun)
		<-req.Context().Done()
	}, echo("c"))
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.public.URL, strings.NewReader("{}"))
	require.NoError(t, err)
	resp, err := r.client.Do(req)
	require.NoError(t, err)
	<-begun
	require.EqualValues(t, 1, r.counters(t).Baseline.InFlight)
	cancel()
	_ = resp.Body.Close()
	<-done
	require.Eventually(t, func() bool { return r.gateway.meters.Baseline.read().InFlight == 0 }, 5*time.Second, time.Millisecond)
	require.Zero(t, r.gateway.meters.Baseline.read().Errors)
}

func TestServe(t *testing.T) {
	listen := func() net.Listener {
		ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		return ln
	}
	r := newRig(t, Config{}, echo("b"), echo("c"))
	ln, adminLn := listen(), listen()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, r.gateway.cfg, ln, adminLn) }()
	require.Equal(t, "b {}", r.do(t, http.MethodPost, "http://"+ln.Addr().String(), "{}").body)
	require.Equal(t, 200, r.do(t, http.MethodGet, "http://"+adminLn.Addr().String()+"/admin/weights", "").status)
	cancel()
	require.NoError(t, <-served)
	require.Error(t, Serve(t.Context(), Config{}, listen(), listen()))
}

func FuzzWithModel(f *testing.F) {
	f.Add(`{"model":"a","x":[1,{"y":null}]}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, body string) {
		got := withModel([]byte(body), "new")
		var before, after map[string]any
		if json.Unmarshal([]byte(body), &before) != nil || before["model"] == nil {
			return
		}
		require.NoError(t, json.Unmarshal(got, &after))
		before["model"] = "new"
		require.Equal(t, before, after)
	})
}
