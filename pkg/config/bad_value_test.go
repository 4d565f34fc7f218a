package config

// badValues are values that break the schema or the range of a duration.
var badValues = []badFile{
	{
		name:  "everything missing",
		whole: "snapshots: {keep: 5}",
		want: []string{
			"swap.yaml:1:1: target: is required",
			"swap.yaml:1:1: baseline: is required",
			"swap.yaml:1:1: candidate.url: is required: write it here or set the environment variable LLM_BACKEND_URL",
			"swap.yaml:1:1: candidate.model: is required: write it here or set the environment variable LLM_MODEL_ID",
			"swap.yaml:1:1: store.endpoint: is required: write it here or set the environment variable SWAPGATE_S3_ENDPOINT",
			"swap.yaml:1:1: store.bucket: is required: write it here or set the environment variable SWAPGATE_S3_BUCKET",
		},
	},
	{
		name:  "unknown field",
		added: "warmup: {min_requests: 3}",
		want: []string{
			`swap.yaml:5:1: unknown field "warmup"; did you mean "warm_up"?`,
		},
	},
	{
		name:  "unknown rule that is accepted",
		added: "compatibility: {accept: [gpu, contextlength]}",
		want: []string{
			`swap.yaml:5:31: compatibility.accept[1]: must be engine, engine_version, context_length, dtype, quantization, kv_cache_dtype, ` +
				`prefix_caching, tokenizer, chat_template, tensor_parallel, pipeline_parallel, data_parallel, max_requests, gpu, cuda, driver, ` +
				`torch, triton or kernel_hit_rate, got "contextlength"; did you mean "context_length"?`,
		},
	},
	{
		name:  "unknown nested field",
		added: "warm_up: {min_requets: 3}",
		want: []string{
			`swap.yaml:5:11: warm_up: unknown field "min_requets"; did you mean "min_requests"?`,
		},
	},
	{
		name:  "unknown field unlike any",
		added: "frobnicate: 1",
		want: []string{
			`swap.yaml:5:1: unknown field "frobnicate"; known here: baseline, candidate, compatibility, gates, in_place, ` +
				`judge, load, model_sizes, notify, rollout, snapshots, store, target, telemetry, warm_up, watch, workload`,
		},
	},
	{
		name:  "secret as a field name",
		added: `"sk-abcdefghijklmnop": 1`,
		want: []string{
			"swap.yaml:5:1: unknown field (name not shown: it looks like a secret); known here: baseline, candidate, " +
				"compatibility, gates, in_place, judge, load, model_sizes, notify, rollout, snapshots, store, target, telemetry, " +
				"warm_up, watch, workload",
		},
	},
	{
		name: "target",
		whole: `target: Chat_1
baseline: {url: http://a, model: x}
candidate: {url: http://b, model: x}
store: {endpoint: s, bucket: runs}`,
		want: []string{
			`swap.yaml:1:9: target: must be 1 to 62 lower-case letters, digits and hyphens, with a letter or digit at both ` +
				`ends, got "Chat_1"`,
		},
	},
	{
		name:  "url without scheme",
		added: `rollout: {route: {kind: swapgate, url: "g:80", admin_url: http://g:1}}`,
		want: []string{
			`swap.yaml:5:40: rollout.route.url: must start with http:// or https://, got "g:80"`,
		},
	},
	{
		name:  "unknown gateway",
		added: "rollout: {route: {kind: abacus, url: http://g, admin_url: http://g:1}}",
		want: []string{
			"swap.yaml:5:25: rollout.route.kind: must be swapgate, haproxy, nginx, http_route, inference_service, llm_inference_service, " +
				"virtual_service, litellm, webhook or command, got \"abacus\"",
		},
	},
	{
		name:  "rollout without route",
		added: "rollout: {}",
		want: []string{
			"swap.yaml:5:1: rollout.route: is required",
		},
	},
	{
		name:  "text that is false elsewhere",
		added: "notify: {slack: {channel: no}}",
		want: []string{
			`swap.yaml:5:27: notify.slack.channel: write "no" in quotes: many YAML readers take it for true or false`,
		},
	},
	{
		name:  "text that is a date elsewhere",
		added: "notify: {slack: {channel: 2026-01-01}}",
		want: []string{
			`swap.yaml:5:27: notify.slack.channel: write "2026-01-01" in quotes: many YAML readers take it for a date`,
		},
	},
	{
		name:  "text that is a base-60 number elsewhere",
		added: "telemetry: {sources: [{kind: nvml, host: 12:30}]}",
		want: []string{
			`swap.yaml:5:42: telemetry.sources[0].host: write "12:30" in quotes: many YAML readers take it for a number in base 60`,
		},
	},
	{
		name:  "channel with a space",
		added: `notify: {slack: {channel: "a b"}}`,
		want: []string{
			`swap.yaml:5:27: notify.slack.channel: must be one channel name or id, got "a b"`,
		},
	},
	{
		name:  "misspelt choice",
		added: "workload: {api: chta}",
		want: []string{
			"swap.yaml:5:17: workload.api: must be chat, completions, tgi, sglang, triton, ollama, images, speech or " +
				`transcriptions, got "chta"; did you mean "chat"?`,
		},
	},
	{
		name:  "number for text",
		added: "workload: {api: 5}",
		want: []string{
			"swap.yaml:5:17: workload.api: must be text, got the number 5; put it in quotes",
		},
	},
	{
		name:  "boolean for text",
		added: "telemetry: {sources: [{kind: nvml, host: true}]}",
		want: []string{
			"swap.yaml:5:42: telemetry.sources[0].host: must be text, got true; put it in quotes",
		},
	},
	{
		name:  "text for a number",
		added: "workload: {temperature: hot}",
		want: []string{
			`swap.yaml:5:25: workload.temperature: must be a number, got "hot"`,
		},
	},
	{
		name:  "quoted number",
		added: `workload: {temperature: "1"}`,
		want: []string{
			"swap.yaml:5:25: workload.temperature: must be a number, got 1; remove the quotes",
		},
	},
	{
		name:  "too high",
		added: "workload: {temperature: 3}",
		want: []string{
			"swap.yaml:5:25: workload.temperature: must be at most 2, got 3",
		},
	},
	{
		name:  "negative",
		added: "workload: {seed: -1}",
		want: []string{
			"swap.yaml:5:18: workload.seed: must be at least 0, got -1",
		},
	},
	{
		name:  "beyond 64 bits",
		added: "workload: {seed: 99999999999999999999999}",
		want: []string{
			"swap.yaml:5:18: workload.seed: must be at most 18446744073709551615, got 99999999999999999999999",
		},
	},
	{
		name:  "fraction for a whole number",
		added: "workload: {input_tokens: {median: 1.5}}",
		want: []string{
			"swap.yaml:5:35: workload.input_tokens.median: must be a whole number, got the number 1.5",
		},
	},
	{
		name:  "yes for true",
		added: "workload: {ignore_eos: yes}",
		want: []string{
			`swap.yaml:5:24: workload.ignore_eos: must be true or false, got "yes"`,
		},
	},
	{
		name:  "number for a boolean",
		added: "telemetry: {engine_metrics: 1}",
		want: []string{
			"swap.yaml:5:29: telemetry.engine_metrics: must be true or false, got the number 1",
		},
	},
	{
		name:  "empty text",
		added: `workload: {prompt_file: ""}`,
		want: []string{
			"swap.yaml:5:25: workload.prompt_file: must not be empty",
		},
	},
	{
		name:  "number for a group",
		added: "warm_up: 5",
		want: []string{
			"swap.yaml:5:10: warm_up: must be a group of fields, got the number 5",
		},
	},
	{
		name:  "group for a list",
		added: "load: {steps: {rate: 4}}",
		want: []string{
			"swap.yaml:5:15: load.steps: must be a list, got a group of fields",
		},
	},
	{
		name:  "empty list",
		added: "load: {steps: []}",
		want: []string{
			"swap.yaml:5:15: load.steps: must have at least one entry; delete the line for the default",
		},
	},
	{
		name:  "null in a list",
		added: "load: {steps: [null]}",
		want: []string{
			"swap.yaml:5:16: load.steps[0]: has no value; give it one or delete the line",
		},
	},
	{
		name:  "level of 1",
		added: "judge: {level: 1}",
		want: []string{
			"swap.yaml:5:16: judge.level: must be less than 1, got 1",
		},
	},
	{
		name:  "several limits",
		added: "judge: {resamples: 10, min_blocks: 3}",
		want: []string{
			"swap.yaml:5:20: judge.resamples: must be at least 199, got 10",
			"swap.yaml:5:36: judge.min_blocks: must be at least 10, got 3",
		},
	},
	{
		name:  "too low",
		added: "snapshots: {keep: 0}",
		want: []string{
			"swap.yaml:5:19: snapshots.keep: must be at least 1, got 0",
		},
	},
	{
		name: "rate below zero",
		added: `load:
  steps:
    - {concurrency: 8, hold: 5m}
    - rate: -3`,
		want: []string{
			"swap.yaml:8:13: load.steps[1].rate: must be greater than 0, got -3",
		},
	},
	{
		name:  "duration without unit",
		added: "workload: {request_timeout: 30}",
		want: []string{
			"swap.yaml:5:29: workload.request_timeout: must be a duration with a unit, got the number 30; write 30s for seconds",
		},
	},
	{
		name:  "quoted duration without unit",
		added: `workload: {request_timeout: "30"}`,
		want: []string{
			"swap.yaml:5:29: workload.request_timeout: must be a duration with a unit, got 30; write 30s for seconds",
		},
	},
	{
		name:  "duration as a clock",
		added: "workload: {request_timeout: 12:30}",
		want: []string{
			`swap.yaml:5:29: workload.request_timeout: must be a duration such as 12m30s, got "12:30"`,
		},
	},
	{
		name:  "duration in words",
		added: "workload: {request_timeout: 10 sec}",
		want: []string{
			`swap.yaml:5:29: workload.request_timeout: must be a duration such as 500ms, 30s or 1m30s, got "10 sec"`,
		},
	},
	{
		name:  "negative duration",
		added: "workload: {request_timeout: -5s}",
		want: []string{
			`swap.yaml:5:29: workload.request_timeout: must be a duration such as 500ms, 30s or 1m30s, got "-5s"`,
		},
	},
	{
		name:  "duration of zero",
		added: "workload: {request_timeout: 0s}",
		want: []string{
			"swap.yaml:5:29: workload.request_timeout: must be at least 1s, got 0s",
		},
	},
	{
		name:  "duration too long",
		added: "workload: {request_timeout: 90m}",
		want: []string{
			"swap.yaml:5:29: workload.request_timeout: must be at most 1h, got 90m",
		},
	},
	{
		name:  "duration in microseconds",
		added: "telemetry: {interval: 500us}",
		want: []string{
			`swap.yaml:5:23: telemetry.interval: must be a duration such as 500ms, 30s or 1m30s, got "500us"`,
		},
	},
	{
		name:  "list for a duration",
		added: "workload: {request_timeout: [5s]}",
		want: []string{
			"swap.yaml:5:29: workload.request_timeout: must be a duration such as 500ms, 30s or 1m30s, got a list",
		},
	},
	{
		name: "key written out",
		whole: `target: chat
baseline: {url: http://a, model: m, api_key: sk-abcdefghijkl12345}
candidate: {url: http://b, model: m, api_key: {env: sk-abcdefghijkl12345}}
store: {endpoint: s, bucket: runs}`,
		want: []string{
			"swap.yaml:2:46: baseline.api_key: must name where the worker finds the secret, {env: NAME} or {file: /path}; " +
				"the secret itself is never written down",
			"swap.yaml:3:53: candidate.api_key.env: looks like the secret itself; set it as an environment variable of the " +
				"worker and write the variable's name here. Replace the secret if others could read this file",
		},
	},
	{
		name:  "key that could be a name",
		added: "notify: {slack: {channel: a, token: {env: hf_abcdefghijkl12345}}}",
		want: []string{
			"swap.yaml:5:43: notify.slack.token.env: looks like the secret itself; set it as an environment variable of " +
				"the worker and write the variable's name here. Replace the secret if others could read this file",
		},
	},
	{
		name:  "environment variable with a dash",
		added: "notify: {slack: {channel: a, token: {env: MY-TOKEN}}}",
		want: []string{
			"swap.yaml:5:43: notify.slack.token.env: must be the name of an environment variable: letters, digits and underscores",
		},
	},
	{
		name:  "relative secret file",
		added: "notify: {slack: {channel: a, token: {file: token.txt}}}",
		want: []string{
			"swap.yaml:5:44: notify.slack.token.file: must be an absolute path, got a value that is not shown",
		},
	},
	{
		name: "bucket in capitals",
		whole: `target: chat
baseline: {url: http://a, model: m}
candidate: {url: http://b, model: m}
store: {endpoint: s, bucket: Runs}`,
		want: []string{
			`swap.yaml:4:30: store.bucket: must be a bucket name: 3 to 63 lower-case letters, digits, dots and hyphens, got "Runs"`,
		},
	},
}
