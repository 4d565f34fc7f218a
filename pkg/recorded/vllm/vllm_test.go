package vllm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/swap"
)

const head = `{"model_id": "m", "request_rate": 8.0, "max_concurrency": 16, "duration": 10, "completed": 2, "failed": 1, "num_prompts": 3,
"request_throughput": 0.2, "output_throughput": 3, "total_output_tokens": 30, "total_input_tokens": 64,
"mean_ttft_ms": 50, "median_ttft_ms": 40, "p99_ttft_ms": 90, "mean_tpot_ms": 10`

const lists = `, "input_lens": [32, 32, 32], "output_lens": [3, 0, 1], "ttfts": [0.05, 0.0, 0.04],
"itls": [[0.01, 0.02], [], []], "start_times": [100.5, 100.0, 101.0], "generated_texts": ["", "", ""],
"errors": ["", "Service Unavailable", ""]}`

func read(text string) (recorded.Run, error) { return Read("r.json", strings.NewReader(text)) }

func TestDetailed(t *testing.T) {
	run, err := read(head + lists)
	require.NoError(t, err)
	require.Equal(t, "m", run.Model)
	require.Empty(t, run.Notes)
	s := run.Stages[0]
	require.Equal(t, recorded.Level{Rate: 8, Concurrency: 16}, s.Level)
	require.Equal(t, swap.OutcomeCounts{swap.OK: 2, swap.HTTP5xx: 1}, s.Outcomes)
	require.Equal(t, []recorded.Request{
		{Start: swap.Of(100), PromptTokens: swap.Of(32), Outcome: swap.HTTP5xx},
		{
			Start: swap.Of(100.5), PromptTokens: swap.Of(32), OutputTokens: swap.Of(3), TTFT: swap.Of(50),
			E2E: swap.Of(1e3 * (.05 + .01 + .02)), Outcome: swap.OK,
		},
		{Start: swap.Of(101), PromptTokens: swap.Of(32), OutputTokens: swap.Of(1), TTFT: swap.Of(40), E2E: swap.Of(40), Outcome: swap.OK},
	}, s.Requests, "in the order of their start")
	tpot := s.Value(swap.Gate{Metric: swap.MetricTPOT, Stat: swap.StatMean})
	require.InDelta(t, 15, tpot.Or(0), 1e-9)
	require.Equal(t, swap.Of(10), s.Seconds)
}

// null stands for a value that is missing, not for 0.
func TestNullIsMissing(t *testing.T) {
	run, err := read(`{"model_id": "m", "completed": 4, "ttfts": [null, 0.1, 0.1, 0.1], "itls": [[0.1], [null, 0.2], null, [0.3]],
"output_lens": [2, 3, 2, null], "input_lens": [null, 1, 1, 1], "start_times": [1, 2, 3, 4]}`)
	require.NoError(t, err)
	got := run.Stages[0].Requests
	require.Equal(t, recorded.Request{Start: swap.Of(1), OutputTokens: swap.Of(2), Outcome: swap.OK}, got[0])
	for _, r := range got[1:3] {
		require.Equal(t, swap.Of(100), r.TTFT)
		require.False(t, r.E2E.Valid())
	}
	require.False(t, got[3].OutputTokens.Valid())
	require.Equal(t, swap.Of(400), got[3].E2E)
	untimed, err := read(`{"completed": 1, "ttfts": [1], "itls": [[]], "output_lens": [1], "start_times": [null]}`)
	require.NoError(t, err)
	require.Equal(t, recorded.ByFile, untimed.Stages[0].Order)
}

func TestACountThatIsNotThatOfTheListIsNoted(t *testing.T) {
	run, err := read(strings.Replace(head+lists, `"completed": 2`, `"completed": 3`, 1))
	require.NoError(t, err)
	require.Equal(t, []string{"the file counts 3 completed requests, but lists 2 without an error; the list is judged"}, run.Notes)
}

func TestAByteOrderMarkSaysNothing(t *testing.T) {
	_, err := read("\ufeff" + head + lists)
	require.NoError(t, err)
}

func TestSummariesOnly(t *testing.T) {
	run, err := read(head + "}")
	require.NoError(t, err)
	require.Len(t, run.Notes, 1)
	s := run.Stages[0]
	require.False(t, s.Measured())
	require.Equal(t, map[string]float64{
		"ttft_mean": 50, "ttft_p50": 40, "ttft_p99": 90, "tpot_mean": 10, "throughput": 3, "output_tokens_mean": 15, "error_rate": 1. / 3,
	}, s.Summary)
	require.Equal(t, swap.Of(32), s.PromptTokens)
}

// A run without an answer has zeros for all figures, which are no measurements.
func TestZerosOfAFailedRunAreNoFigures(t *testing.T) {
	run, err := read(`{"model_id": "m", "request_rate": "inf", "completed": 0, "num_prompts": 4, "mean_ttft_ms": 0.0}`)
	require.NoError(t, err)
	require.Equal(t, map[string]float64{"error_rate": 1}, run.Stages[0].Summary)
	require.Equal(t, "all at once", run.Stages[0].Level.Name)
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	for says, text := range map[string]string{
		"r.json:1: is not JSON":         `{"a": `,
		"NaN":                           ``,
		"r.json: completed: is missing": `{}`,
		`r.json: request_rate: "fast" is no rate`:       `{"completed": 0, "request_rate": "fast"}`,
		"r.json: itls: has 1 elements, but ttfts has 2": `{"completed": 2, "ttfts": [1, 2], "itls": [[]], "output_lens": [1, 1]}`,
		"r.json: output_lens: has 0 elements":           `{"completed": 2, "ttfts": [1, 2], "itls": [[]]}`,
		"r.json: ttfts[0]: -1 is no length of time":     `{"completed": 1, "ttfts": [-1], "itls": [[]], "output_lens": [1]}`,
		"r.json: itls[0]: -0.1 is no length of time":    `{"completed": 1, "ttfts": [1], "itls": [[-0.1]], "output_lens": [1]}`,
		"r.json: output_lens[0]: 1.5 is no number":      `{"completed": 1, "ttfts": [1], "itls": [[]], "output_lens": [1.5]}`,
		"r.json: ttfts[1]: holds neither an error nor":  `{"completed": 2, "ttfts": [1, null], "itls": [[], []], "output_lens": [1, null]}`,
		"r.json:2: completed: is string, but should be": "{\n\"completed\": \"many\"}",
	} {
		_, err := read(text)
		if says == "NaN" {
			_, err = read("{\"completed\": 1,\n\"duration\": NaN}")
			says = "r.json:2: is not JSON"
			var e *recorded.Error
			require.ErrorAs(t, err, &e)
			require.Contains(t, e.Next()[0], "NaN or Infinity")
		}
		require.ErrorContains(t, err, says)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(head + lists)
	f.Add(head + "}")
	f.Add(`{"completed": 1e300, "request_rate": 1e-300, "ttfts": [1e308], "itls": [[1e308, 1e308]], "output_lens": [1e308]}`)
	f.Add(`{"completed": 1, "max_concurrency": 1e30, "ttfts": [], "itls": [], "output_lens": []}`)
	f.Fuzz(func(_ *testing.T, text string) { _, _ = read(text) })
}
