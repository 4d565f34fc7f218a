package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// chunk is what the tests read of an event.
type chunk struct {
	ID                string `json:"id"`
	Object            string `json:"object"`
	Model             string `json:"model"`
	SystemFingerprint string `json:"system_fingerprint"`
	Choices           []struct {
		Delta *struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		} `json:"delta"`
		Text         *string `json:"text"`
		FinishReason *string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
		TotalTokens      int `json:"total_tokens"`
		Details          struct {
			CachedTokens int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
}

func decodeChunks(t *testing.T, data []string) []chunk {
	t.Helper()
	require.Equal(t, "[DONE]", data[len(data)-1])
	var out []chunk
	for _, d := range data[:len(data)-1] {
		var c chunk
		require.NoError(t, json.Unmarshal([]byte(d), &c), d)
		out = append(out, c)
	}
	return out
}

func TestChatStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startExact(t, nil)
		rec := ask(t, e, "POST", "/v1/chat/completions", chat("a", 49, 3))
		require.Equal(t, http.StatusOK, rec.Code)
		require.Equal(t, "text/event-stream; charset=utf-8", rec.Header().Get("Content-Type"))
		require.Equal(t, []time.Duration{0, 10 * ms, 14 * ms, 18 * ms}, rec.flushes, "header, then one flush a token")

		chunks := decodeChunks(t, events(t, rec.Body.Bytes()))
		require.Len(t, chunks, 6, "role, three tokens, finish, usage")
		require.Equal(t, "assistant", chunks[0].Choices[0].Delta.Role)
		require.Empty(t, chunks[0].Choices[0].Delta.Content)
		require.Len(t, events(t, []byte(rec.chunks[1])), 2, "the role comes with the first token")
		for _, c := range chunks[1:4] {
			require.NotEmpty(t, c.Choices[0].Delta.Content)
			require.Nil(t, c.Choices[0].FinishReason)
		}
		require.Equal(t, "length", *chunks[4].Choices[0].FinishReason)
		require.Empty(t, chunks[5].Choices)
		require.Equal(t, 50, chunks[5].Usage.PromptTokens)
		require.Equal(t, 3, chunks[5].Usage.CompletionTokens)
		require.Equal(t, 53, chunks[5].Usage.TotalTokens)
		for _, c := range chunks {
			require.Equal(t, chunks[0].ID, c.ID)
			require.Equal(t, "chat.completion.chunk", c.Object)
			require.Equal(t, "m", c.Model)
			require.Regexp(t, `^vllm-0\.27\.0-[0-9a-f]{8}$`, c.SystemFingerprint)
		}
	})
}

func TestCompletionStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startExact(t, nil)
		rec := ask(t, e, "POST", "/v1/completions", `{"model":"m","prompt":"one two three","stream":true}`)
		chunks := decodeChunks(t, events(t, rec.Body.Bytes()))
		require.Len(t, chunks, 17, "16 tokens by default, finish, and no usage unless asked for")
		require.Equal(t, "text_completion", chunks[0].Object)
		require.NotEmpty(t, *chunks[0].Choices[0].Text)
		require.Nil(t, chunks[0].Choices[0].Delta)
	})
}

func TestWholeAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startExact(t, nil)
		begun := time.Now()
		rec := ask(t, e, "POST", "/v1/chat/completions",
			`{"model":"m","max_tokens":3,"messages":[{"role":"user","content":[{"type":"text","text":"one two"}]}]}`)
		require.Equal(t, 5*ms+3*ms/10+8*ms, time.Since(begun))
		require.Equal(t, "application/json", rec.Header().Get("Content-Type"))
		var reply struct {
			Object  string `json:"object"`
			Choices []struct {
				Message      struct{ Role, Content string }
				FinishReason string `json:"finish_reason"`
			}
			Usage struct {
				PromptTokens int `json:"prompt_tokens"`
			}
		}
		require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &reply))
		require.Equal(t, "chat.completion", reply.Object)
		require.Equal(t, "assistant", reply.Choices[0].Message.Role)
		require.Len(t, strings.Fields(reply.Choices[0].Message.Content), 3)
		require.Equal(t, "length", reply.Choices[0].FinishReason)
		require.Equal(t, 3, reply.Usage.PromptTokens)

		rec = ask(t, e, "POST", "/v1/completions", `{"model":"m","prompt":[1,2,3,4],"max_tokens":1}`)
		require.Contains(t, rec.Body.String(), `"prompt_tokens":4`)
	})
}

func TestRefusals(t *testing.T) {
	const messages = `"messages":[{"role":"user","content":"hello"}]`
	tests := map[string]struct {
		path, body string
		status     int
		want       string
	}{
		"another model":     {"/v1/chat/completions", `{"model":"x",` + messages + `}`, 404, "NotFoundError"},
		"no JSON":           {"/v1/chat/completions", `{`, 400, "not a valid request"},
		"no messages":       {"/v1/chat/completions", `{"model":"m"}`, 400, "messages must not be empty"},
		"no prompt":         {"/v1/completions", `{"model":"m"}`, 400, "prompt is required"},
		"null prompt":       {"/v1/completions", `{"model":"m","prompt":null}`, 400, "prompt is required"},
		"empty prompt":      {"/v1/completions", `{"model":"m","prompt":""}`, 400, "must not be empty"},
		"two prompts":       {"/v1/completions", `{"model":"m","prompt":["a","b"]}`, 400, "array of one string"},
		"several answers":   {"/v1/completions", `{"model":"m","prompt":"a","n":2}`, 400, "n=1"},
		"no tokens":         {"/v1/completions", `{"model":"m","prompt":"a","max_tokens":0}`, 400, "at least 1"},
		"too many tokens":   {"/v1/completions", `{"model":"m","prompt":"a","max_tokens":8192}`, 400, "too large"},
		"too long a prompt": {"/v1/completions", `{"model":"m","prompt":"` + strings.Repeat("a ", 8192) + `"}`, 400, "maximum context length"},
		"unknown path":      {"/v1/embeddings", `{}`, 404, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			e, err := New(exact())
			require.NoError(t, err)
			defer e.Close()
			rec := ask(t, e, "POST", tc.path, tc.body)
			require.Equal(t, tc.status, rec.Code)
			require.Contains(t, rec.Body.String(), tc.want)
			if tc.want != "" {
				var reply struct{ Error apiError }
				require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &reply))
				require.Equal(t, tc.status, reply.Error.Code)
				require.Equal(t, tc.status, e.Truth(0).Requests[0].Status)
			}
		})
	}
}

func TestKeyGuardsTheAPIAlone(t *testing.T) {
	e, err := New(func() Config { c := exact(); c.APIKey = "secret"; return c }())
	require.NoError(t, err)
	defer e.Close()
	require.Equal(t, 401, ask(t, e, "GET", "/v1/models", "").Code)
	require.Equal(t, 401, ask(t, e, "GET", "/v1/models", "", "Authorization", "Bearer wrong").Code)
	require.Equal(t, 200, ask(t, e, "GET", "/v1/models", "", "Authorization", "Bearer secret").Code)
	for _, open := range []string{"/health", "/version", "/metrics", "/sim/truth"} {
		require.Equal(t, 200, ask(t, e, "GET", open, "").Code, open)
	}
}

func TestServerFacts(t *testing.T) {
	e, err := New(exact())
	require.NoError(t, err)
	defer e.Close()
	models := ask(t, e, "GET", "/v1/models", "").Body.String()
	require.Contains(t, models, `"owned_by":"vllm"`)
	require.Contains(t, models, `"max_model_len":8192`)
	require.JSONEq(t, `{"version":"0.27.0"}`, ask(t, e, "GET", "/version", "").Body.String())
	require.Empty(t, ask(t, e, "GET", "/health", "").Body.String())
}

func TestLoadingAndColdStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startExact(t, func(c *Config) {
			c.Loading = swap.Duration(time.Second)
			c.Cold = ColdStart{Requests: 2, Extra: swap.Duration(100 * ms)}
		})
		require.Equal(t, 503, ask(t, e, "GET", "/health", "").Code)
		require.Equal(t, 503, ask(t, e, "POST", "/v1/chat/completions", chat("a", 49, 1)).Code)
		time.Sleep(time.Second)
		require.Equal(t, 200, ask(t, e, "GET", "/health", "").Code)
		for i, want := range []time.Duration{110 * ms, 60 * ms, 10 * ms} {
			rec := ask(t, e, "POST", "/v1/chat/completions", chat(fmt.Sprint("a", i), 49, 1))
			require.Equal(t, want, rec.flushes[1])
		}
	})
}

func TestTruthIsWhatTheClientSaw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startExact(t, func(c *Config) { c.MaxBatch = 1 })
		arrival := time.Now().UnixNano()
		var recs [2]*timedRecorder
		var asks sync.WaitGroup
		for i := range recs {
			asks.Go(func() {
				time.Sleep(time.Duration(i) * ms)
				recs[i] = ask(t, e, "POST", "/v1/chat/completions", chat(fmt.Sprint("a", i), 49, 3), "traceparent", fmt.Sprint("trace-", i))
			})
		}
		asks.Wait()
		page := e.Truth(0)
		require.EqualValues(t, 2, page.Next)
		require.Zero(t, page.Dropped)
		for i, truth := range page.Requests {
			require.Equal(t, fmt.Sprint("trace-", i), truth.TraceParent)
			require.Equal(t, arrival+int64(i)*int64(ms), truth.ArrivalUnixNS)
			var seen []int64
			for _, at := range recs[i].flushes[1:] {
				seen = append(seen, at.Microseconds())
			}
			require.Equal(t, seen, truth.TokensUS)
			require.Equal(t, seen[0], *truth.FirstUS)
			require.Equal(t, seen[2], *truth.LastUS)
			require.Zero(t, truth.LagUS)
			require.Equal(t, "length", truth.FinishReason)
		}
		require.EqualValues(t, 0, *page.Requests[0].ScheduledUS)
		require.EqualValues(t, 17000, *page.Requests[1].ScheduledUS, "behind a first request of 18 ms")
		require.Empty(t, e.Truth(page.Next).Requests)
	})
}

func TestAClientThatLeavesIsAborted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startExact(t, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 12*ms)
		defer cancel()
		req := httptest.NewRequestWithContext(ctx, "POST", "/v1/chat/completions", strings.NewReader(chat("a", 49, 100)))
		e.ServeHTTP(httptest.NewRecorder(), req)
		require.Equal(t, "abort", e.Truth(0).Requests[0].FinishReason)
		require.Equal(t, 1, e.Truth(0).Requests[0].OutputTokens)
		inspect(t, e, func(s *scheduler) {
			require.Zero(t, s.active())
			require.Zero(t, s.kv.held)
		})
	})
}

func TestAnswerLengths(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		natural := func(c *Config) { c.NaturalLength = swap.Lengths{Median: 40, Sigma: 0.5, Max: 200} }
		one := startExact(t, natural)
		other := startExact(t, func(c *Config) { natural(c); c.Seed = 99 })
		length := func(e *Engine, salt, extra string) (int, string) {
			body := strings.Replace(chat(salt, 20, 300), "{", "{"+extra, 1)
			ask(t, e, "POST", "/v1/chat/completions", body)
			page := e.Truth(0)
			last := page.Requests[len(page.Requests)-1]
			return last.OutputTokens, last.FinishReason
		}
		lengths := map[int]bool{}
		for i := range 10 {
			salt := fmt.Sprint("s", i)
			n, finish := length(one, salt, "")
			require.Equal(t, "stop", finish)
			require.LessOrEqual(t, n, 200)
			m, _ := length(other, salt, "")
			require.Equal(t, n, m, "the natural length belongs to the prompt, not to the server")
			lengths[n] = true
		}
		require.Greater(t, len(lengths), 3)
		n, finish := length(one, "s0", `"ignore_eos":true,`)
		require.Equal(t, 300, n)
		require.Equal(t, "length", finish)
		n, _ = length(one, "s0", `"min_tokens":250,`)
		require.Equal(t, 250, n)
	})
}
