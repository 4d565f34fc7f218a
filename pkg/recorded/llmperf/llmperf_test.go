package llmperf

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/swap"
)

const responses = `[
{"error_code": null, "error_msg": "", "inter_token_latency_s": 0.02, "ttft_s": 0.1, "end_to_end_latency_s": 2.0,
"number_output_tokens": 100, "number_input_tokens": 550},
{"error_code": null, "error_msg": "", "inter_token_latency_s": 0.03, "ttft_s": 0.2, "end_to_end_latency_s": 3.0,
"number_output_tokens": 100, "number_input_tokens": 550},
{"error_code": 429, "error_msg": "slow down", "ttft_s": 0, "end_to_end_latency_s": 0,
"number_output_tokens": 0, "number_input_tokens": 550},
{"error_code": null, "error_msg": "", "inter_token_latency_s": 0.07, "ttft_s": 0.6, "end_to_end_latency_s": 7.0,
"number_output_tokens": 97, "number_input_tokens": 550}
]`

const summary = `{"model": "m", "num_concurrent_requests": 5, "results_ttft_s_quantiles_p50": 0.2, "results_ttft_s_mean": 0.3,
"results_ttft_s_quantiles_p99": 0.592, "results_ttft_s_stddev": 0.26457513110645906, "results_number_input_tokens_min": "550",
"results_end_to_end_latency_s_quantiles_p25": 2.5, "results_number_errors": 1, "results_num_completed_requests": 3}`

func read(individual, summary string) (recorded.Run, error) {
	return Read("i.json", strings.NewReader(individual), "s.json", strings.NewReader(summary))
}

func TestResponsesWithTheirSummary(t *testing.T) {
	run, err := read(responses, summary)
	require.NoError(t, err)
	require.Equal(t, "m", run.Model)
	s := run.Stages[0]
	require.Equal(t, recorded.Level{Concurrency: 5}, s.Level)
	require.Equal(t, recorded.ByFile, s.Order)
	require.Equal(t, swap.OutcomeCounts{swap.OK: 3, swap.HTTP429: 1}, s.Outcomes)
	require.InDelta(t, 200, s.Value(swap.Gate{Metric: swap.MetricTTFT, Stat: swap.StatP50}).Or(0), 1e-9)
	require.False(t, s.Value(swap.Gate{Metric: swap.MetricThroughput}).Valid())
}

func TestASummaryOfOtherRequestsIsRefused(t *testing.T) {
	_, err := read(responses, strings.Replace(summary, "0.592", "0.593", 1))
	require.ErrorContains(t, err, "s.json: results_ttft_s_quantiles_p99: is 0.593, but the individual responses give 0.592")
}

func TestSummaryAlone(t *testing.T) {
	run, err := Read("", nil, "s.json", strings.NewReader(summary))
	require.NoError(t, err)
	s := run.Stages[0]
	require.False(t, s.Measured())
	require.Equal(t, map[string]float64{"error_rate": .25, "ttft_mean": 300, "ttft_p50": 200, "ttft_p99": 592}, s.Summary)
}

// The figures of one response are themselves; a standard deviation needs two.
func TestSummaryOfOneResponse(t *testing.T) {
	v := .5
	got := Summarise([]Response{{TTFT: &v}})
	require.InDelta(t, .5, got["results_ttft_s_quantiles_p99"], 0)
	require.NotContains(t, got, "results_ttft_s_stddev")
	require.Empty(t, Summarise(nil))
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	for says, text := range map[string]string{
		"i.json: has no request":                   `[]`,
		"i.json:1: is object, but should be":       `{}`,
		"i.json: [0].ttft_s: -1 is no length":      `[{"ttft_s": -1, "end_to_end_latency_s": 1}]`,
		"i.json: [1]: holds neither an error nor":  `[{"ttft_s": 1, "end_to_end_latency_s": 1}, {}]`,
		"i.json: [0].number_output_tokens: 0.5 is": `[{"ttft_s": 1, "end_to_end_latency_s": 1, "number_output_tokens": 0.5}]`,
	} {
		_, err := read(text, `{}`)
		require.ErrorContains(t, err, says)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(responses, summary)
	f.Add(`[{"error_code": 1e300}]`, `{"num_concurrent_requests": "1e99", "results_num_completed_requests": -1}`)
	f.Fuzz(func(_ *testing.T, individual, summary string) {
		_, _ = read(individual, summary)
		_, _ = Read("", nil, "s.json", strings.NewReader(summary))
	})
}
