package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestFateIsDeterministicAndHasItsShare(t *testing.T) {
	f := Faults{
		ErrorRate: 0.03, RejectRate: 0.1, ResetRate: 0.2, Tail: Tail{Share: 0.04, Factor: 4},
		EarlyStop: EarlyStop{Share: 0.3, Length: 0.4}, Stall: Stall{Share: 0.5, Duration: swap.Duration(time.Second)},
	}
	const n = 20000
	var failed, rejected, reset, slow, short, stalled float64
	for seq := range uint64(n) {
		got := f.fate(7, seq)
		require.Equal(t, got, f.fate(7, seq))
		failed += count(got.failed)
		rejected += count(got.rejected)
		reset += count(got.reset)
		slow += count(got.slow == 4)
		short += count(got.lengthShare == 0.4)
		stalled += count(got.stall == time.Second)
	}
	for want, got := range map[float64]float64{0.03: failed, 0.1: rejected, 0.2: reset, 0.04: slow, 0.3: short, 0.5: stalled} {
		require.InDelta(t, want, got/n, 0.012)
	}
	require.Equal(t, healthy(), Faults{}.fate(7, 1))
}

func count(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// flushesWith returns when a server with these faults flushed its answer of five tokens to a prompt of 50.
func flushesWith(t *testing.T, f Faults) []time.Duration {
	t.Helper()
	e := startExact(t, func(c *Config) { c.Faults = f })
	return ask(t, e, "POST", "/v1/chat/completions", chat("a", 49, 5)).flushes[1:]
}

func TestServiceTimeFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		require.Equal(t, []time.Duration{10 * ms, 14 * ms, 18 * ms, 22 * ms, 26 * ms}, flushesWith(t, Faults{}))
		require.Equal(t, []time.Duration{16 * ms, 20 * ms, 24 * ms, 28 * ms, 32 * ms}, flushesWith(t, Faults{PrefillSlowdown: 1.6}))
		require.Equal(t, []time.Duration{10 * ms, 16 * ms, 22 * ms, 28 * ms, 34 * ms}, flushesWith(t, Faults{DecodeSlowdown: 1.5}))
		require.Equal(t, []time.Duration{20 * ms, 28 * ms, 36 * ms, 44 * ms, 52 * ms},
			flushesWith(t, Faults{Tail: Tail{Share: 1, Factor: 2}}))
		require.Equal(t, []time.Duration{10 * ms, 14 * ms, 18 * ms, 122 * ms, 126 * ms},
			flushesWith(t, Faults{Stall: Stall{Share: 1, Duration: swap.Duration(100 * ms)}}))
		require.Len(t, flushesWith(t, Faults{EarlyStop: EarlyStop{Share: 1, Length: 0.4}}), 2)
	})
}

func TestATailRequestDoesNotSlowItsNeighbours(t *testing.T) {
	c := newScheduler(exact())
	slow := newSequence(words("a", 50), 3, "length", fate{slow: 3, lengthShare: 1})
	normal := newSequence(words("b", 250), 9, "length", healthy())
	c.add(slow, 0)
	c.add(normal, 0)
	finishAll(c)
	require.Equal(t, []time.Duration{12 * ms, 12 * ms}, gaps(tokenTimes(t, slow)))
	for _, gap := range gaps(tokenTimes(t, normal))[1:] {
		require.Equal(t, 4*ms, gap)
	}
}

func TestEarlyStopSaysStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startExact(t, func(c *Config) { c.Faults.EarlyStop = EarlyStop{Share: 1, Length: 0.4} })
		body := strings.Replace(chat("a", 10, 10), "{", `{"ignore_eos":true,`, 1)
		chunks := decodeChunks(t, events(t, ask(t, e, "POST", "/v1/chat/completions", body).Body.Bytes()))
		require.Equal(t, "stop", *chunks[len(chunks)-2].Choices[0].FinishReason)
		require.Equal(t, 4, chunks[len(chunks)-1].Usage.CompletionTokens)
	})
}

func TestErrorsAndRejections(t *testing.T) {
	e, err := New(exact())
	require.NoError(t, err)
	defer e.Close()
	put := func(faults string) *timedRecorder { return ask(t, e, "PUT", "/sim/faults", faults) }

	require.Equal(t, 200, put(`{"error_rate":1}`).Code)
	rec := ask(t, e, "POST", "/v1/chat/completions", chat("a", 10, 1))
	require.Equal(t, 500, rec.Code)
	require.Contains(t, rec.Body.String(), "InternalServerError")

	require.Equal(t, 200, put(`{"reject_rate":1}`).Code)
	rec = ask(t, e, "POST", "/v1/chat/completions", chat("a", 10, 1))
	require.Equal(t, 429, rec.Code)
	require.Equal(t, "1", rec.Header().Get("Retry-After"))
	require.JSONEq(t, `{"reject_rate":1}`, ask(t, e, "GET", "/sim/faults", "").Body.String())

	for _, bad := range []string{`{"error_rate":2}`, `{"tail":{"share":0.1}}`, `{"unknown":1}`, `[]`, ``} {
		require.Equal(t, 400, put(bad).Code, bad)
	}
	require.InDelta(t, 1, e.Faults().RejectRate, 0, "a refused change changes nothing")
}

func TestMemoryLeakKillsAndClearingItRevives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startExact(t, func(c *Config) {
			c.MaxModelLen, c.KVTokens, c.Faults.MemoryLeak = 320, 640, 160
		})
		for i := range 3 {
			require.Equal(t, 200, ask(t, e, "POST", "/v1/chat/completions", chat(fmt.Sprint("a", i), 49, 3)).Code)
		}
		inspect(t, e, func(s *scheduler) { require.InDelta(t, 0.75, s.kv.usage(), 1e-9) })
		long := ask(t, e, "POST", "/v1/chat/completions", chat("b", 100, 100))
		require.Equal(t, 200, long.Code)
		data := events(t, long.Body.Bytes())
		require.Contains(t, data[len(data)-2], `"error"`, "death in the middle of a stream is an error event")
		require.Equal(t, 503, ask(t, e, "GET", "/health", "").Code)
		require.Equal(t, 503, ask(t, e, "POST", "/v1/chat/completions", chat("c", 49, 3)).Code)
		require.NoError(t, e.SetFaults(Faults{}))
		require.Equal(t, 200, ask(t, e, "POST", "/v1/chat/completions", chat("d", 49, 3)).Code)
	})
}

func TestDeathWhileAWholeAnswerIsAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startExact(t, func(c *Config) { c.MaxModelLen, c.KVTokens, c.Faults.MemoryLeak = 320, 320, 320 })
		require.Equal(t, 200, ask(t, e, "POST", "/v1/completions", `{"model":"m","prompt":"a"}`).Code)
		require.Equal(t, 503, ask(t, e, "POST", "/v1/completions", `{"model":"m","prompt":"a"}`).Code)
		require.Equal(t, 503, e.Truth(1).Requests[0].Status)
	})
}

func TestCrashCutsRequestsInService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startExact(t, nil)
		var rec *timedRecorder
		var asking sync.WaitGroup
		asking.Go(func() { rec = ask(t, e, "POST", "/v1/chat/completions", chat("a", 49, 100)) })
		time.Sleep(20 * ms)
		require.NoError(t, e.SetFaults(Faults{Crash: true}))
		asking.Wait()
		require.True(t, rec.cut)
		require.True(t, ask(t, e, "GET", "/health", "").cut)
		require.Equal(t, 200, ask(t, e, "GET", "/sim/faults", "").Code, "the control endpoints stay")
		require.NoError(t, e.SetFaults(Faults{}))
		require.Equal(t, 200, ask(t, e, "GET", "/health", "").Code)
	})
}

func TestCloseCutsRequestsInService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startExact(t, nil)
		var rec *timedRecorder
		var asking sync.WaitGroup
		asking.Go(func() { rec = ask(t, e, "POST", "/v1/chat/completions", chat("a", 49, 100)) })
		time.Sleep(20 * ms)
		e.Close()
		e.Close()
		asking.Wait()
		require.True(t, rec.cut)
		require.Error(t, e.SetFaults(Faults{}))
	})
}

// post sends a request over TCP and reads its answer to the end.
func post(t *testing.T, url, body string) (string, error) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/chat/completions", strings.NewReader(body))
	require.NoError(t, err)
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { require.NoError(t, resp.Body.Close()) }()
	data, err := io.ReadAll(resp.Body)
	return string(data), err
}

func TestResetsAndCrashesReachTheTCPConnection(t *testing.T) {
	cfg := exact()
	cfg.Faults.ResetRate = 1
	e, err := New(cfg)
	require.NoError(t, err)
	defer e.Close()
	srv := httptest.NewServer(e)
	defer srv.Close()

	_, err = post(t, srv.URL, chat("a", 10, 4))
	require.ErrorIs(t, err, syscall.ECONNRESET)
	require.NoError(t, e.SetFaults(Faults{Crash: true}))
	_, err = post(t, srv.URL, chat("a", 10, 4))
	require.Error(t, err)
	require.NoError(t, e.SetFaults(Faults{}))
	text, err := post(t, srv.URL, chat("a", 10, 4))
	require.NoError(t, err)
	require.Contains(t, text, "[DONE]")

	truth := e.Truth(0).Requests
	require.Len(t, truth, 2, "a crashed server sees no request")
	require.Equal(t, "error", truth[0].FinishReason)
	require.Equal(t, 2, truth[0].OutputTokens)
}

func TestServe(t *testing.T) {
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, exact(), ln) }()
	text, err := post(t, "http://"+ln.Addr().String(), chat("a", 10, 2))
	require.NoError(t, err)
	require.Contains(t, text, "[DONE]")
	cancel()
	require.NoError(t, <-served)
	require.Error(t, Serve(t.Context(), Config{}, ln))
}

func FuzzFaults(f *testing.F) {
	f.Add(`{"tail":{"share":0.04,"factor":4}}`)
	f.Add(`{"stall":{"share":1,"duration":"1s"},"crash":true}`)
	f.Fuzz(func(t *testing.T, text string) {
		var faults Faults
		if json.Unmarshal([]byte(text), &faults) != nil || faults.Validate() != nil {
			return
		}
		got := faults.fate(1, 1)
		require.GreaterOrEqual(t, got.slow, 1.0)
		require.LessOrEqual(t, newSequence(words("a", 3), 10, "length", got).want, 10)
	})
}
