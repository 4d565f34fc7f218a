package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// tableOfBlock writes n requests, each R@0, C1@200, C3 (3 tokens)@230, F@231, usage 4; the first is in settle time, the last
// failed.
func tableOfBlock(t *testing.T, block int32, arm swap.Arm, n int) string {
	t.Helper()
	us := func(ms int64) *int64 { v := 1000 * ms; return &v }
	tokens := int32(4)
	rows := make([]rawlog.Record, n)
	for i := range rows {
		rows[i] = rawlog.Record{
			Step: 1, Block: block, Seq: int32(i), Arm: string(arm), Measured: i > 0, SentUnixNS: 1, Outcome: string(swap.OK),
			RoleUS: us(0), FirstUS: us(200), VisibleUS: us(200), LastUS: us(230), FinishUS: us(231), EndUS: us(231),
			Chunks: 2, ChunkGapsUS: []int64{30_000}, ChunkTokens: []int32{1, 3}, OutputTokens: &tokens,
		}
	}
	rows[n-1].Outcome = string(swap.HTTP5xx)
	path := filepath.Join(t.TempDir(), "requests.parquet")
	require.NoError(t, parquet.WriteFile(path, rows))
	return path
}

func TestMetricsTable(t *testing.T) {
	files := []string{tableOfBlock(t, 1, swap.Candidate, 12), tableOfBlock(t, 2, swap.Baseline, 700)}
	got := swapgate(t.Context(), nil, append([]string{"metrics", "--profile", "vllm"}, files...)...)
	require.Equal(t, exitPass, got.code, got.stderr)
	require.Empty(t, got.stderr)
	require.Equal(t, `profile vllm, percentiles numpy-linear, of good requests in the measured time

baseline: 700 requests, 1 of them in settle time: 699 ok, 1 http_5xx
         metric    unit  requests  mean  P50  P90  P95  P99
           ttft      ms       698     0    0    0    0    0
            itl      ms       698    77   30  200  200  200
           tpot      ms       698    77   77   77   77   77
            e2e      ms       698   231  231  231  231  231
  output_tokens  tokens       698     4    4    4    4    4

    load  blocks  requests/s  tokens/s
  step 1       1        3022     12087

candidate: 12 requests, 1 of them in settle time: 11 ok, 1 http_5xx
         metric    unit  requests  mean  P50  P90  P95  P99
           ttft      ms        10     0    0    0    0  n/a
            itl      ms        10    77   30  200  200  n/a
           tpot      ms        10    77   77   77   77  n/a
            e2e      ms        10   231  231  231  231  n/a
  output_tokens  tokens        10     4    4    4    4  n/a
ttft: P99 needs 662 requests, 10 have it
itl: P99 needs 662 requests, 10 have it
tpot: P99 needs 662 requests, 10 have it
e2e: P99 needs 662 requests, 10 have it
output_tokens: P99 needs 662 requests, 10 have it

    load  blocks  requests/s  tokens/s
  step 1       1        43.3       173

ttft           role − send: the first chunk with a choice counts, even if it is empty
itl            gap between chunks with a choice, the empty first and the finish chunk among them
tpot           (last chunk with a choice − role) / (N − 1)
e2e            last chunk with a choice − send
output_tokens  server's usage (the tool falls back to its tokenizer)
requests/s     successful requests / (end of the last request − send of the first)
tokens/s       output tokens of all successful requests / (end of the last request − send of the first)
`, got.stdout)
}

func TestMetricsJSON(t *testing.T) {
	file := tableOfBlock(t, 1, swap.Candidate, 12)
	got := swapgate(t.Context(), nil, "metrics", file, "-o", "json")
	require.Equal(t, exitPass, got.code, got.stderr)
	var report metricsReport
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &report))
	require.Equal(t, "canonical", report.Profile)
	require.Equal(t, []string{file}, report.Files)
	require.Len(t, report.Arms, 1)
	require.Equal(t, swap.OutcomeCounts{swap.OK: 11, swap.HTTP5xx: 1}, report.Arms[0].Outcomes)
	require.Len(t, report.Arms[0].Metrics, len(report.Definitions))
	ttft := report.Arms[0].Metrics[0]
	require.Equal(t, swap.Of(200), ttft.P50)
	require.False(t, ttft.P99.Valid())
	require.Contains(t, got.stdout, `"p99": null`)
	require.Contains(t, report.Throughput.Tokens, "measured time")
	step := report.Arms[0].Throughput[0]
	require.Equal(t, 1, step.Step)
	require.False(t, step.Requests.Valid(), "all were planned at one moment, so that the measured time cannot be told")
}

// Beside its seal, a table has the throughput of the verdict.
func TestMetricsTakesTheMeasuredTimeFromTheSeal(t *testing.T) {
	block := t.TempDir()
	table := filepath.Join(block, "attempt", "requests.parquet")
	require.NoError(t, os.Mkdir(filepath.Dir(table), 0o700))
	data, err := os.ReadFile(tableOfBlock(t, 1, swap.Candidate, 12))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(table, data, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(block, "sealed.json"), []byte(`{"result":{"measured_ms":5000}}`), 0o600))
	got := swapgate(t.Context(), nil, "metrics", table, "-o", "json")
	require.Equal(t, exitPass, got.code, got.stderr)
	var report metricsReport
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &report))
	step := report.Arms[0].Throughput[0]
	require.InDelta(t, 10.0/5, step.Requests.Or(0), 1e-9)
	require.InDelta(t, 40.0/5, step.Tokens.Or(0), 1e-9)
	require.Empty(t, step.Note)
}

func TestMetricsRefusesWhatItCannotRead(t *testing.T) {
	type older struct {
		Step int32 `parquet:"step"`
	}
	old := filepath.Join(t.TempDir(), "old.parquet")
	require.NoError(t, parquet.WriteFile(old, []older{{Step: 1}}))
	text := filepath.Join(t.TempDir(), "text.parquet")
	require.NoError(t, os.WriteFile(text, []byte("hello"), 0o600))
	good := tableOfBlock(t, 1, swap.Candidate, 12)
	again := tableOfBlock(t, 1, swap.Candidate, 12)
	folder := t.TempDir()
	within := filepath.Join(folder, "*", "*", "requests.parquet")
	for says, c := range map[string]struct {
		args []string
		next string
	}{
		"takes at least one FILE, but got none":                                    {nil, "--help"},
		`unknown profile "wrk": use one of canonical, vllm`:                        {[]string{"--profile", "wrk", good}, "--help"},
		`unknown format "text": use json or table`:                                 {[]string{"-o", "text", good}, "--help"},
		"no-such.parquet: no such file":                                            {[]string{good, "no-such.parquet"}, "copied to this machine"},
		"block-*/requests.parquet: no file matches":                                {[]string{"block-*/requests.parquet"}, "check the pattern"},
		folder + ": is a folder":                                                   {[]string{folder}, within},
		`old.parquet: not a table of schema requests/v2: it has no column "block"`: {[]string{good, old}, "that this version wrote"},
		"text.parquet: ": {[]string{text}, "that this version wrote"},
		"block 1 of step 1 is in " + good + " and in " + again: {[]string{good, again}, "of two runs: give the tables of one run at a time"},
	} {
		t.Run(says, func(t *testing.T) {
			got := swapgate(t.Context(), nil, append([]string{"metrics"}, c.args...)...)
			require.Equal(t, exitUsage, got.code)
			require.Contains(t, got.stderr, says)
			require.Contains(t, got.stderr, c.next)
			require.Regexp(t, `(?s)^swapgate: `, got.stderr)
			require.Empty(t, got.stdout)
		})
	}
}
