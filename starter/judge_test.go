package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// vllmResult writes a result of vllm bench with n requests, of which every latency is slow times as long, and failed of them.
func vllmResult(t *testing.T, seed uint64, n, failed int, slow float64) string {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 3))
	doc := map[string]any{
		"model_id": "m", "request_rate": 4.0, "completed": n - failed, "failed": failed, "request_throughput": 4.0, "duration": float64(n) / 4,
	}
	var ttfts, starts, lens []float64
	var itls [][]float64
	var errs []string
	for i := range n {
		starts, lens = append(starts, float64(i)/4), append(lens, 3)
		ttfts = append(ttfts, slow*.1*math.Exp(.2*random.NormFloat64()))
		itls = append(itls, []float64{slow * .01, slow * .01})
		errs = append(errs, "")
		if i < failed {
			errs[i], ttfts[i], itls[i], lens[i] = "Internal Server Error", 0, []float64{}, 0
		}
	}
	doc["ttfts"], doc["start_times"], doc["output_lens"], doc["itls"], doc["errors"] = ttfts, starts, lens, itls, errs
	data, err := json.Marshal(doc)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "result.json")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

func TestJudgeExitsByTheVerdict(t *testing.T) {
	before, same, slow := vllmResult(t, 1, 4000, 0, 1), vllmResult(t, 2, 4000, 0, 1), vllmResult(t, 3, 4000, 0, 1.5)
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{before, slow}, exitFail, "✘ FAIL"},
		{[]string{slow, before, "--gate", "ttft:p95:10%", "--gate", "tpot:mean"}, exitPass, "✔ PASS"},
		{[]string{before, same, "--gate", "ttft:p50:10%", "--gate", "error_rate:1%"}, exitPass, "✔ PASS"},
		{[]string{before, same, "--gate", "ttft:p50:10%", "--baseline-noise", "30%"}, exitInconclusive, "? INCONCLUSIVE"},
		{[]string{before, slow, "--gate", "ttft:p50:500ms"}, exitPass, "✔ PASS"},
		{[]string{before, vllmResult(t, 4, 4000, 400, .5), "--gate", "error_rate"}, exitFail, "mostly with http_5xx"},
		{[]string{before, slow, "-f", specFile}, exitFail, "✘ FAIL"},
		{[]string{before, slow, "-f", specFile, "--gate", "tpot:p50:90%"}, exitPass, "✔ PASS"},
		{[]string{before, slow, "--format", "vllm", "-o", "markdown"}, exitFail, "FAIL"},
	} {
		got := swapgate(t.Context(), nil, append([]string{"judge"}, c.args...)...)
		require.Equal(t, c.code, got.code, "%v\n%s%s", c.args, got.stdout, got.stderr)
		require.Contains(t, got.stdout, c.says)
	}
}

func TestJudgeHandsOutTheVerdictDocument(t *testing.T) {
	before, slow := vllmResult(t, 1, 1200, 0, 1), vllmResult(t, 3, 1200, 0, 1.5)
	file := filepath.Join(t.TempDir(), "verdict.json")
	got := swapgate(t.Context(), nil, "judge", before, slow, "-o", "json", "--write", "json="+file)
	require.Equal(t, exitFail, got.code, got.stderr)
	require.Empty(t, got.stderr, "findings are in the document")
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, got.stdout, string(written))
	var v swap.Verdict
	require.NoError(t, json.Unmarshal(written, &v))
	require.Equal(t, swap.Fail, v.Verdict)
	require.Equal(t, "m", v.Arms.Candidate.Model)
	require.Equal(t, swap.StageCompare, v.Stage)
	require.NotEmpty(t, v.Provenance.EvidenceSHA256)
	require.NotEmpty(t, v.Provenance.Version)
	require.NotEmpty(t, v.Findings)
	again := swapgate(t.Context(), nil, "judge", before, slow, "-o", "json")
	require.Equal(t, got.stdout, again.stdout, "the same runs give the same bytes")
}

func TestJudgeSaysInTextWhatTheRunsLack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"model_id": "m", "completed": 9, "request_throughput": 1, "median_ttft_ms": 50}`), 0o600))
	got := swapgate(t.Context(), nil, "judge", path, path)
	require.Equal(t, exitInconclusive, got.code)
	require.Contains(t, got.stderr, "note: baseline: the file has only summaries: record with --save-result --save-detailed\n")
	require.Contains(t, got.stdout, "[LOW_N]")
	require.Contains(t, got.stdout, "TTFT P50 +0.0 %, without bounds")
}

// vllmSummary writes what vllm bench saves without --save-detailed, of 8000 requests and a median TTFT in ms.
func vllmSummary(t *testing.T, rate, median float64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "summary.json")
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, `{"model_id": "m", "completed": 8000, "failed": 0, "request_throughput": 1,
		"request_rate": %g, "duration": 600, "output_throughput": %g, "mean_ttft_ms": %g, "median_ttft_ms": %g,
		"std_ttft_ms": 20, "p99_ttft_ms": %g, "mean_e2el_ms": 900, "std_e2el_ms": 90}`, rate, 1e5/median, 1.02*median, median, 2*median), 0o600))
	return path
}

func TestJudgeSummaries(t *testing.T) {
	slow, fast, busy := vllmSummary(t, 4, 100), vllmSummary(t, 4, 60), vllmSummary(t, 5, 60)
	gates := []string{"--gate", "ttft:p50:10%", "--gate", "ttft:p99:20%", "--gate", "error_rate"}
	for _, c := range []struct {
		baseline, candidate string
		code                int
		says                string
	}{
		{slow, fast, exitPass, "note: runs: recorded as summaries, without blocks: this comparison is weaker"},
		{fast, slow, exitFail, "note: runs: recorded as summaries"},
		{slow, busy, exitPass, "note: load: the runs have few load levels in common, so unlike ones are compared"},
		{busy, slow, exitFail, "note: load: the runs have few load levels in common"},
		{fast, vllmSummary(t, 5, 100), exitInconclusive, "note: load: the runs have few load levels in common"},
	} {
		got := swapgate(t.Context(), nil, append([]string{"judge", c.baseline, c.candidate}, gates...)...)
		require.Equal(t, c.code, got.code, got.stdout)
		require.Contains(t, got.stderr, c.says)
	}
}

func TestJudgeOneRunOfOurs(t *testing.T) {
	folder := t.TempDir()
	for block := 1; block <= 24; block++ {
		arm := swap.Baseline
		if block%4 == 2 || block%4 == 3 {
			arm = swap.Candidate
		}
		place := filepath.Join(folder, fmt.Sprintf("block-%03d-%s", block, arm))
		require.NoError(t, os.Mkdir(place, 0o700))
		require.NoError(t, os.Rename(tableOfBlock(t, int32(block), arm, 40), filepath.Join(place, "requests.parquet")))
	}
	got := swapgate(t.Context(), nil, "judge", folder, "--gate", "output_tokens:mean:10%")
	require.Equal(t, exitInconclusive, got.code, "the tables have no pairs: %s", got.stdout)
	same := swapgate(t.Context(), nil, "judge", folder, folder, "--gate", "output_tokens:mean:10%")
	require.Equal(t, got.stdout, same.stdout, "both arms of one run")
	require.NotContains(t, same.stderr, "interleaved")
	got = swapgate(t.Context(), nil, "judge", folder, "--candidate-arm", "baseline")
	require.Equal(t, exitUsage, got.code)
	require.Contains(t, got.stderr, "both name the arm baseline")
	got = swapgate(t.Context(), nil, "judge", folder, folder, "--gate", "output_tokens:mean:10%", "--candidate-arm", "baseline")
	require.Equal(t, exitPass, got.code, got.stdout)
	require.Contains(t, got.stderr, "there is no manifest.json")
}

// The two arms of one run can change their places.
func TestJudgeOneRunWithItsArmsSwapped(t *testing.T) {
	folder := t.TempDir()
	for i := range int32(24) {
		arm := swap.Baseline
		if i%4 == 1 || i%4 == 2 {
			arm = swap.Candidate
		}
		rows := make([]rawlog.Record, 40)
		for k := range rows {
			ttft := int64(100_000 + 1000*((int(i)*7+k*13)%40))
			if arm == swap.Candidate {
				ttft *= 2
			}
			rows[k] = rawlog.Record{
				Step: 1, Block: i + 1, Pair: i/2 + 1, Seq: int32(k), Arm: string(arm), Measured: true, SentUnixNS: 1, Outcome: string(swap.OK),
				FirstUS: &ttft, LastUS: &ttft,
			}
		}
		place := filepath.Join(folder, fmt.Sprintf("block-%03d", i+1))
		require.NoError(t, os.Mkdir(place, 0o700))
		require.NoError(t, parquet.WriteFile(filepath.Join(place, "requests.parquet"), rows))
	}
	for _, c := range []struct {
		code   int
		change float64
		args   []string
	}{
		{exitFail, 1, nil},
		{exitPass, -.5, []string{"--baseline-arm", "candidate", "--candidate-arm", "baseline"}},
		{exitPass, -.5, []string{folder, "--baseline-arm", "candidate", "--candidate-arm", "baseline"}},
	} {
		args := append([]string{"judge", folder, "--gate", "ttft:p50:10%", "-o", "json"}, c.args...)
		got := swapgate(t.Context(), nil, args...)
		require.Equal(t, c.code, got.code, "%s%s", got.stdout, got.stderr)
		var v swap.Verdict
		require.NoError(t, json.Unmarshal([]byte(got.stdout), &v))
		require.InDelta(t, c.change, v.Gates[0].Change.Or(0), .05)
	}
}

func TestJudgeRefusesWhatItCannotJudge(t *testing.T) {
	result := vllmResult(t, 1, 20, 0, 1)
	guide := filepath.Join(t.TempDir(), "g.json")
	require.NoError(t, os.WriteFile(guide, []byte(`{"metadata": {}, "benchmarks": [{}]}`), 0o600))
	text := filepath.Join(t.TempDir(), "x.txt")
	require.NoError(t, os.WriteFile(text, []byte("hello"), 0o600))
	broken := filepath.Join(t.TempDir(), "b.json")
	require.NoError(t, os.WriteFile(broken, []byte(`{"model_id": "m", "completed": 1, "request_throughput": 1, "ttfts": [1]}`), 0o600))
	parquet := filepath.Join(t.TempDir(), "x.parquet")
	require.NoError(t, os.WriteFile(parquet, []byte("PAR1"), 0o600))
	for says, c := range map[string]struct {
		args []string
		next string
	}{
		"takes BASELINE and CANDIDATE":                        {nil, "--help"},
		`unknown format "wrk": use one of auto, swapgate`:     {[]string{"--format", "wrk", result, result}, "--help"},
		"unknown format \"xml\": use one of json":             {[]string{"-o", "xml", result, result}, "--help"},
		`--candidate-arm "both": use baseline or candidate`:   {[]string{"--candidate-arm", "both", result, result}, "--help"},
		`--baseline-noise "much": want a share`:               {[]string{"--baseline-noise", "much", result, result}, "--help"},
		`--gate "ttft:p99:fast": "fast" is neither`:           {[]string{"--gate", "ttft:p99:fast", result, result}, "--help"},
		`--gate "error_rate:5ms": "5ms" has the unit ms, but`: {[]string{"--gate", "error_rate:5ms", result, result}, "--help"},
		`--gate "ttft": stat: `:                               {[]string{"--gate", "ttft", result, result}, "--help"},
		`--gate "speed": metric: `:                            {[]string{"--gate", "speed", result, result}, "--help"},
		"is a run of one service: name the run of the other":  {[]string{result}, "--help"},
		"none.json: no such file or directory":                {[]string{"none.json", result}, "check the path"},
		"recorded by different tools":                         {[]string{result, guide}, "one tool"},
		"x.txt: is not JSON":                                  {[]string{text, result}, "give a result of vllm bench"},
		"b.json: itls: has 0 elements, but ttfts has 1":       {[]string{broken, result}, "--save-detailed"},
		"x.parquet: ": {[]string{parquet, result}, "that this version wrote"},
		"which store s3://b/runs/t/r is in has to be told":     {[]string{"s3://b/runs/t/r"}, "--help"},
		"--candidate-arm baseline: " + result + " is a run of": {[]string{"--candidate-arm", "baseline", result, result}, "--help"},
		"is a result of vllm, not of llmperf":                  {[]string{"--format", "llmperf", result, result}, "leave --format out"},
	} {
		t.Run(says, func(t *testing.T) {
			got := swapgate(t.Context(), nil, append([]string{"judge"}, c.args...)...)
			require.Equal(t, exitUsage, got.code, got.stdout)
			require.Contains(t, got.stderr, says)
			require.Contains(t, got.stderr, c.next)
			require.Empty(t, got.stdout)
		})
	}
}

func TestGateLines(t *testing.T) {
	for text, want := range map[string]string{
		"ttft:p99":              `  - {metric: "ttft", stat: p99}` + "\n",
		"ttft:p99:10%":          `  - {metric: "ttft", stat: p99, margin: 0.1, unit: relative}` + "\n",
		"ttft:p50:25ms":         `  - {metric: "ttft", stat: p50, margin: 25, unit: absolute}` + "\n",
		"error_rate:0.5%":       `  - {metric: "error_rate", margin: 0.005, unit: absolute}` + "\n",
		"throughput:0.05":       `  - {metric: "throughput", margin: 0.05, unit: relative}` + "\n",
		"output_tokens:3tokens": `  - {metric: "output_tokens", margin: 3, unit: absolute}` + "\n",
	} {
		got, err := gateLine(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"ttft:p98", "ttft:-5%", "ttft:NaN", "ttft:Inf%", "ttft:p99:1e400"} {
		_, err := gateLine(text)
		require.Error(t, err, text)
	}
}

// No text of a gate can say more than a gate.
func FuzzGateLine(f *testing.F) {
	f.Add("ttft:p99:10%")
	f.Add("a\"}\nstore: {bucket: x}")
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := gatesOnly([]string{text})
		if err == nil {
			require.Len(t, spec.Gates, 1)
			require.Equal(t, "recorded", spec.Target)
		}
	})
}
