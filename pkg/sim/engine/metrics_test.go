package engine

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
)

func scrape(t *testing.T, e *Engine) map[string]*dto.MetricFamily {
	t.Helper()
	rec := ask(t, e, "GET", "/metrics", "")
	require.Equal(t, 200, rec.Code)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(rec.Body)
	require.NoError(t, err)
	return families
}

func TestMetricsPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		e := startExact(t, nil)
		for range 2 {
			ask(t, e, "POST", "/v1/chat/completions", chat("a", 49, 3))
		}
		page := scrape(t, e)
		for _, f := range page {
			if f.GetName() == "process_start_time_seconds" {
				require.InDelta(t, float64(begun.UnixNano())/1e9, f.GetMetric()[0].GetGauge().GetValue(), 1e-3)
				continue
			}
			labels := map[string]string{}
			for _, l := range f.GetMetric()[0].GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			require.Equal(t, "m", labels["model_name"], f.GetName())
			require.Equal(t, "0", labels["engine"], f.GetName())
		}
		counterValue := func(name string) float64 { return page[name].GetMetric()[0].GetCounter().GetValue() }
		require.InDelta(t, 100, counterValue("vllm:prompt_tokens_total"), 0)
		require.InDelta(t, 6, counterValue("vllm:generation_tokens_total"), 0)
		require.InDelta(t, 100, counterValue("vllm:prefix_cache_queries_total"), 0)
		require.InDelta(t, 48, counterValue("vllm:prefix_cache_hits_total"), 0)
		require.InDelta(t, 0, counterValue("vllm:num_preemptions_total"), 0)
		require.InDelta(t, 1, page["vllm:cache_config_info"].GetMetric()[0].GetGauge().GetValue(), 0)
		finished := map[string]float64{}
		for _, m := range page["vllm:request_success_total"].GetMetric() {
			for _, l := range m.GetLabel() {
				if l.GetName() == "finished_reason" {
					finished[l.GetValue()] = m.GetCounter().GetValue()
				}
			}
		}
		require.Equal(t, map[string]float64{"length": 2, "stop": 0, "abort": 0, "error": 0}, finished)
		// 10 ms for the first request, 5.2 ms for the second, of whose 50 prompt tokens 48 were cached.
		for name, want := range map[string]struct {
			n   uint64
			sum float64
		}{
			"vllm:time_to_first_token_seconds": {2, 0.0152},
			"vllm:inter_token_latency_seconds": {4, 0.016},
			"vllm:e2e_request_latency_seconds": {2, 0.0312},
		} {
			h := page[name].GetMetric()[0].GetHistogram()
			require.Equal(t, want.n, h.GetSampleCount(), name)
			require.InDelta(t, want.sum, h.GetSampleSum(), 1e-9, name)
		}
	})
}

func TestGaugesShowTheLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startExact(t, func(c *Config) { c.MaxBatch = 2 })
		for i := range 3 {
			require.NoError(t, e.submit(newSequence(words(fmt.Sprint("a", i), 50), 10, "length", healthy())))
		}
		page := scrape(t, e)
		gauge := func(name string) float64 { return page[name].GetMetric()[0].GetGauge().GetValue() }
		require.InDelta(t, 2, gauge("vllm:num_requests_running"), 0)
		require.InDelta(t, 1, gauge("vllm:num_requests_waiting"), 0)
		require.InDelta(t, 8.0/4096, gauge("vllm:kv_cache_usage_perc"), 1e-9)
	})
}
