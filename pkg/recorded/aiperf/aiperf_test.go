package aiperf

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/swap"
)

func line(startNS int64, more string) string {
	return fmt.Sprintf(`{"metadata": {"request_start_ns": %d, "benchmark_phase": "profiling"%s}, "metrics": {`+
		`"time_to_first_token": {"value": 30, "unit": "ms"}, "request_latency": {"value": 1.03, "unit": "sec"}, `+
		`"output_sequence_length": {"value": 101, "unit": "tokens"}, "input_sequence_length": {"value": 50, "unit": "tokens"}}, "error": null}`,
		startNS, more) + "\n"
}

const failed = `{"metadata": {"request_start_ns": 5000000000}, "metrics": {}, "error": {"code": 503, "type": "X", "message": "no"}}` + "\n"

const settings = `{"request_count": {"unit": "requests", "avg": 2}, "error_request_count": {"avg": 1},
"benchmark_duration": {"unit": "sec", "avg": 4},
"request_latency": {"unit": "ms", "avg": 1030, "p50": 1000, "p99": 2000}, "time_to_first_token": {"unit": "ms", "avg": 30, "p95": 40},
"inter_token_latency": {"unit": "ms", "avg": 10}, "output_token_throughput": {"avg": 50},
"output_sequence_length": {"avg": 101, "p50": 101},
"input_config": {"endpoint": {"model_names": ["m"]}, "loadgen": {"concurrency": 4}}, "aiperf_version": "0.3"}`

func records(text string) (Records, error) { return ReadRecords("p.jsonl", strings.NewReader(text)) }

func TestRecords(t *testing.T) {
	warm := strings.Replace(line(1, ""), "profiling", "warmup", 1)
	r, err := records(warm + "\n" + line(6e9, "") + failed + line(4e9, "") + line(7e9, `, "was_cancelled": true`))
	require.NoError(t, err)
	run := r.Run()
	require.Equal(t, recorded.Level{}, run.Stages[0].Level)
	require.Contains(t, run.Notes[0], "1 requests that aiperf broke off")
	s := run.Stages[0]
	require.Equal(t, swap.OutcomeCounts{swap.OK: 2, swap.HTTP5xx: 1}, s.Outcomes)
	require.Equal(t, recorded.Request{
		Start: swap.Of(4), TTFT: swap.Of(30), E2E: swap.Of(1030), OutputTokens: swap.Of(101), PromptTokens: swap.Of(50), Outcome: swap.OK,
	}, s.Requests[0])
	require.Equal(t, int64(4), s.Started.Unix())
	require.InDelta(t, 3.03, s.Seconds.Or(0), 1e-9)
	require.InDelta(t, 10, s.Value(swap.Gate{Metric: swap.MetricTPOT, Stat: swap.StatP50}).Or(0), 1e-9)
}

func TestSettingsAndRecordsTogether(t *testing.T) {
	all, err := records(line(4e9, "") + line(5e9, "") + failed)
	require.NoError(t, err)
	run, err := Read("p.json", strings.NewReader(settings), &all)
	require.NoError(t, err)
	require.Equal(t, "m", run.Model)
	require.Equal(t, "0.3", run.Version)
	require.Equal(t, recorded.Level{Concurrency: 4}, run.Stages[0].Level)
	require.Len(t, run.Stages[0].Requests, 3)
	require.Empty(t, run.Notes)
}

func TestTooFewRecordsLeaveOnlySummaries(t *testing.T) {
	some, err := records(line(4e9, ""))
	require.NoError(t, err)
	for _, r := range []*Records{nil, &some} {
		run, err := Read("p.json", strings.NewReader(settings), r)
		require.NoError(t, err)
		require.Len(t, run.Notes, 1)
		require.Equal(t, map[string]float64{
			"e2e_mean": 1030, "e2e_p50": 1000, "e2e_p99": 2000, "ttft_mean": 30, "ttft_p95": 40, "tpot_mean": 10, "throughput": 50,
			"output_tokens_mean": 101, "output_tokens_p50": 101, "error_rate": 1. / 3,
		}, run.Stages[0].Summary)
		require.Equal(t, swap.Of(4), run.Stages[0].Seconds)
	}
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	for says, text := range map[string]string{
		"p.jsonl:2: is not JSON":                               line(1, "") + "{",
		"p.jsonl: has no request of the phase profiling":       "\n",
		"p.jsonl:1: metadata.request_start_ns: is missing":     `{"metadata": {}, "metrics": {}}`,
		`p.jsonl:1: metrics.request_latency: has the unit "h"`: strings.Replace(line(1, ""), `"sec"`, `"h"`, 1),
		"p.jsonl:2: metrics: holds neither an error nor":       line(1, "") + `{"metadata": {"request_start_ns": 1}, "metrics": {}}`,
		"p.jsonl:1: metadata.request_start_ns: is missing\n":   `{"request_start_ns": 1, "metadata": {}}` + "\n{}\n",
		"p.jsonl:1: metrics.time_to_first_token: -3 is no":     strings.Replace(line(1, ""), `30,`, `-3,`, 1),
	} {
		_, err := records(text)
		require.ErrorContains(t, err, says)
	}
}

func FuzzReadRecords(f *testing.F) {
	f.Add(line(1, "") + failed)
	f.Add(`{"metadata": {"request_start_ns": -9223372036854775808}, "metrics": {"request_latency": {"value": 1e308, "unit": "s"}}}`)
	f.Fuzz(func(_ *testing.T, text string) {
		if r, err := records(text); err == nil {
			_ = r.Run()
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add(settings)
	f.Add(`{"request_count": {"avg": 1e9}, "input_config": {"loadgen": {"concurrency": 1e99, "request_rate": -1}}}`)
	f.Fuzz(func(_ *testing.T, text string) { _, _ = Read("p.json", strings.NewReader(text), nil) })
}
