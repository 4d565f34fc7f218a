package config

import (
	"github.com/swapgate/swapgate/pkg/load/hold"
	"github.com/swapgate/swapgate/pkg/swap"
)

// fieldDefault is the value of a field that the file leaves out. A default applies only where the group that holds the
// field exists; an empty group as a default creates it.
type fieldDefault struct {
	field string
	value any
	// derive replaces value by one that depends on the other fields of the group; nil means that the field stays empty.
	derive func(group *node) any
}

var emptyGroup = map[string]any{}

func envRef(name string) map[string]any { return map[string]any{"env": name} }

// defaults is every default of the specification, groups before what they hold.
var defaults = []fieldDefault{
	{field: "workload", value: emptyGroup},
	{field: "workload.api", value: "chat"},
	{field: "workload.input_tokens", value: emptyGroup, derive: whereTextIsSynthetic},
	{field: "workload.input_tokens.median", value: int64(256)},
	{field: "workload.input_tokens.sigma", value: 0.5},
	{field: "workload.input_tokens.min", value: int64(16), derive: shortestLength},
	{field: "workload.input_tokens.max", value: int64(4096), derive: longestLength},
	{field: "workload.output_tokens", value: emptyGroup, derive: whereTokensAreMade},
	{field: "workload.output_tokens.median", value: int64(128)},
	{field: "workload.output_tokens.sigma", value: 0.0},
	{field: "workload.output_tokens.min", value: int64(8), derive: shortestLength},
	{field: "workload.output_tokens.max", value: int64(2048), derive: longestLength},
	{field: "workload.ignore_eos", value: false},
	{field: "workload.temperature", value: 0.0},
	{field: "workload.prompt_cache", value: "salted"},
	{field: "workload.topology.size", value: int64(4)},
	{field: "workload.topology.think_time", value: "1s", derive: sessionPause},
	{field: "workload.image", value: emptyGroup, derive: onlyFor(swap.APIImages)},
	{field: "workload.image.width", value: int64(1024)},
	{field: "workload.image.height", value: int64(1024)},
	{field: "workload.audio_seconds", value: emptyGroup, derive: onlyFor(swap.APITranscriptions)},
	{field: "workload.audio_seconds.median", value: int64(10)},
	{field: "workload.audio_seconds.sigma", value: 0.0},
	{field: "workload.audio_seconds.min", value: int64(1), derive: shortestLength},
	{field: "workload.audio_seconds.max", value: int64(160), derive: longestRecording},
	{field: "workload.seed", value: int64(1)},
	{field: "workload.request_timeout", value: "2m"},

	{field: "warm_up", value: emptyGroup},
	{field: "warm_up.min_requests", value: int64(20), derive: fewestWarmUp},
	{field: "warm_up.max_requests", value: int64(200), derive: mostWarmUp},
	{field: "warm_up.concurrency", value: int64(4)},
	{field: "warm_up.max_duration", value: "2m"},

	{field: "load", value: emptyGroup},
	{field: "load.steps", value: defaultSteps, derive: unlessGradient},
	{field: "load.steps[].arrival.process", value: "poisson"},
	{field: "load.steps[].arrival.trace.lengths", value: false},
	{field: "load.steps[].arrival.trace.jitter", value: false},
	{field: "load.steps[].spike.after", value: "0s"},
	{field: "load.steps[].token_rate.burst", value: "200ms"},
	{field: "load.steps[].input_tokens.sigma", value: 0.5},
	{field: "load.steps[].input_tokens.min", derive: shortestLength},
	{field: "load.steps[].input_tokens.max", derive: longestLength},
	{field: "load.steps[].output_tokens.sigma", value: 0.0},
	{field: "load.steps[].output_tokens.min", derive: shortestLength},
	{field: "load.steps[].output_tokens.max", derive: longestLength},
	{field: "load.steps[].hold", value: "2m"},
	{field: "load.gradient.concurrency", value: int64(1)},
	{field: "load.gradient.from", value: int64(32)},
	{field: "load.gradient.to", value: int64(8192)},
	{field: "load.gradient.levels", value: int64(7)},
	{field: "load.gradient.rounds", value: int64(5)},
	{field: "load.block", value: "30s"},
	{field: "load.settle", value: "10s"},
	{field: "load.shards", value: int64(1)},
	{field: "load.extend.rule", value: string(swap.SteadyTrend)},
	{field: "load.extend.precision", value: hold.DefaultPrecision, derive: forRule(swap.SteadyTrend, hold.DefaultPrecision)},
	{field: "load.extend.cv", value: hold.DefaultCV, derive: forRule(swap.SteadyCV, hold.DefaultCV)},
	{field: "load.extend.max_hold", value: "10m", derive: mostHold},
	{field: "load.limits", value: emptyGroup},
	{field: "load.limits.error_rate", value: hold.DefaultErrorRate},
	{field: "load.limits.achieved_rate", value: hold.DefaultAchievedRate},
	{field: "load.reaction.scenario", value: string(swap.ScenarioFinance), derive: unlessWeights},
	{field: "load.reaction.slope_ms_per_token", value: 0.8},
	{field: "load.reaction.cost_per_1k_tokens", value: 0.012},
	{field: "load.calibration", value: emptyGroup},
	{field: "load.calibration.duration", value: "2s"},

	{field: "telemetry", value: emptyGroup},
	{field: "telemetry.interval", value: "1s"},
	{field: "telemetry.engine_metrics", value: true},
	{field: "telemetry.sources[].required", value: false},

	{field: "gates", value: defaultGates, derive: gatesByAPI},
	{field: "gates[].stat", derive: gateStat},
	{field: "gates[].unit", derive: gateUnit},
	{field: "gates[].better", derive: gateBetter},
	{field: "gates[].margin", derive: gateMargin},

	{field: "judge", value: emptyGroup},
	{field: "judge.level", value: 0.95},
	{field: "judge.resamples", value: int64(1999)},
	{field: "judge.min_blocks", value: int64(10)},
	{field: "judge.min_tail", value: int64(30)},
	{field: "judge.seed", value: int64(1)},
	{field: "judge.opinions[].metric", value: string(swap.MetricTTFT), derive: forOption("metric", string(swap.MetricTTFT))},
	{field: "judge.opinions[].stat", value: string(swap.StatP99), derive: forOption("stat", string(swap.StatP99))},
	{field: "judge.opinions[].cv", value: hold.DefaultCV, derive: forOption("cv", hold.DefaultCV)},

	{field: "rollout.route.nginx.config", value: "/etc/nginx/nginx.conf"},
	{field: "rollout.route.nginx.pid_file", value: "/run/nginx.pid"},
	{field: "rollout.weights", value: []any{int64(1), int64(5), int64(20), int64(50), int64(100)}},
	{field: "rollout.steps", derive: stepsByWeight},
	{field: "rollout.steps[].min_requests", derive: requestsToSee},
	{field: "rollout.window", value: "1m"},
	{field: "rollout.windows_per_weight", value: int64(1)},
	{field: "rollout.max_extensions", value: int64(3)},
	{field: "rollout.settle", value: "5s"},
	{field: "rollout.probe_rate", value: 2.0},
	{field: "rollout.min_requests", value: int64(50)},
	{field: "rollout.guard", value: emptyGroup},
	{field: "rollout.guard.error_rate_rise", value: 0.05},
	{field: "rollout.guard.error_min_requests", value: int64(50)},
	{field: "rollout.guard.latency_ratio", value: 3.0},
	{field: "rollout.guard.consecutive_failures", value: int64(20)},
	{field: "rollout.decay", value: emptyGroup},
	{field: "rollout.decay.rule", value: string(swap.DecayACI)},
	{field: "rollout.prometheus.queries[].unit", value: string(swap.Relative)},
	{field: "rollout.prometheus.queries[].better", value: string(swap.LowerIsBetter)},
	{field: "rollout.feedback.grace", value: "1m"},
	{field: "rollout.feedback.conversion_margin", value: 0.01},
	{field: "rollout.feedback.quality_margin", value: 0.02},
	{field: "rollout.approve_timeout", value: "24h"},

	{field: "in_place.allow_unsafe", value: false},
	{field: "in_place.swaps", value: int64(2)},
	{field: "in_place.timeout", value: "10m"},
	{field: "in_place.observe", value: "30s"},
	{field: "in_place.promote", value: false},
	{field: "in_place.golden", value: emptyGroup},
	{field: "in_place.golden.prompts", value: goldenPrompts},
	{field: "in_place.golden.max_tokens", value: int64(32)},
	{field: "in_place.golden.may_be_equal", value: false},

	{field: "snapshots", value: emptyGroup},
	{field: "snapshots.keep", value: int64(5)},

	{field: "watch", value: emptyGroup},
	{field: "watch.rule", value: string(swap.DriftByBounds)},
	{field: "watch.notify", value: 0.03},
	{field: "watch.fail", value: 0.05},
	{field: "watch.block", value: 0.08},
	{field: "watch.distribution", value: string(swap.DistributionByBlocks)},
	{field: "watch.distance", value: 0.05},
	{field: "watch.block_for", value: "48h"},

	{field: "store", value: emptyGroup},
	{field: "store.prefix", value: ""},
	{field: "store.access_key", value: envRef("SWAPGATE_S3_ACCESS_KEY"), derive: s3Key("SWAPGATE_S3_ACCESS_KEY")},
	{field: "store.secret_key", value: envRef("SWAPGATE_S3_SECRET_KEY"), derive: s3Key("SWAPGATE_S3_SECRET_KEY")},
}

// fromEnvironment lists the fields that an environment variable fills when the file leaves them out. Without either,
// the field is missing.
var fromEnvironment = []struct{ group, field, variable string }{
	{"candidate", "url", "LLM_BACKEND_URL"},
	{"candidate", "model", "LLM_MODEL_ID"},
	{"store", "endpoint", "SWAPGATE_S3_ENDPOINT"},
	{"store", "bucket", "SWAPGATE_S3_BUCKET"},
}

var defaultSteps = []any{
	map[string]any{"concurrency": int64(8)},
	map[string]any{"concurrency": int64(16)},
	map[string]any{"concurrency": int64(32)},
	map[string]any{"concurrency": int64(64)},
}

// goldenPrompts leave a model some freedom, so that other weights are likely to answer them otherwise.
var goldenPrompts = []any{
	"Describe the sea in one sentence.",
	"Name a river, and say what you like about it.",
	"Continue the story: The last train had already left when",
	"Write down three uncommon words and what each of them means.",
}

var defaultGates = []any{
	map[string]any{"metric": "ttft", "stat": "p50"},
	map[string]any{"metric": "ttft", "stat": "p95"},
	map[string]any{"metric": "ttft", "stat": "p99"},
	map[string]any{"metric": "tpot", "stat": "p95"},
	map[string]any{"metric": "throughput"},
	map[string]any{"metric": "error_rate"},
	map[string]any{"metric": "output_tokens"},
}

// wholeAnswerGates are the default gates where an answer comes in one piece and is not counted in tokens.
var wholeAnswerGates = []any{
	map[string]any{"metric": "e2e", "stat": "p50"},
	map[string]any{"metric": "e2e", "stat": "p95"},
	map[string]any{"metric": "error_rate"},
}

// marginOf is the default margin of a gate, in the metric's default unit; absent for a pair that needs one.
var marginOf = map[swap.Metric]map[swap.Stat]float64{
	swap.MetricTTFT:          latencyMargins,
	swap.MetricTTFTScheduled: latencyMargins,
	swap.MetricE2E:           latencyMargins,
	swap.MetricTPOT:          {swap.StatMean: 0.05, swap.StatP50: 0.05, swap.StatP90: 0.1, swap.StatP95: 0.1, swap.StatP99: 0.1},
	swap.MetricOutputTokens:  {swap.StatMean: 0.05, swap.StatP50: 0.05},
	swap.MetricThroughput:    {swap.StatRate: 0.05},
	swap.MetricErrorRate:     {swap.StatRate: 0.005},
	swap.MetricQuality:       {swap.StatMean: 0.01},
}

var latencyMargins = map[swap.Stat]float64{
	swap.StatMean: 0.05, swap.StatP50: 0.05, swap.StatP90: 0.08, swap.StatP95: 0.08, swap.StatP99: 0.1,
}
