package engine

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ms = time.Millisecond

// exact is a server without noise and with round service times: a prefill takes 5 ms and 0.1 ms a token, a step 4 ms.
func exact() Config {
	cfg := Default()
	cfg.Model, cfg.Noise, cfg.Cold, cfg.NaturalLength = "m", Noise{}, ColdStart{}, swap.Lengths{}
	cfg.Prefill = Prefill{Base: swap.Duration(5 * ms), TokensPerSecond: 10000}
	cfg.Decode = Decode{Base: swap.Duration(4 * ms)}
	return cfg
}

// words is a prompt of n tokens that no other salt shares a prefix with.
func words(salt string, n int) prompt {
	p := newPrompt()
	p.add(strings.Repeat(salt+" ", n))
	return p
}

func healthy() fate { return fate{slow: 1, lengthShare: 1} }

// finishAll runs the scheduler until nothing is left to do.
func finishAll(c *scheduler) {
	for at, ok := c.next(); ok; at, ok = c.next() {
		c.advance(at)
	}
}

// tokenTimes drains what a sequence was sent.
func tokenTimes(t *testing.T, s *sequence) []time.Duration {
	t.Helper()
	var times []time.Duration
	for len(s.ticks) > 0 {
		got := <-s.ticks
		require.NoError(t, got.err)
		times = append(times, got.at)
	}
	return times
}

func gaps(times []time.Duration) []time.Duration {
	var out []time.Duration
	for i := 1; i < len(times); i++ {
		out = append(out, times[i]-times[i-1])
	}
	return out
}

// startExact starts an engine on the runtime's timers, which a synctest bubble can fake.
func startExact(t *testing.T, change func(*Config)) *Engine {
	t.Helper()
	cfg := exact()
	if change != nil {
		change(&cfg)
	}
	require.NoError(t, cfg.Validate())
	e := start(cfg, newTimerAlarm())
	t.Cleanup(e.Close)
	return e
}

// inspect reads the scheduler's state.
func inspect(t *testing.T, e *Engine, read func(s *scheduler)) {
	t.Helper()
	require.NoError(t, e.withScheduler(func(s *scheduler, _ time.Duration) { read(s) }))
}

// timedRecorder is a ResponseRecorder that knows when each flush happened.
type timedRecorder struct {
	*httptest.ResponseRecorder
	begun   time.Time
	flushes []time.Duration
	// chunks is what was written before each flush.
	chunks []string
	seen   int
	// cut says that the server ended the connection without finishing.
	cut bool
}

func (r *timedRecorder) Flush() {
	body := r.Body.String()
	r.flushes = append(r.flushes, time.Since(r.begun))
	r.chunks = append(r.chunks, body[r.seen:])
	r.seen = len(body)
	r.ResponseRecorder.Flush()
}

// ask sends one request and waits for the end of its answer.
func ask(t *testing.T, e *Engine, method, path, body string, header ...string) *timedRecorder {
	t.Helper()
	rec := &timedRecorder{ResponseRecorder: httptest.NewRecorder(), begun: time.Now()}
	req := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	func() {
		defer func() {
			if got := recover(); got != nil {
				require.Equal(t, http.ErrAbortHandler, got)
				rec.cut = true
			}
		}()
		e.ServeHTTP(rec, req)
	}()
	return rec
}

// chat is the body of a streamed chat request with a prompt of n tokens and one more for the role.
func chat(salt string, n, maxTokens int) string {
	body, err := json.Marshal(map[string]any{
		"model": "m", "stream": true, "max_tokens": maxTokens,
		"stream_options": map[string]bool{"include_usage": true},
		"messages":       []map[string]string{{"role": "user", "content": strings.Repeat(salt+" ", n)}},
	})
	if err != nil {
		panic(err)
	}
	return string(body)
}

// events splits a stream of server-sent events and checks its form.
func events(t *testing.T, body []byte) []string {
	t.Helper()
	require.True(t, bytes.HasSuffix(body, []byte("\n\n")), "a stream ends with a blank line")
	var out []string
	for event := range strings.SplitSeq(strings.TrimSuffix(string(body), "\n\n"), "\n\n") {
		data, ok := strings.CutPrefix(event, "data: ")
		require.True(t, ok, "not a data line: %q", event)
		require.NotContains(t, data, "\n")
		out = append(out, data)
	}
	return out
}
