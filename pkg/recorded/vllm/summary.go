package vllm

import (
	"maps"
	"slices"

	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/swap"
)

// figures are the tool's own summaries. Percentiles other than P99 are there where --percentile-metrics asked for them.
type figures struct {
	MeanTTFT   *float64 `json:"mean_ttft_ms"`
	MedianTTFT *float64 `json:"median_ttft_ms"`
	P90TTFT    *float64 `json:"p90_ttft_ms"`
	P95TTFT    *float64 `json:"p95_ttft_ms"`
	P99TTFT    *float64 `json:"p99_ttft_ms"`
	StdTTFT    *float64 `json:"std_ttft_ms"`
	MeanTPOT   *float64 `json:"mean_tpot_ms"`
	MedianTPOT *float64 `json:"median_tpot_ms"`
	P90TPOT    *float64 `json:"p90_tpot_ms"`
	P95TPOT    *float64 `json:"p95_tpot_ms"`
	P99TPOT    *float64 `json:"p99_tpot_ms"`
	StdTPOT    *float64 `json:"std_tpot_ms"`
	MeanE2E    *float64 `json:"mean_e2el_ms"`
	MedianE2E  *float64 `json:"median_e2el_ms"`
	P90E2E     *float64 `json:"p90_e2el_ms"`
	P95E2E     *float64 `json:"p95_e2el_ms"`
	P99E2E     *float64 `json:"p99_e2el_ms"`
	StdE2E     *float64 `json:"std_e2el_ms"`
}

func (f *figures) named() map[string]*float64 {
	return map[string]*float64{
		"ttft_std": f.StdTTFT, "tpot_std": f.StdTPOT, "e2e_std": f.StdE2E,
		"ttft_mean": f.MeanTTFT, "ttft_p50": f.MedianTTFT, "ttft_p90": f.P90TTFT, "ttft_p95": f.P95TTFT, "ttft_p99": f.P99TTFT,
		"tpot_mean": f.MeanTPOT, "tpot_p50": f.MedianTPOT, "tpot_p90": f.P90TPOT, "tpot_p95": f.P95TPOT, "tpot_p99": f.P99TPOT,
		"e2e_mean": f.MeanE2E, "e2e_p50": f.MedianE2E, "e2e_p90": f.P90E2E, "e2e_p95": f.P95E2E, "e2e_p99": f.P99E2E,
	}
}

// summary is the stage of a file without requests. Where nothing completed the tool writes zeros, which are no measurements.
func (d *document) summary(p *recorded.Problems, level recorded.Level) recorded.Stage {
	s := recorded.NewSummary(level, recorded.Positive(d.Duration))
	good := p.Tokens("completed", d.Completed).Or(0)
	s.Count(swap.OK, good)
	failed := p.Tokens("failed", d.Failed)
	if prompts := p.Tokens("num_prompts", d.Prompts); !failed.Valid() && prompts.Or(0) >= good {
		failed = swap.Of(prompts.Or(good) - good)
	}
	s.Count(swap.StreamError, failed.Or(0))
	if good == 0 {
		return s
	}
	named := d.named()
	for _, name := range slices.Sorted(maps.Keys(named)) {
		s.Figure(name, p.Millis(name, named[name]))
	}
	s.Figure("throughput", recorded.Positive(d.Throughput))
	s.Figure("output_tokens_mean", over(d.OutputTokens, good))
	s.PromptTokens = over(d.InputTokens, good)
	return s
}

func over(total *float64, n float64) swap.Value {
	if total == nil || n == 0 {
		return swap.Absent()
	}
	return swap.Of(*total / n)
}
