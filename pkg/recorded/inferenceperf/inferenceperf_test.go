package inferenceperf

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/swap"
)

func stage(rate float64, good, failed int) string {
	return fmt.Sprintf(`{"load_summary": {"count": %d, "requested_rate": %g, "achieved_rate": %g}, "successes": {"count": %d,
"latency": {"request_latency": {"mean": 0.5, "median": 0.4, "p99": 0.9}, "time_to_first_token": {"mean": 0.03, "p95": 0.04},
"time_per_output_token": {"mean": 0.01}}, "throughput": {"output_tokens_per_sec": 64}, "prompt_len": {"mean": 200},
"output_len": {"mean": 63}},
"failures": {"count": %d}}`, good+failed, rate, rate, good, failed)
}

const requestsFile = `[
{"start_time": 10.0, "end_time": 11.1, "info": {"input_tokens": 5, "output_tokens": 11,
"output_token_times": [10.1, 10.5, 11.0]}, "error": null},
{"start_time": 2.0, "end_time": 3.0, "error": {"error_type": "HTTP Error 503", "error_msg": ""}},
{"start_time": 12.0, "end_time": 13.1, "error": null, "computed_metrics": {"time_to_first_token": 0.1, "time_per_output_token": 0.01,
"input_tokens": 5, "output_tokens": 11}}]`

func file(name, text string) File {
	return File{Base: name, Name: name, Content: strings.NewReader(text)}
}

func TestStagesWithTheirRequests(t *testing.T) {
	run, err := Read("d", []File{
		file(PerRequestName, requestsFile), file("stage_1_lifecycle_metrics.json", stage(8, 2, 0)),
		file("stage_0_lifecycle_metrics.json", stage(1, 0, 1)), file(SummaryName, stage(8, 2, 1)),
	})
	require.NoError(t, err)
	require.Len(t, run.Stages, 2)
	require.Empty(t, run.Notes)
	require.Equal(t, recorded.Level{Rate: 1}, run.Stages[0].Level)
	require.Equal(t, swap.OutcomeCounts{swap.HTTP5xx: 1}, run.Stages[0].Outcomes)
	got := run.Stages[1].Requests
	require.Len(t, got, 2)
	require.InDelta(t, 100, got[0].TTFT.Or(0), 1e-6)
	require.InDelta(t, 1000, got[0].E2E.Or(0), 1e-6, "the last token")
	require.InDelta(t, 200, got[1].E2E.Or(0), 1e-6)
}

// null stands for a value that is missing, not for 0.
func TestNullIsMissing(t *testing.T) {
	run, err := Read("d", []File{file(PerRequestName, `[{"start_time": 10, "end_time": 11, "error": null, "info": {"input_tokens": null,
"output_tokens": 3, "output_token_times": [null, 10.5, 11]}}, {"start_time": 11, "end_time": 12, "error": null, "computed_metrics":
{"time_to_first_token": null, "time_per_output_token": null, "output_tokens": 3}}]`)})
	require.NoError(t, err)
	require.Equal(t, []recorded.Request{
		{Start: swap.Of(10), E2E: swap.Of(1000), OutputTokens: swap.Of(3), Outcome: swap.OK},
		{Start: swap.Of(11), E2E: swap.Of(1000), OutputTokens: swap.Of(3), Outcome: swap.OK},
	}, run.Stages[0].Requests)
}

func TestSummaries(t *testing.T) {
	run, err := Read("d", []File{file("stage_0_lifecycle_metrics.json", stage(1, 3, 1))})
	require.NoError(t, err)
	require.Equal(t, map[string]float64{
		"e2e_mean": 500, "e2e_p50": 400, "e2e_p99": 900, "ttft_mean": 30, "ttft_p95": 40, "tpot_mean": 10, "throughput": 64,
		"output_tokens_mean": 63, "error_rate": .25,
	}, run.Stages[0].Summary)
	require.Contains(t, run.Notes[0], "there are only summaries")
	whole, err := Read("d", []File{file(SummaryName, stage(1, 3, 1))})
	require.NoError(t, err)
	require.Equal(t, "1 req/s, all stages", whole.Stages[0].Level.String())
}

func TestRequestsThatDoNotAddUpLeaveSummaries(t *testing.T) {
	run, err := Read("d", []File{file(PerRequestName, requestsFile), file("stage_0_lifecycle_metrics.json", stage(1, 9, 0))})
	require.NoError(t, err)
	require.False(t, run.Stages[0].Measured())
	require.Contains(t, run.Notes[0], "holds 3 requests, but the stages count 9")
}

func TestAStageThatWasNotHeldIsNoted(t *testing.T) {
	slow := strings.Replace(stage(100, 9, 0), `"achieved_rate": 100`, `"achieved_rate": 50`, 1)
	run, err := Read("d", []File{file("stage_0_lifecycle_metrics.json", slow)})
	require.NoError(t, err)
	require.Contains(t, run.Notes[0], "at 100 req/s only 50 req/s were sent")
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	for says, f := range map[string]File{
		"stage_0_lifecycle_metrics.json: successes.count: is missing": file("stage_0_lifecycle_metrics.json", `{}`),
		"stage_99999_lifecycle_metrics.json: is of stage 99999":       file("stage_99999_lifecycle_metrics.json", `{}`),
		PerRequestName + ": has 0 requests":                           file(PerRequestName, `[]`),
		PerRequestName + ": [0].start_time: or end_time is missing":   file(PerRequestName, `[{"start_time": 1}]`),
		PerRequestName + ": [0]: holds neither an error nor":          file(PerRequestName, `[{"start_time": 1, "end_time": 2}]`),
		PerRequestName + ": [0].end_time: -1 is no length of time":    file(PerRequestName, `[{"start_time": 1, "end_time": 0}]`),
	} {
		_, err := Read("d", []File{f})
		require.ErrorContains(t, err, says)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(stage(1, 2, 1), requestsFile)
	f.Add(stage(1e300, 1<<30, 1<<30), `[{"start_time": 1e308, "end_time": -1e308}]`)
	f.Fuzz(func(_ *testing.T, stage, requests string) {
		_, _ = Read("d", []File{file("stage_0_lifecycle_metrics.json", stage), file(PerRequestName, requests)})
		_, _ = Read("d", []File{file(PerRequestName, requests)})
	})
}
