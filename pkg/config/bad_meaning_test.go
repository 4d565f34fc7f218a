package config

// badMeanings are fields that contradict each other, and plans that cannot be judged.
var badMeanings = []badFile{
	{
		name: "same model on the same server",
		whole: `target: chat
baseline: {url: http://A:80/, model: m}
candidate: {url: http://a, model: m}
store: {endpoint: s, bucket: runs}`,
		want: []string{
			"swap.yaml:3:18: candidate.url: the candidate is the same model on the same server as the baseline; give it " +
				"another url or model",
		},
	},
	{
		name: "url with /v1",
		whole: `target: chat
baseline: {url: http://v1.a/x/v1/, model: m}
candidate: {url: http://b/v1/models, model: m}
store: {endpoint: s, bucket: runs}`,
		want: []string{
			"swap.yaml:2:17: baseline.url: must be the base URL without /v1; write http://v1.a/x",
			"swap.yaml:3:18: candidate.url: must be the base URL without /v1; write http://b",
		},
	},
	{
		name: "url with a password",
		whole: `target: chat
baseline: {url: "http://me:pw@a", model: m}
candidate: {url: "http://b?key=1", model: m}
store: {endpoint: s, bucket: runs}`,
		want: []string{
			"swap.yaml:2:17: baseline.url: must hold no user name or password; credentials are named, never written down",
			"swap.yaml:3:18: candidate.url: must have no part after ? or #",
		},
	},
	{
		name:  "a pattern that is no regular expression",
		added: `model_sizes: [{pattern: "house-(7b", billions: 7}, {pattern: house, billions: 0}]`,
		want: []string{
			"swap.yaml:5:25: model_sizes[0].pattern: must be a regular expression (RE2): error parsing regexp: missing closing ): `house-(7b`",
			"swap.yaml:5:79: model_sizes[1].billions: must be greater than 0, got 0",
		},
	},
	{
		name:  "limits of a watch out of order",
		added: `watch: {notify: 0.06, block: 0.04}`,
		want: []string{
			"swap.yaml:5:1: watch.fail: must be at least notify (0.06), got 0.05 (left out, so the default applies)",
			"swap.yaml:5:30: watch.block: must be at least fail (0.05), got 0.04",
		},
	},
	{
		name:  "approvers without a token, and one twice",
		added: `notify: {slack: {channel: c, approvers: [U01ABCDEF, S01ABCDEF, U01ABCDEF]}}`,
		want: []string{
			"swap.yaml:5:10: notify.slack.token: is needed where approvers are listed: without it no message is posted, and none has buttons",
			"swap.yaml:5:64: notify.slack.approvers[2]: U01ABCDEF is listed twice",
		},
	},
	{
		name:  "url without a host",
		added: `notify: {temporal_ui: "http://", report_base_url: "http://a b"}`,
		want: []string{
			`swap.yaml:5:23: notify.temporal_ui: is not a valid URL, got "http://"`,
			`swap.yaml:5:51: notify.report_base_url: is not a valid URL, got "http://a b"`,
		},
	},
	{
		name:  "secret from two places",
		added: "notify: {slack: {channel: a, token: {env: A, file: /x}}}",
		want: []string{
			"swap.yaml:5:37: notify.slack.token: must have exactly one of env and file",
		},
	},
	{
		name:  "secret from nowhere",
		added: "notify: {slack: {channel: a, token: {}}}",
		want: []string{
			"swap.yaml:5:37: notify.slack.token: must have exactly one of env and file",
		},
	},
	{
		name:  "prompts twice",
		added: "workload: {prompt_file: p.jsonl, input_tokens: {median: 3}}",
		want: []string{
			"swap.yaml:5:48: workload.input_tokens: excludes prompt_file: prompts from a file have their own lengths; " +
				"delete one of the two",
		},
	},
	{
		name:  "lengths out of order",
		added: "workload: {input_tokens: {median: 100, min: 200, max: 50}}",
		want: []string{
			"swap.yaml:5:45: workload.input_tokens.min: must be at most the median (100), got 200",
			"swap.yaml:5:55: workload.input_tokens.max: must be at least the median (100), got 50",
		},
	},
	{
		name:  "warm-up bounds",
		added: "warm_up: {min_requests: 300, max_requests: 100}",
		want: []string{
			"swap.yaml:5:25: warm_up.min_requests: must be at most max_requests (100), got 300",
		},
	},
	{
		name:  "both loops",
		added: "load: {steps: [{concurrency: 4, rate: 2, hold: 5m}]}",
		want: []string{
			"swap.yaml:5:16: load.steps[0]: has concurrency and rate; keep one: concurrency and kv_share are closed loops, rate " +
				"is an open loop",
		},
	},
	{
		name:  "no loop",
		added: "load: {steps: [{hold: 5m}]}",
		want: []string{
			"swap.yaml:5:16: load.steps[0]: needs concurrency (requests in flight), kv_share (share of the KV cache) or " +
				"rate (requests per second)",
		},
	},
	{
		name:  "hold between blocks",
		added: "load: {steps: [{concurrency: 4, hold: 310s}]}",
		want: []string{
			"swap.yaml:5:39: load.steps[0].hold: must be a whole number of blocks of 30s, got 5m10s; write 5m or 5m30s",
		},
	},
	{
		name:  "hold below a block",
		added: "load: {steps: [{concurrency: 4, hold: 20s}]}",
		want: []string{
			"swap.yaml:5:39: load.steps[0].hold: must be a whole number of blocks of 30s, got 20s; write 30s",
		},
	},
	{
		name:  "too few blocks",
		added: "load: {steps: [{concurrency: 4, hold: 2m}]}",
		want: []string{
			"swap.yaml:5:7: load: plans 4 blocks per arm, but judge.min_blocks is 10: hold every step for 5m, add steps, " +
				"or shorten load.block",
		},
	},
	{
		name:  "too few blocks for the judge",
		added: "judge: {min_blocks: 25}",
		want: []string{
			"swap.yaml:1:1: load: plans 16 blocks per arm, but judge.min_blocks is 25: hold every step for 3m30s, add " +
				"steps, or shorten load.block",
		},
	},
	{
		name:  "settle of five blocks",
		added: "load: {block: 10s, settle: 50s}",
		want: []string{
			"swap.yaml:5:28: load.settle: must be less than five blocks (50s), got 50s: most of the time would not be measured",
		},
	},
	{
		name:  "too few requests for a default gate",
		added: "load: {steps: [{rate: 4, hold: 5m}]}",
		want: []string{
			"swap.yaml:5:7: load: the default gate ttft p99 needs 3000 requests per arm (judge.min_tail is 30), but the " +
				"load plans about 1200: use hold: 12m30s or rate: 10, or list gates without it",
		},
	},
	{
		name: "too few requests in one step",
		added: `gates: [{metric: ttft, stat: p99}]
load: {steps: [{rate: 4, hold: 5m}]}`,
		want: []string{
			"swap.yaml:5:9: gates[0]: ttft p99 needs 3000 requests per arm (judge.min_tail is 30), but the load plans " +
				"about 1200: use hold: 12m30s or rate: 10, or choose a lower quantile",
		},
	},
	{
		name: "too few requests in equal steps",
		added: `gates: [{metric: ttft, stat: p99}]
load: {steps: [{rate: 1, hold: 4m}, {rate: 2, hold: 4m}]}`,
		want: []string{
			"swap.yaml:5:9: gates[0]: ttft p99 needs 3000 requests per arm (judge.min_tail is 30), but the load plans " +
				"about 720: use hold: 17m in every step, or multiply every rate by 4.17, or choose a lower quantile",
		},
	},
	{
		name: "too few requests in unequal steps",
		added: `gates: [{metric: ttft, stat: p99}]
load: {steps: [{rate: 1, hold: 4m}, {rate: 2, hold: 6m}]}`,
		want: []string{
			"swap.yaml:5:9: gates[0]: ttft p99 needs 3000 requests per arm (judge.min_tail is 30), but the load plans " +
				"about 960: hold the steps 3.13 times as long, or multiply every rate by 3.13, or choose a lower quantile",
		},
	},
	{
		name:  "gate twice",
		added: "gates: [{metric: ttft, stat: p50}, {metric: ttft, stat: p50, margin: 0.2}]",
		want: []string{
			"swap.yaml:5:36: gates[1]: ttft_p50 is a gate already (gates[0]); delete one of the two",
		},
	},
	{
		name:  "statistics that do not fit",
		added: "gates: [{metric: ttft}, {metric: throughput, stat: p50}, {metric: e2e, stat: rate}]",
		want: []string{
			"swap.yaml:5:9: gates[0].stat: is required for ttft: p50, p90, p95, p99 or mean",
			`swap.yaml:5:52: gates[1].stat: must be rate for throughput, got "p50"`,
			"swap.yaml:5:78: gates[2].stat: rate belongs to throughput and error_rate; for e2e use p50, p90, p95, p99 or mean",
		},
	},
	{
		name:  "margin in percent",
		added: "gates: [{metric: ttft, stat: p50, margin: 5}]",
		want: []string{
			"swap.yaml:5:43: gates[0].margin: 5 means 500 %; write 0.05 for 5 %. A tolerance of 100 % or more needs unit: absolute",
		},
	},
	{
		name:  "margin in percentage points",
		added: "gates: [{metric: error_rate, margin: 5}]",
		want: []string{
			"swap.yaml:5:38: gates[0].margin: 5 means 500 percentage points; write 0.05 for 5 percentage points",
		},
	},
	{
		name:  "margin without a default",
		added: "gates: [{metric: tpot, stat: p50, unit: absolute}, {metric: error_rate, unit: relative}, {metric: output_tokens, stat: p99}]",
		want: []string{
			"swap.yaml:5:9: gates[0].margin: is required for tpot_p50 with unit absolute",
			"swap.yaml:5:52: gates[1].margin: is required for error_rate with unit relative",
			"swap.yaml:5:90: gates[2].margin: is required for output_tokens_p99 with unit relative",
		},
	},
	{
		name:  "gate that praises the worse",
		added: "gates: [{metric: throughput, better: lower}, {metric: ttft, stat: p50, better: higher}]",
		want: []string{
			`swap.yaml:5:38: gates[0].better: must be higher or either for throughput, got "lower"`,
			`swap.yaml:5:80: gates[1].better: must be lower or either for ttft, got "higher"`,
		},
	},
	{
		name: "limits that are none",
		added: `gates:
  - {metric: ttft, stat: p95, vs: slo}
  - {metric: ttft, stat: p99, vs: slo, limit: 500, margin: 0.1}
  - {metric: tpot, stat: p50, vs: slo, limit: 50, unit: relative}
  - {metric: error_rate, vs: slo, limit: 2}
  - {metric: output_tokens, vs: slo, limit: 100}
  - {metric: e2e, stat: p50, vs: slo, limit: 9000, better: either}
  - {metric: e2e, stat: p50, limit: 9000}`,
		want: []string{
			"swap.yaml:6:5: gates[0].limit: is required for ttft_p95_slo: the value to keep, in the metric's unit",
			"swap.yaml:7:60: gates[1].margin: belongs to vs: baseline; with vs: slo the candidate must keep the limit itself",
			`swap.yaml:8:57: gates[2].unit: must be absolute with vs: slo, got "relative": a limit is in the metric's own unit`,
			"swap.yaml:9:42: gates[3].limit: 2 means 200 %; write 0.02 for 2 %",
			`swap.yaml:10:5: gates[4].better: must be lower or higher for output_tokens, got ""`,
			`swap.yaml:11:60: gates[5].better: must be lower for e2e, got "either"`,
			"swap.yaml:12:37: gates[6].limit: belongs to vs: slo; against the baseline a gate has a margin",
		},
	},
	{
		name:  "weights out of order",
		added: "rollout: {route: {kind: swapgate, url: http://g, admin_url: http://g:1}, weights: [5, 1, 120]}",
		want: []string{
			"swap.yaml:5:87: rollout.weights[1]: must be higher than the weight before it (5), got 1",
			"swap.yaml:5:90: rollout.weights[2]: must be a percentage from 1 to 100, got 120",
		},
	},
	{
		name:  "weights that do not end",
		added: "rollout: {route: {kind: swapgate, url: http://g, admin_url: http://g:1}, weights: [1, 50]}",
		want: []string{
			"swap.yaml:5:83: rollout.weights: must end with 100, got 50: the rollout ends with all traffic on the candidate",
		},
	},
	{
		name:  "approval at no weight",
		added: "rollout: {route: {kind: swapgate, url: http://g, admin_url: http://g:1}, approve_at: [20, 30, 20]}",
		want: []string{
			"swap.yaml:5:91: rollout.approve_at[1]: must be one of rollout.weights (1, 5, 20, 50, 100), got 30",
			"swap.yaml:5:95: rollout.approve_at[2]: 20 is listed twice",
		},
	},
	{
		name:  "sources without their fields",
		added: `telemetry: {sources: [{kind: dcgm}, {kind: nvml, url: "http://x"}, {kind: dcgm, url: "http://x", host: h}]}`,
		want: []string{
			"swap.yaml:5:23: telemetry.sources[0].url: is required for kind dcgm: the URL of the exporter's metrics page",
			"swap.yaml:5:37: telemetry.sources[1].host: is required for kind nvml: the host whose GPU worker reads the GPUs",
			"swap.yaml:5:55: telemetry.sources[1].url: belongs to kind dcgm; nvml has host",
			"swap.yaml:5:104: telemetry.sources[2].host: belongs to kind nvml; dcgm has url",
		},
	},
	{
		name: "store endpoint with a path",
		whole: `target: chat
baseline: {url: http://a, model: m}
candidate: {url: http://b, model: m}
store: {endpoint: s/x, bucket: runs, prefix: a//b}`,
		want: []string{
			`swap.yaml:4:19: store.endpoint: must be host:port or a URL, got "s/x"`,
			`swap.yaml:4:46: store.prefix: must be names joined by /, without a leading /, got "a//b"`,
		},
	},
	{
		name: "store endpoint of another scheme",
		whole: `target: chat
baseline: {url: http://a, model: m}
candidate: {url: http://b, model: m}
store: {endpoint: "ftp://x", bucket: runs, secret_key: {env: X}}`,
		want: []string{
			"swap.yaml:4:1: store.access_key: is required beside secret_key",
			`swap.yaml:4:19: store.endpoint: must be host:port or a URL that starts with http:// or https://, got "ftp://x"`,
		},
	},
	{
		name: "problems far apart",
		whole: `target: Chat
baseline: {url: http://a, model: m}
candidate: {url: http://a, model: m}
load: {steps: [{concurency: 4}, {rate: 0}]}
gates: [{metric: ttft, stat: p50, margin: 5}]
store: {endpoint: s, bucket: runs}`,
		want: []string{
			`swap.yaml:1:9: target: must be 1 to 62 lower-case letters, digits and hyphens, with a letter or digit at both ` +
				`ends, got "Chat"`,
			"swap.yaml:3:18: candidate.url: the candidate is the same model on the same server as the baseline; give it " +
				"another url or model",
			`swap.yaml:4:17: load.steps[0]: unknown field "concurency"; did you mean "concurrency"?`,
			"swap.yaml:4:40: load.steps[1].rate: must be greater than 0, got 0",
			"swap.yaml:5:43: gates[0].margin: 5 means 500 %; write 0.05 for 5 %. A tolerance of 100 % or more needs unit: absolute",
		},
	},
}
