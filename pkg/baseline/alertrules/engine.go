package alertrules

import (
	"slices"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/telemetry"
)

// names are the series of an engine. An empty one does not exist.
type names struct {
	// latency are histograms in seconds.
	latency map[swap.Metric]histogram
	// failed and all are counters of requests.
	failed, all counter
	// apart says that all leaves the failed ones out.
	apart bool
	// tokens is a counter of generated tokens, waiting a gauge of requests in the queue.
	tokens, waiting string
	// modelLabel names the model; empty where the engine has no such label.
	modelLabel string
}

type histogram struct {
	series string
	// ends are the upper ends of its buckets in seconds, ascending; empty where they depend on the engine's version.
	ends []float64
}

// counter is a series of requests; own are its matchers where it has none of the model's label.
type counter struct{ series, own string }

// namesOf are the series of an engine by its name in pkg/engine. Tokens and queue are those that telemetry reads.
func namesOf(name string) names {
	n := ofEngine(name)
	n.tokens, _ = telemetry.EngineSeries(name, telemetry.GenerationTokensTotal)
	n.waiting, _ = telemetry.EngineSeries(name, telemetry.RequestsWaiting)
	return n
}

func ofEngine(name string) names {
	latency := func(prefix string) map[swap.Metric]histogram {
		return map[swap.Metric]histogram{
			swap.MetricTTFT: {series: prefix + "time_to_first_token_seconds"},
			swap.MetricE2E:  {series: prefix + "e2e_request_latency_seconds"},
		}
	}
	switch name {
	case engine.VLLM:
		return names{
			latency: map[swap.Metric]histogram{
				swap.MetricTTFT: {"vllm:time_to_first_token_seconds", []float64{
					.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560,
				}},
				swap.MetricE2E: {"vllm:e2e_request_latency_seconds", []float64{
					.3, .5, .8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680,
				}},
			},
			// The web server's own counter: requests that fail before they reach the engine are in no other. It has no label of
			// the model.
			failed: counter{"http_requests_total", `handler=~"/v1/.*", status="5xx"`},
			all:    counter{"http_requests_total", `handler=~"/v1/.*"`},

			modelLabel: "model_name",
		}
	case engine.SGLang:
		return names{
			latency: latency("sglang:"), modelLabel: "model_name",
			failed: counter{"sglang:num_aborted_requests_total", ""}, all: counter{"sglang:num_requests_total", ""},
		}
	case engine.TensorRT:
		return names{latency: latency("trtllm_"), modelLabel: "model_name"}
	case engine.LMDeploy:
		return names{latency: latency("lmdeploy:"), modelLabel: "model_name"}
	case engine.TGI:
		return names{
			latency: map[swap.Metric]histogram{swap.MetricE2E: {series: "tgi_request_duration"}},
			failed:  counter{"tgi_request_failure", ""}, all: counter{"tgi_request_count", ""},
		}
	case engine.Triton:
		return names{
			failed: counter{"nv_inference_request_failure", ""},
			all:    counter{"nv_inference_request_success", ""}, apart: true, modelLabel: "model",
		}
	}
	return names{}
}

// bucketEnd is the smallest end of a bucket that is not below x seconds, or x where the buckets are not known.
func (h histogram) bucketEnd(x float64) float64 {
	at, _ := slices.BinarySearch(h.ends, x)
	if at == len(h.ends) {
		return x
	}
	return h.ends[at]
}
