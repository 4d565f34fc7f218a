package guidellm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/swap"
)

const good = `{"request_start_time": 100.5, "request_latency": 1.1, "time_to_first_token_ms": 50, "inter_token_latency_ms": 10,
"prompt_tokens": 32, "output_tokens": 101}`

func report(strategy, requests string) string {
	return `{"metadata": {"guidellm_version": "0.8"}, "config": {"spec": {"backend": {"model": "m"}}}, "benchmarks": [{
"config": {"strategy": ` + strategy + `}, "start_time": 1786678148.25, "duration": 5, "requests": ` + requests + `,
"metrics": {"request_totals": {"successful": 1, "errored": 1, "incomplete": 2},
"request_latency": {"successful": {"mean": 1.1, "count": 1, "percentiles": {"p50": 1.0, "p99": 2.0}}},
"time_to_first_token_ms": {"successful": {"mean": 50, "count": 1, "percentiles": {"p50": 49}}},
"inter_token_latency_ms": {"successful": {"mean": 0, "count": 0, "percentiles": {"p50": 0}}},
"output_tokens_per_second": {"successful": {"mean": 20, "count": 1}},
"output_token_count": {"successful": {"mean": 101, "count": 1}}, "prompt_token_count": {"successful": {"mean": 32, "count": 1}}}}]}`
}

const bad = `{"request_start_time": 100.0, "info": {"error": "HTTP Error 429"}}`

func read(text string) (recorded.Run, error) { return Read("g.json", strings.NewReader(text)) }

func TestRequests(t *testing.T) {
	run, err := read(report(`{"type_": "constant", "rate": 2.0, "max_concurrency": 10240}`,
		`{"successful": [`+good+`], "errored": [`+bad+`]}`))
	require.NoError(t, err)
	require.Equal(t, "m", run.Model)
	require.Equal(t, []string{"at 2 req/s 2 requests were cut off by the end of the benchmark and are left out"}, run.Notes)
	s := run.Stages[0]
	require.Equal(t, recorded.Level{Rate: 2}, s.Level)
	require.Equal(t, []recorded.Request{
		{Start: swap.Of(100), Outcome: swap.HTTP429},
		{
			Start: swap.Of(100.5), TTFT: swap.Of(50), E2E: swap.Of(1050), PromptTokens: swap.Of(32), OutputTokens: swap.Of(101), Outcome: swap.OK,
		},
	}, s.Requests)
	require.Equal(t, 2026, s.Started.Year())
}

func TestSamplesThatAreMissingLeaveSummaries(t *testing.T) {
	run, err := read(report(`{"type_": "concurrent", "streams": 8}`, `{"successful": [], "errored": [`+bad+`]}`))
	require.NoError(t, err)
	s := run.Stages[0]
	require.Equal(t, recorded.Level{Concurrency: 8}, s.Level)
	require.Contains(t, run.Notes[0], "holds 1 of 2 requests")
	require.Equal(t, map[string]float64{
		"error_rate": .5, "e2e_mean": 1100, "e2e_p50": 1000, "e2e_p99": 2000, "ttft_mean": 50, "ttft_p50": 49,
		"throughput": 20, "output_tokens_mean": 101,
	}, s.Summary, "a distribution of no values has no figures")
}

func TestStrategies(t *testing.T) {
	rate, streams := 3.0, 5.0
	for want, s := range map[string]strategy{
		"3 req/s":                   {Type: "constant", Rate: &rate},
		"3 req/s, poisson":          {Type: "poisson", Rate: &rate},
		"concurrency 1":             {Type: "synchronous"},
		"concurrency 5":             {Type: "concurrent", Streams: &streams},
		"concurrency 5, throughput": {Type: "throughput", Concurrency: &streams},
	} {
		require.Equal(t, want, s.level().String())
	}
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	for says, text := range map[string]string{
		"g.json: benchmarks: is empty":                                     `{}`,
		"g.json:1: benchmarks.duration: is string, but should be a number": `{"benchmarks": [{"duration": "long"}]}`,
		"benchmarks[0].requests.successful[0]: holds neither an error nor": report(`{}`, `{"successful": [{}], "errored": [`+bad+`]}`),
		"benchmarks[0].requests.successful[0].time_to_first_token_ms: -1 is": report(`{}`,
			`{"successful": [`+strings.Replace(good, `"time_to_first_token_ms": 50`, `"time_to_first_token_ms": -1`, 1)+`], "errored": [`+bad+`]}`),
	} {
		_, err := read(text)
		require.ErrorContains(t, err, says)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(report(`{"type_": "constant", "rate": 2.0}`, `{"successful": [`+good+`], "errored": [`+bad+`]}`))
	f.Add(`{"benchmarks": [{"start_time": 1e11, "metrics": {"request_totals": {"successful": 1e9, "incomplete": 1e300}}}]}`)
	f.Fuzz(func(_ *testing.T, text string) { _, _ = read(text) })
}
