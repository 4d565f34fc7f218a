package litellm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/httpapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	at     = swap.LiteLLM{Model: "chat", Baseline: "id-blue", Candidate: "id-green"}
	canary = swap.Weights{Baseline: 95, Candidate: 5}
)

// entry is a deployment in the shape of GET /model/info of LiteLLM 1.7x.
func entry(model, id, weight string, inDatabase bool) string {
	return fmt.Sprintf(`{"model_name":%q,"litellm_params":{"api_base":"http://vllm:8000/v1","use_in_pass_through":false,
		"use_litellm_proxy":false,"merge_reasoning_content_in_choices":false,"model":"hosted_vllm/chat"%s},
		"model_info":{"id":%q,"db_model":%t,"key":"hosted_vllm/chat","max_tokens":null,"mode":"chat","litellm_provider":"hosted_vllm"}}`,
		model, weight, id, inDatabase)
}

func reply(entries ...string) string { return `{"data":[` + strings.Join(entries, ",") + `]}` }

// proxy is a LiteLLM proxy with two deployments and a key.
type proxy struct {
	mu      sync.Mutex
	weights map[string]int
	sums    []int
	writes  int
	extra   string
	// before runs at the arrival of the nth write.
	before func(n int)
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer sk-master" {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error":{"message":"Authentication Error, Invalid proxy server token passed","type":"auth_error",` +
			`"code":"401"}}`))
		return
	}
	if r.Method == http.MethodGet && r.URL.Path == "/model/info" {
		entries := []string{entry("embed", "id-embed", "", false)}
		for _, id := range []string{"id-blue", "id-green"} {
			entries = append(entries, entry("chat", id, fmt.Sprintf(`,"weight":%d`, p.weights[id]), true))
		}
		_, _ = w.Write([]byte(strings.TrimSuffix(reply(entries...), "]}") + p.extra + "]}"))
		return
	}
	p.write(w, r)
}

func (p *proxy) write(w http.ResponseWriter, r *http.Request) {
	id := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/model/"), "/update")
	var body struct {
		Params struct{ Weight int } `json:"litellm_params"`
	}
	_, known := p.weights[id]
	if r.Method != http.MethodPatch || !known || json.NewDecoder(r.Body).Decode(&body) != nil {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":{"message":"Model not found","type":"bad_request_error","code":"400"}}`))
		return
	}
	p.writes++
	if p.before != nil {
		p.before(p.writes)
	}
	p.weights[id] = body.Params.Weight
	p.sums = append(p.sums, p.weights["id-blue"]+p.weights["id-green"])
	_, _ = w.Write([]byte(`{"model_id":"` + id + `","model_name":"chat"}`))
}

func open(t *testing.T, h http.Handler, key string) *Proxy {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	api, err := httpapi.New(srv.URL, key, &http.Client{Transport: transport})
	require.NoError(t, err)
	return New(api, at)
}

func fresh() *proxy { return &proxy{weights: map[string]int{"id-blue": 1, "id-green": 0}} }

func TestWeightsAreSetReadBackAndSetNoSecondTime(t *testing.T) {
	p := fresh()
	c := open(t, p, "sk-master")
	got, err := c.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, traffic.State{Weights: swap.AllBaseline}, got)
	for _, share := range []int{1, 5, 20, 50, 100, 0, 100, 33, 0} {
		want := swap.Weights{Baseline: 100 - share, Candidate: share}
		got, err = c.Apply(t.Context(), want)
		require.NoError(t, err)
		require.Equal(t, want, got.Weights)
	}
	require.NotContains(t, p.sums, 0, "at no time has neither deployment any weight")
	writes := p.writes
	_, err = c.Apply(t.Context(), swap.AllBaseline)
	require.NoError(t, err)
	require.Equal(t, writes, p.writes)
}

func TestAnotherWriterIsAConflict(t *testing.T) {
	p := fresh()
	p.before = func(n int) {
		if n == 1 {
			p.weights["id-blue"] = 50
		}
	}
	c := open(t, p, "sk-master")
	_, err := c.Apply(t.Context(), canary)
	require.ErrorIs(t, err, traffic.ErrConflict)
	require.Equal(t, 50, p.weights["id-blue"], "the other writer's change stands")
	_, err = c.Apply(t.Context(), canary)
	require.NoError(t, err)
}

func TestRefusals(t *testing.T) {
	_, err := open(t, fresh(), "sk-wrong").Read(t.Context())
	require.ErrorIs(t, err, traffic.ErrRefused)
	require.ErrorContains(t, err, "Invalid proxy server token")
	require.NotContains(t, err.Error(), "sk-wrong")

	p := fresh()
	p.extra = "," + entry("chat", "id-old", "", true)
	c := open(t, p, "sk-master")
	_, err = c.Apply(t.Context(), canary)
	require.ErrorIs(t, err, traffic.ErrRefused)
	require.ErrorContains(t, err, "id-old")
	require.ErrorContains(t, c.Rehearse(t.Context()), "id-old")
	require.NoError(t, open(t, fresh(), "sk-master").Rehearse(t.Context()))
	require.Zero(t, p.writes)
	p.weights = map[string]int{"id-blue": 50, "id-green": 50}
	got, err := c.Apply(t.Context(), swap.AllBaseline)
	require.ErrorIs(t, err, traffic.ErrNotApplied, "the third deployment keeps its requests")
	require.Equal(t, swap.AllBaseline, got.Weights)
}

func TestDecode(t *testing.T) {
	arm := func(id, weight string) string { return entry("chat", id, weight, true) }
	blue, green := arm("id-blue", `,"weight":95`), arm("id-green", `,"weight":5`)
	for name, tc := range map[string]struct {
		reply string
		want  swap.Weights
		says  string
	}{
		"two":                        {reply(blue, green), canary, ""},
		"fractions":                  {reply(arm("id-blue", `,"weight":0.95`), arm("id-green", `,"weight":0.05`)), canary, ""},
		"a third without any":        {reply(blue, green, arm("x", `,"weight":0`)), canary, ""},
		"another model's":            {reply(blue, green, entry("other", "x", ``, true)), canary, ""},
		"no weight":                  {reply(blue, arm("id-green", ``)), swap.Weights{Baseline: 50, Candidate: 50}, "has no weight"},
		"no sum":                     {reply(arm("id-blue", `,"weight":0`), arm("id-green", `,"weight":0`)), swap.Weights{}, "weight 0"},
		"no percentages":             {reply(arm("id-blue", `,"weight":100`), green), canary, "no whole percentages"},
		"of the configuration file":  {reply(blue, entry("chat", "id-green", `,"weight":5`, false)), swap.Weights{}, "store_model_in_db"},
		"missing":                    {reply(blue), swap.Weights{}, "candidate id-green: false"},
		"another service's":          {`<html>`, swap.Weights{}, "not that of a LiteLLM proxy"},
		"a weight that is no number": {reply(blue, arm("id-green", `,"weight":"5"`)), swap.Weights{}, "not that of a LiteLLM"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := decode([]byte(tc.reply), at)
			if err != nil {
				require.ErrorContains(t, err, tc.says)
				require.NotEmpty(t, tc.says)
				return
			}
			require.Equal(t, tc.want, m.state().Weights)
			require.Contains(t, m.state().Pending, tc.says)
			require.Equal(t, tc.says == "", m.state().Pending == "")
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(reply(entry("chat", "id-blue", `,"weight":95`, true), entry("chat", "id-green", `,"weight":5`, true)))
	f.Fuzz(func(t *testing.T, text string) {
		if m, err := decode([]byte(text), at); err == nil {
			require.Contains(t, []int{0, 100}, m.state().Baseline+m.state().Candidate)
		}
	})
}
