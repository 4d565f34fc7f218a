package engine

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// The bucket bounds of vLLM, in seconds.
var (
	ttftBuckets = []float64{
		.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560,
	}
	itlBuckets = []float64{.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80}
	e2eBuckets = []float64{
		.3, .5, .8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680,
	}
)

// metrics is the server's Prometheus page, under the names of vLLM.
type metrics struct {
	page             http.Handler
	promptTokens     prometheus.Counter
	generationTokens prometheus.Counter
	finished         *prometheus.CounterVec
	ttft, itl, e2e   prometheus.Histogram
}

func newMetrics(e *Engine) *metrics {
	registry := prometheus.NewRegistry()
	labelled := prometheus.WrapRegistererWith(prometheus.Labels{"model_name": e.cfg.Model, "engine": "0"}, registry)
	m := &metrics{
		page:             promhttp.HandlerFor(registry, promhttp.HandlerOpts{}),
		promptTokens:     counter("vllm:prompt_tokens_total", "Number of prefill tokens processed."),
		generationTokens: counter("vllm:generation_tokens_total", "Number of generation tokens processed."),
		finished: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "vllm:request_success_total", Help: "Count of finished requests.",
		}, []string{"finished_reason"}),
		ttft: histogram("vllm:time_to_first_token_seconds", "Time to first token.", ttftBuckets),
		itl:  histogram("vllm:inter_token_latency_seconds", "Time between two tokens of an answer.", itlBuckets),
		e2e:  histogram("vllm:e2e_request_latency_seconds", "Time from arrival to the last token.", e2eBuckets),
	}
	for _, reason := range []string{"stop", "length", "abort", "error"} {
		m.finished.WithLabelValues(reason)
	}
	labelled.MustRegister(m.promptTokens, m.generationTokens, m.finished, m.ttft, m.itl, m.e2e)
	labelled.MustRegister(schedulerMetrics(e)...)
	labelled.MustRegister(constant("vllm:cache_config_info", "Information of the cache configuration.", 1, prometheus.Labels{
		"block_size":            strconv.Itoa(blockTokens),
		"num_gpu_blocks":        strconv.Itoa(e.cfg.KVTokens / blockTokens),
		"enable_prefix_caching": strconv.FormatBool(e.cfg.PrefixCache),
	}))
	registry.MustRegister(constant("process_start_time_seconds", "Start time of the server since the Unix epoch.",
		float64(e.started.UnixNano())/1e9, nil))
	return m
}

// schedulerMetrics read the scheduler's state when the page is asked for.
func schedulerMetrics(e *Engine) []prometheus.Collector {
	read := func(value func(s *scheduler) float64) func() float64 {
		return func() float64 {
			e.mu.Lock()
			defer e.mu.Unlock()
			return value(e.sched)
		}
	}
	gauge := func(name, help string, value func(s *scheduler) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read(value))
	}
	count := func(name, help string, value func(s *scheduler) float64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, read(value))
	}
	return []prometheus.Collector{
		gauge("vllm:num_requests_running", "Number of requests in service.",
			func(s *scheduler) float64 { return float64(s.active()) }),
		gauge("vllm:num_requests_waiting", "Number of requests waiting for service.",
			func(s *scheduler) float64 { return float64(len(s.waiting)) }),
		gauge("vllm:kv_cache_usage_perc", "KV cache usage, 1 is all of it.",
			func(s *scheduler) float64 { return s.kv.usage() }),
		count("vllm:num_preemptions_total", "Cumulative number of preemptions.",
			func(s *scheduler) float64 { return float64(s.preemptions) }),
		count("vllm:prefix_cache_queries_total", "Prompt tokens looked up in the prefix cache.",
			func(s *scheduler) float64 { return float64(s.cacheQueries) }),
		count("vllm:prefix_cache_hits_total", "Prompt tokens found in the prefix cache.",
			func(s *scheduler) float64 { return float64(s.cacheHits) }),
	}
}

// observeToken counts one token; since is the time since the token before, or since the arrival for the first.
func (m *metrics) observeToken(since time.Duration, first bool) {
	m.generationTokens.Inc()
	if first {
		m.ttft.Observe(since.Seconds())
		return
	}
	m.itl.Observe(since.Seconds())
}

// observeEnd counts a request that ended; only whole answers have an end-to-end latency.
func (m *metrics) observeEnd(reason string, e2e time.Duration) {
	m.finished.WithLabelValues(reason).Inc()
	if reason == "stop" || reason == "length" {
		m.e2e.Observe(e2e.Seconds())
	}
}

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
}

func histogram(name, help string, buckets []float64) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets})
}

func constant(name, help string, value float64, labels prometheus.Labels) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels},
		func() float64 { return value })
}
