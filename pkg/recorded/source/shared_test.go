//go:build shared

package source

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/recorded/llmperf"
	"github.com/swapgate/swapgate/pkg/swap"
)

func shared(t *testing.T, pattern string) []string {
	t.Helper()
	dir := os.Getenv("SWAPGATE_SHARED_DIR")
	require.NotEmpty(t, dir, "set SWAPGATE_SHARED_DIR")
	files, err := filepath.Glob(filepath.Join(dir, "peer-outputs", pattern))
	require.NoError(t, err)
	require.NotEmpty(t, files, pattern)
	return files
}

func theRun(t *testing.T, pattern string) recorded.Run {
	t.Helper()
	run, err := Read(shared(t, pattern)[0], Auto)
	require.NoError(t, err)
	return run
}

func options() recorded.Options {
	gate := func(m swap.Metric, s swap.Stat, margin float64) swap.Gate {
		return swap.Gate{Metric: m, Stat: s, Margin: margin, Unit: swap.Relative, Better: swap.LowerIsBetter}
	}
	return recorded.Options{
		Gates: []swap.Gate{
			gate(swap.MetricTTFT, swap.StatP50, .05), gate(swap.MetricTTFT, swap.StatP99, .1), gate(swap.MetricTPOT, swap.StatMean, .05),
			gate(swap.MetricE2E, swap.StatMean, .05),
		},
		Settings: swap.Judge{Level: .95, Resamples: 999, MinBlocks: 10, MinTail: 30, Seed: 1}, Noise: recorded.DefaultNoise,
	}
}

func verdict(t *testing.T, baseline, candidate recorded.Run) swap.Verdict {
	t.Helper()
	v, err := recorded.Judge(swap.PerArm[recorded.Run]{Baseline: baseline, Candidate: candidate}, options())
	require.NoError(t, err)
	return v
}

// TestLeaderboardSummaries holds our figures of the raw responses to those of the tool, to six decimals.
func TestLeaderboardSummaries(t *testing.T) {
	compared := 0
	for _, file := range shared(t, "llmperf-leaderboard/*_individual.json") {
		f, err := os.Open(file)
		require.NoError(t, err)
		responses, _, err := llmperf.ReadResponses(file, f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		data, err := os.ReadFile(strings.Replace(file, "_individual", "_summary", 1))
		require.NoError(t, err)
		var theirs map[string]any
		require.NoError(t, json.Unmarshal(data, &theirs))
		ours := llmperf.Summarise(responses)
		for name, value := range theirs {
			if !strings.HasPrefix(name, "results_") || strings.HasSuffix(name, "_per_min") ||
				!strings.Contains(name, "_quantiles_") && !strings.HasSuffix(name, "_mean") &&
					!strings.HasSuffix(name, "_min") && !strings.HasSuffix(name, "_max") && !strings.HasSuffix(name, "_stddev") {
				continue
			}
			want, isNumber := value.(float64)
			if text, ok := value.(string); ok {
				want, err = strconv.ParseFloat(text, 64)
				isNumber = err == nil
			}
			require.True(t, isNumber, name)
			require.Contains(t, ours, name)
			require.InDelta(t, want, ours[name], 1e-6, "%s of %s", name, file)
			compared++
		}
	}
	require.Equal(t, 5*6*10, compared, "five providers, six columns, ten figures")
}

// TestLeaderboardProviders judges each provider against each other one of the same model.
func TestLeaderboardProviders(t *testing.T) {
	runs := map[string]recorded.Run{}
	for _, file := range shared(t, "llmperf-leaderboard/*_70b_individual.json") {
		run, err := Read(file, Auto)
		require.NoError(t, err)
		require.Equal(t, "concurrency 5", run.Stages[0].Level.String())
		require.Len(t, run.Stages[0].Requests, 150)
		runs[strings.TrimSuffix(filepath.Base(file), "_70b_individual.json")] = run
	}
	// The providers' medians of TTFT are 172 ms or more, 213 ms, 635 ms: far apart.
	require.Equal(t, swap.Fail, verdict(t, runs["anyscale"], runs["together"]).Verdict)
	for name, run := range runs {
		require.NotEqual(t, swap.Fail, verdict(t, run, run).Verdict, name)
		for other, candidate := range runs {
			there, back := verdict(t, run, candidate).Gates[0].Decision, verdict(t, candidate, run).Gates[0].Decision
			require.False(t, there == swap.Fail && back == swap.Fail, "%s and %s cannot both be slower", name, other)
		}
	}
}

func TestRealAIPerf(t *testing.T) {
	for _, c := range []string{"1", "2", "4"} {
		folder := theRun(t, "aiperf/concurrency"+c)
		require.Equal(t, "concurrency "+c, folder.Stages[0].Level.String())
		require.Equal(t, "Qwen/Qwen3-0.6B", folder.Model)
		require.Contains(t, folder.Notes[0], "holds 10 of the 64 requests")
		require.Equal(t, 64, folder.Stages[0].Outcomes.Total())
		for _, file := range []string{"profile_export.jsonl", "profile_export_aiperf.json"} {
			require.Equal(t, folder.Stages[0].Summary, theRun(t, "aiperf/concurrency"+c+"/"+file).Stages[0].Summary)
		}
		v := verdict(t, folder, folder)
		require.Equal(t, swap.Inconclusive, v.Verdict)
		require.Equal(t, swap.Of(0), v.Gates[0].Change)
	}
}

func TestRealGuideLLM(t *testing.T) {
	run := theRun(t, "guidellm/guidellm_report_v2.json")
	require.Equal(t, "0.8.0.dev18", run.Version)
	require.Len(t, run.Stages, 2)
	require.Equal(t, recorded.Level{Rate: 4}, run.Stages[1].Level)
	require.InDelta(t, 11.276006698608398, run.Stages[0].Summary["ttft_p50"], 1e-12)
	require.Equal(t, swap.Inconclusive, verdict(t, run, run).Verdict)
}

// TestRealInferencePerf: with quantization and caches the service is faster at every load and holds 1.7 times as much. The sweeps chose
// other rates for it, so that only 1 req/s is common, and only summaries were recorded: unlike levels tell which is the better one.
func TestRealInferencePerf(t *testing.T) {
	slow, fast := theRun(t, "inference-perf/vllm"), theRun(t, "inference-perf/vllm+quantization")
	require.Len(t, slow.Stages, 7)
	require.Equal(t, 11002, slow.Stages[6].Outcomes.Total())
	for _, noise := range []float64{0, recorded.DefaultNoise, .05} {
		o := options()
		o.Noise = noise
		there, err := recorded.Judge(swap.PerArm[recorded.Run]{Baseline: slow, Candidate: fast}, o)
		require.NoError(t, err)
		require.Equal(t, swap.Pass, there.Verdict, there.Summary)
		back, err := recorded.Judge(swap.PerArm[recorded.Run]{Baseline: fast, Candidate: slow}, o)
		require.NoError(t, err)
		require.Equal(t, swap.Fail, back.Verdict, back.Summary)
		for i, g := range back.Gates {
			require.Equal(t, swap.MethodSummary, g.Method)
			require.Equal(t, swap.Fail, g.Decision, g.Name)
			require.Equal(t, swap.Pass, there.Gates[i].Decision, g.Name)
		}
		require.Equal(t, "baseline 92.19 req/s, candidate 127.9 req/s", there.Steps[3].Label)
	}
	for _, run := range []recorded.Run{slow, fast} {
		require.Equal(t, swap.Inconclusive, verdict(t, run, run).Verdict, "the noise between runs takes up the margins of 5 %")
	}
}

func TestRealVLLM(t *testing.T) {
	for _, file := range shared(t, "vllm-bench/*.json") {
		run, err := Read(file, Auto)
		require.NoError(t, err)
		require.Len(t, run.Stages, 1)
		require.NotEqual(t, swap.Pass, verdict(t, run, run).Verdict)
	}
	gpu := theRun(t, "vllm-bench/H100x8_qwen2.5-32b_gpu_only.json")
	require.Equal(t, recorded.Level{Concurrency: 55}, gpu.Stages[0].Level)
	require.InDelta(t, 21605.4, gpu.Stages[0].Summary["ttft_p99"], .1)
	detailed := theRun(t, "vllm-bench/*1.0qps-concurrency1-*.json")
	require.Equal(t, swap.OutcomeCounts{swap.HTTP4xx: 1}, detailed.Stages[0].Outcomes, "a failed request is no TTFT of 0")
	failed := theRun(t, "vllm-bench/*8.0qps-concurrency16-*121245.json")
	require.Equal(t, map[string]float64{"error_rate": 1}, failed.Stages[0].Summary)
}

func TestWhatIsNoResultIsRefused(t *testing.T) {
	for _, pattern := range []string{"logs/*.jsonl", "nvidia-smi/*.json", "nvidia-smi/*.csv", "nvidia-smi"} {
		_, err := Read(shared(t, pattern)[0], Auto)
		require.ErrorContains(t, err, "no result that is known", pattern)
	}
	for _, file := range shared(t, "inference-perf/*/*_prometheus_metrics.json") {
		_, err := Read(file, Auto)
		require.ErrorContains(t, err, "successes.latency: is missing")
	}
}
