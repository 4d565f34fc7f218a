package config

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// environment is a lookup in a fixed set of variables.
func environment(variables map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := variables[name]
		return v, ok
	}
}

func TestLoadExample(t *testing.T) {
	spec, err := Load("../../docs/examples/swap.yaml", nil)
	require.NoError(t, err)
	require.Equal(t, "chat-assistant", spec.Target)
	require.Len(t, spec.Load.Steps, 4)
	require.Equal(t, []int{20, 100}, spec.Rollout.ApproveAt)
}

func TestEveryExampleLoads(t *testing.T) {
	files, err := filepath.Glob("../../docs/examples/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			spec, err := Load(file, nil)
			require.NoError(t, err)
			require.NotEmpty(t, spec.Gates)
			requireRoundTrip(t, spec)
		})
	}
}

func TestLoadExplainsWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.yaml")
	require.NoError(t, os.WriteFile(large, bytes.Repeat([]byte("# comment\n"), 1<<20), 0o600))
	missing := filepath.Join(dir, "missing.yaml")

	_, err := Load(missing, nil)
	require.EqualError(t, err, missing+": does not exist; name the file that describes the validation")
	require.ErrorIs(t, err, fs.ErrNotExist)

	_, err = Load(dir, nil)
	require.EqualError(t, err, dir+": is a directory; name the file in it")

	_, err = Load(large, nil)
	require.EqualError(t, err, large+": is larger than 1 MB; this cannot be a swapgate configuration")
}

func TestMinimalFileGetsEveryDefault(t *testing.T) {
	spec, err := Parse("swap.yaml", []byte(minimal), nil)
	require.NoError(t, err)
	engineMetrics := true
	const second = swap.Duration(1e9)
	want := swap.Spec{
		Target:    "chat",
		Baseline:  swap.Endpoint{URL: "http://a:8000", Model: "old"},
		Candidate: swap.Endpoint{URL: "http://b:8000", Model: "new"},
		Workload: swap.Workload{
			API:          swap.APIChat,
			InputTokens:  swap.Lengths{Median: 256, Sigma: 0.5, Min: 16, Max: 4096},
			OutputTokens: swap.Lengths{Median: 128, Min: 8, Max: 2048},
			PromptCache:  swap.CacheSalted, Seed: 1, RequestTimeout: 120 * second,
		},
		WarmUp: swap.WarmUp{MinRequests: 20, MaxRequests: 200, Concurrency: 4, MaxDuration: 120 * second},
		Load: swap.Load{
			Steps: []swap.Step{
				{Concurrency: 8, Hold: 120 * second},
				{Concurrency: 16, Hold: 120 * second},
				{Concurrency: 32, Hold: 120 * second},
				{Concurrency: 64, Hold: 120 * second},
			},
			Block: 30 * second, Settle: 10 * second, Shards: 1,
			Limits:      swap.Limits{ErrorRate: 0.5, AchievedRate: 0.5},
			Calibration: swap.Calibration{Duration: 2 * second},
		},
		Telemetry: swap.Telemetry{Interval: second, EngineMetrics: &engineMetrics},
		Gates: []swap.Gate{
			{Metric: "ttft", Stat: "p50", Margin: 0.05, Unit: "relative", Better: "lower"},
			{Metric: "ttft", Stat: "p95", Margin: 0.08, Unit: "relative", Better: "lower"},
			{Metric: "ttft", Stat: "p99", Margin: 0.1, Unit: "relative", Better: "lower"},
			{Metric: "tpot", Stat: "p95", Margin: 0.1, Unit: "relative", Better: "lower"},
			{Metric: "throughput", Stat: "rate", Margin: 0.05, Unit: "relative", Better: "higher"},
			{Metric: "error_rate", Stat: "rate", Margin: 0.005, Unit: "absolute", Better: "lower"},
			{Metric: "output_tokens", Stat: "mean", Margin: 0.05, Unit: "relative", Better: "either"},
		},
		Judge:     swap.Judge{Level: 0.95, Resamples: 1999, MinBlocks: 10, MinTail: 30, Seed: 1},
		Snapshots: swap.Snapshots{Keep: 5},
		Watch: swap.Watch{
			Rule: swap.DriftByBounds, Notify: 0.03, Fail: 0.05, Block: 0.08,
			Distribution: swap.DistributionByBlocks, Distance: 0.05, BlockFor: 48 * 3600e9,
		},
		Store: swap.Store{
			Endpoint: "s3:9000", Bucket: "runs",
			AccessKey: &swap.SecretRef{Env: "SWAPGATE_S3_ACCESS_KEY"},
			SecretKey: &swap.SecretRef{Env: "SWAPGATE_S3_SECRET_KEY"},
		},
	}
	require.Empty(t, cmp.Diff(want, spec))
}

func TestRolloutDefaults(t *testing.T) {
	spec, err := Parse("swap.yaml", []byte(minimal+
		"rollout: {route: {kind: swapgate, url: http://g, admin_url: http://g:1}}\n"), nil)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(&swap.Rollout{
		Route:   swap.Route{Kind: "swapgate", URL: "http://g", AdminURL: "http://g:1"},
		Weights: []int{1, 5, 20, 50, 100}, Window: 60e9, WindowsPerWeight: 1, MaxExtensions: 3, ProbeRate: 2, MinRequests: 50,
		Steps: []swap.RolloutStep{
			{Weight: 1, Sees: 1, MinRequests: 93, MinTime: 300e9},
			{Weight: 5, Sees: .5, MinRequests: 282, MinTime: 300e9},
			{Weight: 20, Sees: .25, MinRequests: 1104, MinTime: 300e9},
			{Weight: 50, Sees: .15, MinRequests: 4500, MinTime: 300e9},
		},
		Guard:          swap.Guard{ErrorRateRise: 0.05, ErrorMinRequests: 50, LatencyRatio: 3, ConsecutiveFailures: 20},
		Settle:         5e9,
		Decay:          swap.Decay{Rule: swap.DecayACI},
		ApproveTimeout: 24 * 3600e9,
	}, spec.Rollout))
}

func TestZeroIsNotReplacedByADefault(t *testing.T) {
	spec, err := Parse("swap.yaml", []byte(minimal+`
workload: {seed: 0, input_tokens: {sigma: 0}}
load: {settle: 0s}
telemetry: {engine_metrics: false}
rollout: {route: {kind: swapgate, url: http://g, admin_url: http://g:1}, probe_rate: 0, max_extensions: 0}
`), nil)
	require.NoError(t, err)
	require.Zero(t, spec.Workload.Seed)
	require.Zero(t, spec.Workload.InputTokens.Sigma)
	require.Zero(t, spec.Load.Settle)
	require.False(t, *spec.Telemetry.EngineMetrics)
	require.Zero(t, spec.Rollout.ProbeRate)
	require.Zero(t, spec.Rollout.MaxExtensions)
}

func TestDefaultsThatDependOnOtherFields(t *testing.T) {
	spec, err := Parse("swap.yaml", []byte(`
target: chat
baseline: {url: http://a, model: m}
candidate: {url: http://b, model: m}
workload: {prompt_file: /p.jsonl, output_tokens: {median: 1000, min: 5}}
warm_up: {min_requests: 500}
gates: [{metric: e2e, stat: p90}, {metric: output_tokens, stat: p50}]
store: {endpoint: https://s3.eu-west-1.amazonaws.com, bucket: runs}
`), nil)
	require.NoError(t, err)
	require.Zero(t, spec.Workload.InputTokens)
	require.Equal(t, swap.Lengths{Median: 1000, Min: 5, Max: 16000}, spec.Workload.OutputTokens)
	require.Equal(t, 500, spec.WarmUp.MaxRequests)
	require.Equal(t, []swap.Gate{
		{Metric: "e2e", Stat: "p90", Margin: 0.08, Unit: "relative", Better: "lower"},
		{Metric: "output_tokens", Stat: "p50", Margin: 0.05, Unit: "relative", Better: "either"},
	}, spec.Gates)
	require.Nil(t, spec.Store.AccessKey, "Amazon's S3 has the usual AWS credentials")
}

func TestEnvironmentFillsWhatIsLeftOut(t *testing.T) {
	env := environment(map[string]string{
		"LLM_BACKEND_URL": "http://b", "LLM_MODEL_ID": "no", "SWAPGATE_S3_ENDPOINT": "s3:9000", "SWAPGATE_S3_BUCKET": "runs",
	})
	spec, err := Parse("swap.yaml", []byte("target: chat\nbaseline: {url: http://a, model: m}\ncandidate: {model: new}\n"), env)
	require.NoError(t, err)
	require.Equal(t, swap.Endpoint{URL: "http://b", Model: "new"}, spec.Candidate, "the file wins")
	require.Equal(t, "s3:9000", spec.Store.Endpoint)
	require.Equal(t, "runs", spec.Store.Bucket)
}

func TestEnvironmentIsNamedInItsProblems(t *testing.T) {
	env := environment(map[string]string{"LLM_BACKEND_URL": "http://b/v1", "LLM_MODEL_ID": "", "SWAPGATE_S3_BUCKET": "R"})
	_, err := Parse("swap.yaml", []byte("target: chat\nbaseline: {url: http://a, model: m}\nstore: {endpoint: s}\n"), env)
	require.EqualError(t, err, `swap.yaml:1:1: candidate.model: is required: write it here or set the environment variable LLM_MODEL_ID
swap.yaml:1:1: candidate.url: must be the base URL without /v1; write http://b `+
		`(from the environment variable LLM_BACKEND_URL)
swap.yaml:3:1: store.bucket: must be a bucket name: 3 to 63 lower-case letters, digits, dots and hyphens, got "R" `+
		`(from the environment variable SWAPGATE_S3_BUCKET)`)
}

func TestAnchorsAndMerges(t *testing.T) {
	spec, err := Parse("swap.yaml", []byte(minimal+`
load:
  steps:
    - &step {concurrency: 4, hold: 3m}
    - {<<: *step, concurrency: 8}
    - <<: [{hold: 4m}, *step]
`), nil)
	require.NoError(t, err)
	require.Equal(t, []swap.Step{
		{Concurrency: 4, Hold: 180e9}, {Concurrency: 8, Hold: 180e9}, {Concurrency: 4, Hold: 240e9},
	}, spec.Load.Steps)
}

func TestYAMLNotationsThatAreFine(t *testing.T) {
	spec, err := Parse("swap.yaml", []byte("\ufeff---\n"+minimal+
		"workload: {request_timeout: 1h0m0s, temperature: 1, prompt_file: \"no\", ignore_eos: True}\nwarm_up: {max_requests: 1e3}\n...\n"), nil)
	require.NoError(t, err)
	require.Equal(t, "no", spec.Workload.PromptFile)
	require.True(t, spec.Workload.IgnoreEOS)
	require.Equal(t, 1000, spec.WarmUp.MaxRequests)
}

func TestDefaultsAreNamedInTheirProblems(t *testing.T) {
	_, err := Parse("swap.yaml", []byte(minimal+"load: {block: 1s500ms, steps: [{concurrency: 4, hold: 30s}, {concurrency: 5}]}\n"), nil)
	require.EqualError(t, err,
		"swap.yaml:5:1: load.settle: must be less than five blocks (7.5s), got 10s: most of the time would not be measured "+
			"(left out, so the default applies)")

	_, err = Parse("swap.yaml", []byte(minimal+"load: {block: 45s, steps: [{concurrency: 4}, {concurrency: 8, hold: 9m}]}\n"), nil)
	require.EqualError(t, err,
		"swap.yaml:5:28: load.steps[0].hold: must be a whole number of blocks of 45s, got 2m; write 1m30s or 2m15s "+
			"(left out, so the default applies)")
}
