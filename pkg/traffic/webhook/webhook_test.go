package webhook

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/httpapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	canary = swap.Weights{Baseline: 95, Candidate: 5}
	noon   = func() time.Time { return time.Unix(1_777_000_000, 0) }
)

// service is what docs/gateways.md asks of a service.
type service struct {
	key     string
	weights swap.Weights
	version int
	// before runs when a POST arrives.
	before func()
	posts  int
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if s.key != "" && r.Header.Get(SignatureHeader) != sign(s.key, r.Header.Get(TimestampHeader), r.Method, body) {
		http.Error(w, `{"error":"the signature is wrong"}`, http.StatusUnauthorized)
		return
	}
	if r.Method == http.MethodGet {
		if r.URL.Query().Get("target") != "chat" {
			http.NotFound(w, r)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"baseline": s.weights.Baseline, "candidate": s.weights.Candidate, "version": strconv.Itoa(s.version),
		})
		return
	}
	if s.before != nil {
		s.before()
	}
	s.posts++
	var in change
	if json.Unmarshal(body, &in) != nil || in.Target != "chat" || in.Version != strconv.Itoa(s.version) {
		w.WriteHeader(http.StatusConflict)
		return
	}
	s.weights, s.version = in.Weights, s.version+1
}

func open(t *testing.T, h http.Handler, key string) *Hook {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	api, err := httpapi.New(srv.URL+"/weights", "", &http.Client{Transport: transport})
	require.NoError(t, err)
	return New(api, "chat", key, noon)
}

func TestWeightsAreSetReadBackAndSetNoSecondTime(t *testing.T) {
	s := &service{key: "k", weights: swap.AllBaseline}
	h := open(t, s, "k")
	got, err := h.Apply(t.Context(), canary)
	require.NoError(t, err)
	require.Equal(t, traffic.State{Weights: canary, Version: "1"}, got)
	again, err := h.Apply(t.Context(), canary)
	require.NoError(t, err)
	require.Equal(t, got, again)
	require.Equal(t, 1, s.posts)
}

func TestAnotherWriterIsAConflict(t *testing.T) {
	s := &service{weights: swap.AllBaseline}
	s.before = func() { s.weights, s.version, s.before = swap.Weights{Baseline: 50, Candidate: 50}, 7, nil }
	h := open(t, s, "")
	got, err := h.Apply(t.Context(), canary)
	require.ErrorIs(t, err, traffic.ErrConflict)
	require.Equal(t, 50, got.Candidate)
	_, err = h.Apply(t.Context(), canary)
	require.NoError(t, err)
}

func TestAWrongKeyIsRefused(t *testing.T) {
	_, err := open(t, &service{key: "k"}, "another-key").Read(t.Context())
	require.ErrorIs(t, err, traffic.ErrRefused)
	require.ErrorContains(t, err, "signature")
	require.NotContains(t, err.Error(), "another-key")
}

func TestASuccessWithoutEffectIsNotApplied(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"baseline":100,"candidate":0}`)
	})
	_, err := open(t, h, "").Apply(t.Context(), canary)
	require.ErrorIs(t, err, traffic.ErrNotApplied)
	h = func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"baseline":95,"candidate":5,"pending":"node 2 is not reloaded"}`)
	}
	_, err = open(t, h, "").Apply(t.Context(), canary)
	require.ErrorIs(t, err, traffic.ErrNotApplied)
	require.ErrorContains(t, err, "node 2 is not reloaded")
}

// TestSignature holds the signature for those who check it in another language:
// printf '1777000000.POST.{"baseline":95,"candidate":5}' | openssl dgst -sha256 -hmac secret
func TestSignature(t *testing.T) {
	require.Equal(t, signatureOfOpenSSL, sign("secret", "1777000000", http.MethodPost, []byte(`{"baseline":95,"candidate":5}`)))
}

func TestDecode(t *testing.T) {
	for text, says := range map[string]string{
		`{"baseline":95}`:                   "lacks",
		`{"baseline":95,"candidate":6}`:     "sum to 100",
		`{"baseline":-1,"candidate":101}`:   "sum to 100",
		`<html>`:                            "in JSON",
		`{"baseline":95.5,"candidate":4.5}`: "in JSON",
	} {
		_, err := Decode([]byte(text))
		require.ErrorContains(t, err, says, text)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"baseline":95,"candidate":5,"version":"2","pending":""}`)
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := Decode([]byte(text)); err == nil {
			require.Equal(t, 100, s.Baseline+s.Candidate)
		}
	})
}

const signatureOfOpenSSL = "5b0a4f69524fa68408e1753f6f5be1633dc41107cbee49d54611db49d1e6f7e2"
