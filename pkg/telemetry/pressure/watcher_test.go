package pressure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/secret"
	"github.com/swapgate/swapgate/pkg/swap"
)

// transport answers requests in process, so that time can be faked.
type transport func(*http.Request) (string, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := f(r)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}, nil
}

func answering(f transport) *http.Client { return &http.Client{Transport: f} }

var (
	engineSource = Source{Kind: swap.SourceEngine, URL: "http://engine/metrics"}
	dcgmSource   = Source{Kind: swap.SourceDCGM, URL: "http://dcgm/metrics"}
)

func usage(v float64) string { return fmt.Sprintf("vllm:kv_cache_usage_perc{engine=\"0\"} %g\n", v) }

func gpus(a, b float64) string {
	return fmt.Sprintf("DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"a\"} %g\nDCGM_FI_DEV_GPU_UTIL{gpu=\"1\",UUID=\"b\"} %g\n", a, b)
}

func TestWatcherKeepsTheLargestSinceTheLastTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		w := Start(t.Context(), answering(func(r *http.Request) (string, error) {
			if r.URL.Host == "dcgm" {
				return gpus(40, 70), nil
			}
			n++
			return usage([]float64{.2, .9, .3, .1}[min(n, 4)-1]), nil
		}), []Source{engineSource, dcgmSource}, time.Second)
		defer w.Close()

		time.Sleep(2500 * time.Millisecond)
		kv, gpu := w.Take()
		require.Equal(t, swap.Of(.9), kv)
		require.Equal(t, swap.Of(.7), gpu)

		kv, gpu = w.Take()
		require.Equal(t, none, kv, "nothing was read since")
		require.Equal(t, none, gpu)

		time.Sleep(time.Second)
		kv, _ = w.Take()
		require.Equal(t, swap.Of(.1), kv)
		require.Empty(t, w.Problem())
	})
}

func TestWatcherDropsAReadingThatBeganBeforeTheTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := true
		w := Start(t.Context(), answering(func(*http.Request) (string, error) {
			if first {
				first = false
				time.Sleep(3 * time.Second)
				return usage(.95), nil
			}
			return usage(.2), nil
		}), []Source{engineSource}, time.Second)
		defer w.Close()
		time.Sleep(2 * time.Second)
		kv, _ := w.Take()
		require.Equal(t, none, kv)
		time.Sleep(3 * time.Second)
		kv, _ = w.Take()
		require.Equal(t, swap.Of(.2), kv)
	})
}

func TestASlowPageDelaysNeitherTheOtherNorTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := Start(t.Context(), answering(func(r *http.Request) (string, error) {
			if r.URL.Host == "dcgm" {
				<-r.Context().Done()
				return "", context.Cause(r.Context())
			}
			return usage(.4), nil
		}), []Source{engineSource, dcgmSource}, time.Second)
		time.Sleep(5500 * time.Millisecond)
		begun := time.Now()
		kv, gpu := w.Take()
		require.Equal(t, swap.Of(.4), kv)
		require.Equal(t, none, gpu)
		require.Equal(t, "1 of 1 readings failed, last with: metrics page of dcgm/metrics: context deadline exceeded", w.Problem())
		w.Close()
		w.Close()
		require.Equal(t, begun, time.Now(), "nothing of this waits for the page")
	})
}

func TestWatcherEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := Start(ctx, answering(func(r *http.Request) (string, error) {
			<-r.Context().Done()
			return "", r.Context().Err()
		}), []Source{engineSource}, time.Second)
		cancel()
		w.Close()
		require.Empty(t, w.Problem(), "the end of the watch is no fault of the page")
	})
}

func TestWatcherRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		w := Start(t.Context(), answering(func(*http.Request) (string, error) {
			if n++; n == 1 {
				return "", errors.New("connection refused, " + strings.Repeat("x", 500))
			}
			return usage(.4), nil
		}), []Source{engineSource}, time.Second)
		defer w.Close()
		time.Sleep(1500 * time.Millisecond)
		kv, _ := w.Take()
		require.Equal(t, swap.Of(.4), kv)
		require.Contains(t, w.Problem(), "1 of 2 readings failed, last with: metrics page of engine/metrics: connection refused")
		require.Less(t, len(w.Problem()), 250)
	})
}

func TestWatcherGivesNothingForABadPage(t *testing.T) {
	text := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			fmt.Fprint(w, usage(.5))
		}
	}
	for name, c := range map[string]struct {
		kind    swap.SourceKind
		handler http.HandlerFunc
		says    string
	}{
		"500":           {swap.SourceEngine, status(http.StatusInternalServerError), "answered 500"},
		"401":           {swap.SourceEngine, status(http.StatusUnauthorized), "401 Unauthorized; check the key"},
		"html":          {swap.SourceEngine, text("<html>sign in</html>"), "HTML"},
		"cut in a line": {swap.SourceEngine, text("vllm:kv_cache_usage_perc 0.9"), "cut off"},
		"cut on the way": {swap.SourceEngine, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, usage(.5))
		}, "unexpected EOF"},
		"no usage":           {swap.SourceEngine, text("tgi_queue_size 1\n"), "does not report kv_cache_usage_share"},
		"not a share":        {swap.SourceEngine, text("vllm:kv_cache_usage_perc 45\n"), "is 45, which is not from 0 to 1"},
		"twice":              {swap.SourceEngine, text("vllm:kv_cache_usage_perc 0.1\nvllm:kv_cache_usage_perc 0.2\n"), "appears twice"},
		"engine for dcgm":    {swap.SourceDCGM, text(usage(.5)), "does not report gpu_utilization_percent"},
		"not a percentage":   {swap.SourceDCGM, text(gpus(10, 9e18)), "is 9e+18, which is not from 0 to 100"},
		"dcgm without field": {swap.SourceDCGM, text("DCGM_FI_DEV_GPU_TEMP{gpu=\"0\"} 40\n"), "does not report"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(c.handler)
			defer srv.Close()
			w := Start(t.Context(), srv.Client(), []Source{{Kind: c.kind, URL: srv.URL + "/metrics?key=hunter2"}}, time.Millisecond)
			defer w.Close()
			require.Eventually(t, func() bool { return w.Problem() != "" }, 30*time.Second, time.Millisecond)
			kv, gpu := w.Take()
			require.Equal(t, none, kv)
			require.Equal(t, none, gpu)
			require.Contains(t, w.Problem(), c.says)
			require.Contains(t, w.Problem(), "metrics page of 127.0.0.1:")
			require.NotContains(t, w.Problem(), "hunter2")
		})
	}
}

func TestOnlyTheEngineGetsTheKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(file, []byte("hunter2"), 0o600))
	key, err := secret.Resolve(&swap.SecretRef{File: file})
	require.NoError(t, err)
	facts := swap.ArmFacts{URL: "http://engine/", MetricsPage: "/metrics"}
	spec := swap.Telemetry{Sources: []swap.TelemetrySource{{Kind: swap.SourceDCGM, URL: "http://dcgm/metrics"}}}
	synctest.Test(t, func(t *testing.T) {
		w := Start(t.Context(), answering(func(r *http.Request) (string, error) {
			if r.URL.Host == "dcgm" {
				require.Empty(t, r.Header.Get("Authorization"))
				return gpus(10, 20), nil
			}
			require.Equal(t, "Bearer hunter2", r.Header.Get("Authorization"))
			return usage(.4), nil
		}), Sources(spec, swap.Baseline, facts, key), time.Second)
		defer w.Close()
		synctest.Wait()
		kv, gpu := w.Take()
		require.Equal(t, swap.Of(.4), kv)
		require.Equal(t, swap.Of(.2), gpu)
	})
}

func TestSources(t *testing.T) {
	no := false
	dcgm := func(url string, arm swap.Arm) swap.TelemetrySource {
		return swap.TelemetrySource{Kind: swap.SourceDCGM, URL: url, Arm: arm}
	}
	spec := swap.Telemetry{Sources: []swap.TelemetrySource{
		dcgm("http://own", swap.Candidate), dcgm("http://other", swap.Baseline), dcgm("http://shared", ""),
		{Kind: swap.SourceNVML, Host: "h", Arm: swap.Candidate},
	}}
	facts := swap.ArmFacts{URL: "http://engine/", MetricsPage: "/metrics"}
	engine, own, shared := engineSource, Source{Kind: swap.SourceDCGM, URL: "http://own"}, Source{Kind: swap.SourceDCGM, URL: "http://shared"}
	require.Equal(t, []Source{engine, own, shared}, Sources(spec, swap.Candidate, facts, secret.Value{}))
	require.Equal(t, []Source{own, shared}, Sources(spec, swap.Candidate, swap.ArmFacts{URL: "http://engine"}, secret.Value{}))
	spec.EngineMetrics = &no
	require.Equal(t, []Source{own, shared}, Sources(spec, swap.Candidate, facts, secret.Value{}))
}
