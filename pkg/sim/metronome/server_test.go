package metronome

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/sim/truth"
)

const patience = 20 * time.Second

// start serves a metronome for the time of a test.
func start(t *testing.T, change func(*Config)) (*Server, string) {
	t.Helper()
	cfg := Default()
	cfg.FirstToken, cfg.Interval = 3*time.Millisecond, 2*time.Millisecond
	if change != nil {
		change(&cfg)
	}
	s, err := New(cfg)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ln) }()
	t.Cleanup(func() {
		cancel()
		s.Close()
		require.NoError(t, <-served)
	})
	return s, "http://" + ln.Addr().String()
}

// client keeps its connections for the time of a test.
func client(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func post(t *testing.T, c *http.Client, url, body string) (status int, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("traceparent", "00-"+strings.Repeat("a", 32)+"-"+strings.Repeat("b", 16)+"-01")
	resp, err := c.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close() //nolint:errcheck // read to its end
	data, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(data)
}

func body(tokens int) string {
	return fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"hi"}],"prompt":"hi","stream":true,`+
		`"stream_options":{"include_usage":true},"max_tokens":%d}`, tokens)
}

// events are the payloads of a stream.
func events(t *testing.T, text string) []map[string]any {
	t.Helper()
	parts := strings.Split(strings.TrimSuffix(text, "\n\n"), "\n\n")
	require.Equal(t, "data: [DONE]", parts[len(parts)-1])
	out := make([]map[string]any, len(parts)-1)
	for i := range out {
		data, ok := strings.CutPrefix(parts[i], "data: ")
		require.True(t, ok)
		require.NoError(t, json.Unmarshal([]byte(data), &out[i]))
	}
	return out
}

func TestAnAnswerHasItsTokensItsEndAndItsUsage(t *testing.T) {
	_, url := start(t, nil)
	c := client(t)
	for _, tokens := range []int{1, 2, 7} {
		for path, extra := range map[string]int{"/v1/chat/completions": 1, "/v1/completions": 0} {
			status, text := post(t, c, url+path, body(tokens))
			require.Equal(t, http.StatusOK, status)
			require.Equal(t, tokens, strings.Count(text, " tick"))
			require.Equal(t, extra, strings.Count(text, `"role":"assistant"`))
			got := events(t, text)
			require.Len(t, got, extra+tokens+2)
			finish := got[len(got)-2]["choices"].([]any)[0].(map[string]any)
			require.Equal(t, "length", finish["finish_reason"])
			require.InDelta(t, tokens, got[len(got)-1]["usage"].(map[string]any)["completion_tokens"], 0)
		}
	}
}

func TestUsageIsGivenOnlyIfAsked(t *testing.T) {
	_, url := start(t, nil)
	_, text := post(t, client(t), url+"/v1/completions", `{"stream":true,"max_completion_tokens":3}`)
	require.NotContains(t, text, "usage")
	require.Len(t, events(t, text), 4)
}

func TestTheTruthKeepsTheBeat(t *testing.T) {
	s, url := start(t, nil)
	before := time.Now()
	_, _ = post(t, client(t), url+"/v1/completions", body(9))
	page := s.Truth(0)
	require.Len(t, page.Requests, 1)
	e := page.Requests[0]
	require.Equal(t, strings.Repeat("a", 32), e.TraceID())
	require.Equal(t, 9, e.OutputTokens)
	require.Equal(t, "length", e.FinishReason)
	require.WithinRange(t, time.Unix(0, e.ArrivalUnixNS), before.Add(-time.Second), time.Now().Add(time.Second))
	requireBeat(t, e, s.cfg)
	require.Empty(t, s.Truth(page.Next).Requests)
}

// requireBeat checks that tokens come when they are due, never earlier and as late as the server itself says. A millisecond
// is left to an adjustment of the wall clock.
func requireBeat(t *testing.T, e truth.Entry, cfg Config) {
	t.Helper()
	require.Len(t, e.TokensUS, e.OutputTokens)
	require.Equal(t, e.TokensUS[0], *e.FirstUS)
	require.Equal(t, e.TokensUS[len(e.TokensUS)-1], *e.LastUS)
	for i, us := range e.TokensUS {
		due := (cfg.FirstToken + time.Duration(i)*cfg.Interval).Microseconds()
		require.GreaterOrEqual(t, us, due-1000)
		require.LessOrEqual(t, us, due+e.LagUS+1000)
	}
}

func TestABurstMovesTokensToCommonTicks(t *testing.T) {
	s, url := start(t, func(c *Config) { c.Burst, c.Interval = true, 20*time.Millisecond })
	c := client(t)
	for range 3 {
		_, _ = post(t, c, url+"/v1/completions", body(3))
	}
	for _, e := range s.Truth(0).Requests {
		for _, us := range e.TokensUS {
			sinceStart := e.ArrivalUnixNS + us*1e3 - s.pacer.start.UnixNano()
			late := (time.Duration(sinceStart) + time.Millisecond) % s.cfg.Interval
			require.LessOrEqual(t, late.Microseconds(), e.LagUS+2000, "a tick, up to the server's own lateness")
		}
	}
}

func TestRefusals(t *testing.T) {
	s, url := start(t, nil)
	c := client(t)
	for name, test := range map[string]struct {
		path, body string
		status     int
		says       string
	}{
		"unknown path":     {"/v1/embeddings", `{}`, http.StatusNotFound, "nothing here"},
		"no JSON":          {"/v1/completions", `{`, http.StatusBadRequest, "not a valid request"},
		"not streamed":     {"/v1/completions", `{}`, http.StatusBadRequest, "stream"},
		"no tokens":        {"/v1/completions", `{"stream":true,"max_tokens":0}`, http.StatusBadRequest, "max_tokens"},
		"too many tokens":  {"/v1/completions", `{"stream":true,"max_tokens":2000000}`, http.StatusBadRequest, "max_tokens"},
		"wrong truth page": {"/sim/truth?since=x", ``, http.StatusBadRequest, "since"},
	} {
		t.Run(name, func(t *testing.T) {
			status, text := post(t, c, url+test.path, test.body)
			require.Equal(t, test.status, status)
			require.Contains(t, text, test.says)
		})
	}
	require.Empty(t, s.Truth(0).Requests)
}

func TestOtherPages(t *testing.T) {
	s, url := start(t, nil)
	c := client(t)
	_, text := post(t, c, url+"/v1/models", "")
	require.Contains(t, text, `"id":"metronome"`)
	_, _ = post(t, c, url+"/v1/completions", body(2))
	_, text = post(t, c, url+"/sim/truth?since=0", "")
	var page truth.Page
	require.NoError(t, json.Unmarshal([]byte(text), &page))
	require.Equal(t, s.Truth(0), page)
}

func TestAClientThatLeavesIsAborted(t *testing.T) {
	s, url := start(t, nil)
	conn := dial(t, url)
	_, err := conn.Write(rawRequest(1000))
	require.NoError(t, err)
	_, err = conn.Read(make([]byte, 1))
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	requireAborted(t, s)
}

func TestAClientThatDoesNotReadIsCutOff(t *testing.T) {
	s, url := start(t, func(c *Config) { c.FirstToken, c.Interval = 0, time.Nanosecond })
	conn := dial(t, url)
	_, err := conn.Write(rawRequest(1 << 20))
	require.NoError(t, err)
	requireAborted(t, s)
	require.NoError(t, conn.Close())
}

func requireAborted(t *testing.T, s *Server) {
	t.Helper()
	require.Eventually(t, func() bool { return len(s.Truth(0).Requests) == 1 }, patience, time.Millisecond)
	e := s.Truth(0).Requests[0]
	require.Equal(t, "abort", e.FinishReason)
	require.Positive(t, e.OutputTokens)
}

func TestStoppingCutsStreamsOff(t *testing.T) {
	s, url := start(t, nil)
	conn := dial(t, url)
	_, err := conn.Write(rawRequest(1 << 20))
	require.NoError(t, err)
	_, err = conn.Read(make([]byte, 1))
	require.NoError(t, err)
	s.Close()
	s.Close()
	_, _ = io.Copy(io.Discard, conn)
	require.NoError(t, conn.Close())
	_, err = New(Config{})
	require.ErrorContains(t, err, "model")
}

func dial(t *testing.T, url string) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	return conn
}

func rawRequest(tokens int) []byte {
	text := body(tokens)
	return fmt.Appendf(nil, "POST /v1/chat/completions HTTP/1.1\r\nHost: m\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(body(3)))
	f.Add([]byte(`{"stream":true,"max_tokens":-1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if a, err := decode(bytes.NewReader(data)); err == nil {
			require.Positive(t, a.tokens())
			require.Positive(t, a.promptTokens)
		}
	})
}
