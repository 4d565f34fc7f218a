package telemetry

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/secret"
	"github.com/swapgate/swapgate/pkg/swap"
)

func serve(t *testing.T, h http.HandlerFunc) (*httptest.Server, *http.Client) {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv, srv.Client()
}

func pages(bodies ...string) http.HandlerFunc {
	i := 0
	return func(w http.ResponseWriter, _ *http.Request) {
		body := bodies[min(i, len(bodies)-1)]
		i++
		_, _ = w.Write([]byte(body))
	}
}

func TestEnginePageOverHTTP(t *testing.T) {
	srv, client := serve(t, pages("vllm:num_requests_running 3\n"))
	s := NewEnginePage("engine", srv.URL+"/metrics", secret.Value{}, client)
	got, err := s.Sample(t.Context())
	require.NoError(t, err)
	require.Equal(t, "engine", s.Name())
	require.Equal(t, []Sample{{Metric: RequestsRunning, Origin: "vllm:num_requests_running", Value: 3}}, got)
}

func TestEnginePageBehindAKey(t *testing.T) {
	t.Setenv("ENGINE_KEY", "hunter2")
	key, err := secret.Resolve(&swap.SecretRef{Env: "ENGINE_KEY"})
	require.NoError(t, err)
	srv, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer hunter2" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte("llamacpp:requests_processing 3\n"))
	})
	got, err := NewEnginePage("engine", srv.URL, key, client).Sample(t.Context())
	require.NoError(t, err)
	require.Len(t, got, 1)
	_, err = NewEnginePage("engine", srv.URL, secret.Value{}, client).Sample(t.Context())
	require.ErrorContains(t, err, "401")
}

func TestVanishedMetricIsReportedUntilItReturns(t *testing.T) {
	both := "vllm:num_requests_running 3\nvllm:num_requests_waiting 0\n"
	srv, client := serve(t, pages(both, "vllm:num_requests_running 3\n", both))
	s := NewEnginePage("engine", srv.URL, secret.Value{}, client)
	_, err := s.Sample(t.Context())
	require.NoError(t, err)

	got, err := s.Sample(t.Context())
	require.ErrorContains(t, err, "requests_waiting has vanished")
	require.Len(t, got, 1, "what is still there is kept")

	_, err = s.Sample(t.Context())
	require.NoError(t, err)
}

func TestPageFaults(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		is      error
		says    string
	}{
		"html": {pages("<html>sign in</html>"), ErrNotMetrics, "HTML"},
		"off": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotImplemented)
		}, nil, "501"},
		"too large": {pages(strings.Repeat("# padding\n", maxPageBytes/10+1)), ErrTooLarge, "10 MiB"},
		"cut short": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("vllm:num_requests_running 3\n"))
		}, nil, "unexpected EOF"},
		"stranger": {pages("node_load1 1\n"), ErrNoKnownMetric, "no known metric"},
	} {
		t.Run(name, func(t *testing.T) {
			srv, client := serve(t, c.handler)
			got, err := NewEnginePage("engine", srv.URL, secret.Value{}, client).Sample(t.Context())
			require.Empty(t, got)
			require.ErrorContains(t, err, c.says)
			if c.is != nil {
				require.ErrorIs(t, err, c.is)
			}
		})
	}
}

func TestScrapeErrorsKeepSecretsOut(t *testing.T) {
	srv, client := serve(t, pages(""))
	srv.Close()
	withSecret := strings.Replace(srv.URL, "http://", "http://user:hunter2@", 1) + "/metrics?key=hunter2"
	_, err := NewEnginePage("engine", withSecret, secret.Value{}, client).Sample(t.Context())
	require.Error(t, err)
	require.NotContains(t, err.Error(), "hunter2")
	require.Contains(t, err.Error(), "/metrics")

	_, err = NewEnginePage("engine", "http://user:hunter2@bad host/", secret.Value{}, client).Sample(t.Context())
	require.Error(t, err)
	require.NotContains(t, err.Error(), "hunter2")
}

func TestScrapeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	srv, client := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := NewEnginePage("engine", srv.URL, secret.Value{}, client).Sample(ctx)
	require.ErrorIs(t, err, context.Canceled)
}
