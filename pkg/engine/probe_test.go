package engine

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/engine/protocol"
	"github.com/swapgate/swapgate/pkg/swap"
)

// fakeServer answers the paths in pages and streams completions; refuse names body fields answered with 400.
type fakeServer struct {
	pages   map[string]string
	refuse  []string
	noUsage bool
	noChat  bool
	key     string
	// asked gets the path of each completion.
	asked chan string
}

func (f *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.key != "" && r.Header.Get("Authorization") != "Bearer "+f.key {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if strings.HasSuffix(r.URL.Path, "/completions") {
		f.complete(w, r)
		return
	}
	page, ok := f.pages[r.URL.RequestURI()]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if strings.Contains(r.URL.Path, "metrics") {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	}
	_, _ = w.Write([]byte(page))
}

func (f *fakeServer) complete(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	f.asked <- r.URL.Path
	chat := strings.Contains(r.URL.Path, "chat")
	refused := f.noChat && chat
	for _, field := range f.refuse {
		refused = refused || hasAll(body, field)
	}
	if refused {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":{"type":"invalid_request_error"}}`))
		return
	}
	script := "C(Hello) F(length) U(3,4) D"
	if f.noUsage {
		script = "C(Hello) F(length) D"
	}
	stub{script: script}.ServeHTTP(w, r)
}

func (f *fakeServer) start(t *testing.T) Target {
	t.Helper()
	f.asked = make(chan string, 2*len(attempts(swap.APIChat)))
	srv := httptest.NewServer(f)
	t.Cleanup(srv.Close)
	return Target{URL: srv.URL, Model: "m", Key: f.key}
}

func probe(t *testing.T, target Target) (swap.ArmFacts, error) {
	t.Helper()
	hc := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	return Probe(t.Context(), hc, target, swap.APIChat)
}

// llama.cpp says how many parameters its model has.
func TestProbeReadsTheSize(t *testing.T) {
	f := &fakeServer{pages: map[string]string{"/v1/models": models("llamacpp", `,"meta":{"n_ctx":8192,"n_params":8030261312}`)}}
	facts, err := probe(t, f.start(t))
	require.NoError(t, err)
	require.InDelta(t, 8.03, facts.Billions.Or(0), .001)
}

func models(owner, extra string) string {
	return fmt.Sprintf(`{"object":"list","data":[{"id":"m","owned_by":%q%s}]}`, owner, extra)
}

func TestProbeTellsEnginesApart(t *testing.T) {
	cases := []struct {
		name            string
		pages           map[string]string
		engine, version string
		context         float64
		metrics         string
	}{
		{
			"vLLM",
			map[string]string{
				"/v1/models": models("vllm", `,"max_model_len":32768`), "/version": `{"version":"0.27.0"}`,
				"/metrics": "# HELP x y\n# TYPE vllm:num_requests_running gauge\n",
			},
			VLLM, "0.27.0", 32768, "/metrics",
		},
		{
			"SGLang",
			map[string]string{
				"/v1/models": models("sglang", `,"max_model_len":4096`), "/server_info": `{"model_path":"m","weight_version":"1","version":"0.5"}`,
				"/api/version": `{"version":"x"}`,
			},
			SGLang, "0.5", 4096, "",
		},
		{"TGI", map[string]string{"/v1/models": models("m", ""), "/info": `{"max_total_tokens":2048,"version":"3.3.7"}`}, TGI, "3.3.7", 2048, ""},
		{"Triton", map[string]string{"/v1/models": models("Triton Inference Server", "")}, Triton, "", 0, ""},
		{
			"llama.cpp",
			map[string]string{
				"/v1/models": models("llamacpp", `,"meta":{"n_ctx":8192}`), "/props": `{"build_info":"b10472","total_slots":4}`,
			},
			LlamaCPP, "b10472", 8192, "",
		},
		{
			"Ollama",
			map[string]string{
				"/v1/models": `{"data":[{"id":"m:latest","owned_by":"library"}]}`, "/": "Ollama is running", "/api/version": `{"version":"0.33.0"}`,
			},
			Ollama, "0.33.0", 0, "",
		},
		{
			"TensorRT-LLM",
			map[string]string{
				"/v1/models": models("tensorrt_llm", ""), "/version": `{"version":"1.3"}`, "/prometheus/metrics": "# TYPE trtllm_x gauge\n",
			},
			TensorRT, "1.3", 0, "/prometheus/metrics",
		},
		{"LMDeploy", map[string]string{"/v1/models": models("lmdeploy", "")}, LMDeploy, "", 0, ""},
		{
			"NIM shows vLLM's card",
			map[string]string{
				"/v1/models": models("vllm", ""), "/v1/metadata": `{"version":"2.1.6"}`, "/v1/health/live": `{}`,
			},
			NIM, "2.1.6", 0, "",
		},
		{
			"llama-swap",
			map[string]string{
				"/v1/models": models("llamacpp", ""), "/running": `{"running":[]}`, "/api/version": `{"version":"250","commit":"c"}`,
			},
			LlamaSwap, "250", 0, "",
		},
		{"something else", map[string]string{"/v1/models": models("acme", "")}, OpenAICompatible, "", 0, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			target := (&fakeServer{pages: c.pages}).start(t)
			got, err := probe(t, target)
			require.NoError(t, err)
			require.Equal(t, swap.ArmFacts{
				URL: target.URL, Model: "m", Engine: c.engine, Version: c.version, MetricsPage: c.metrics,
				MaxModelLen: got.MaxModelLen, Fingerprint: "fp_1", UsageInStream: true, TokenLimitKey: "max_tokens", Setup: got.Setup,
			}, got)
			require.InDelta(t, c.context, got.MaxModelLen.Or(0), 0)
		})
	}
}

// T28, T31, T40: what a server refuses is learned once, here.
func TestProbeLearnsCapabilities(t *testing.T) {
	pages := map[string]string{"/v1/models": models("acme", "")}
	short, long := protocol.MaxTokensKey, protocol.MaxCompletionTokensKey
	cases := []struct {
		name   string
		server fakeServer
		want   protocol.Capabilities
		asked  int
	}{
		{"everything", fakeServer{}, protocol.Capabilities{UsageInStream: true, TokenLimit: short}, 1},
		{"no stream_options", fakeServer{refuse: []string{"stream_options"}}, protocol.Capabilities{TokenLimit: short}, 4},
		{
			"only max_completion_tokens",
			fakeServer{refuse: []string{"max_tokens"}},
			protocol.Capabilities{UsageInStream: true, TokenLimit: long},
			3,
		},
		{"neither", fakeServer{refuse: []string{"max_tokens", "stream_options"}}, protocol.Capabilities{TokenLimit: long}, 5},
		{"takes the option and sends no usage", fakeServer{noUsage: true}, protocol.Capabilities{TokenLimit: short}, 1},
		{"no chat template", fakeServer{noChat: true}, protocol.Capabilities{UsageInStream: true, TokenLimit: short}, 6},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			server := c.server
			server.pages = pages
			facts, err := probe(t, server.start(t))
			require.NoError(t, err)
			require.Equal(t, c.want, protocol.CapabilitiesOf(facts))
			require.Len(t, server.asked, c.asked)
		})
	}
}

func TestProbeErrors(t *testing.T) {
	t.Run("nobody listens", func(t *testing.T) {
		srv := httptest.NewServer(http.NotFoundHandler())
		srv.Close()
		_, err := probe(t, Target{URL: srv.URL, Model: "m"})
		var unreachable *UnreachableError
		require.ErrorAs(t, err, &unreachable)
		require.Error(t, unreachable.Unwrap())
	})
	t.Run("wrong model", func(t *testing.T) {
		target := (&fakeServer{pages: map[string]string{"/v1/models": `{"data":[{"id":"b"},{"id":"a"}]}`}}).start(t)
		_, err := probe(t, target)
		var mismatch *ModelMismatchError
		require.ErrorAs(t, err, &mismatch)
		require.Equal(t, []string{"a", "b"}, mismatch.Served)
		require.ErrorContains(t, err, `does not serve model "m": it serves a, b`)
	})
	t.Run("wrong key", func(t *testing.T) {
		target := (&fakeServer{key: "right"}).start(t)
		target.Key = "hunter2"
		_, err := probe(t, target)
		var refused *RefusedError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, 401, refused.Status)
		require.NotContains(t, err.Error(), "hunter2")
	})
	t.Run("no OpenAI interface", func(t *testing.T) {
		target := (&fakeServer{pages: map[string]string{"/v2": `{"name":"triton","version":"2","extensions":[]}`}}).start(t)
		_, err := probe(t, target)
		require.ErrorContains(t, err, "OpenAI-compatible frontend")
	})
	t.Run("refuses every form of the trial", func(t *testing.T) {
		target := (&fakeServer{pages: map[string]string{"/v1/models": models("acme", "")}, refuse: []string{"stream"}}).start(t)
		_, err := probe(t, target)
		var refused *RefusedError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, 400, refused.Status)
	})
}

func TestKeyIsNeverPrinted(t *testing.T) {
	target := Target{URL: "http://h", Model: "m", Key: "hunter2"}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "target", target)
	marshalled, err := json.Marshal(target)
	require.NoError(t, err)
	for _, s := range []string{
		fmt.Sprintf("%v %+v %#v %s %q", target, target, target, target, target),
		fmt.Sprintf("%v %+v", &target, []Target{target}), log.String(), string(marshalled),
	} {
		require.NotContains(t, s, "hunter2")
	}
}

func TestNewClientRefusesARelativeURL(t *testing.T) {
	_, err := NewClient(Target{URL: "localhost:8000"}, ClientOptions{})
	require.ErrorContains(t, err, "must be absolute")
}
