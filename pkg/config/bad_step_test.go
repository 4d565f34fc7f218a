package config

// badSteps are steps that contradict themselves, the workload or the telemetry.
var badSteps = []badFile{
	{
		name:  "three loops",
		added: "load: {steps: [{concurrency: 4, kv_share: 0.9, rate: 2, hold: 5m}]}",
		want: []string{
			"swap.yaml:5:16: load.steps[0]: has concurrency, kv_share and rate; keep one: concurrency and kv_share are " +
				"closed loops, rate is an open loop",
		},
	},
	{
		name: "think time of an open loop",
		added: `gates: [{metric: e2e, stat: p50}]
load: {steps: [{rate: 4, think_time: 2s, hold: 5m}]}`,
		want: []string{
			"swap.yaml:6:38: load.steps[0].think_time: belongs to a closed loop; with rate, requests do not wait for " +
				"answers. Delete it, or write concurrency instead of rate",
		},
	},
	{
		name:  "open-loop fields of a closed loop",
		added: "load: {steps: [{concurrency: 4, arrival: {}, ramp: {from: 1}, spike: {rate: 9, for: 5s}, max_in_flight: 8, hold: 5m}]}",
		want: []string{
			"swap.yaml:5:42: load.steps[0].arrival: belongs to an open loop; delete it, or give the step a rate " +
				"(requests per second) instead",
			"swap.yaml:5:52: load.steps[0].ramp: belongs to an open loop; delete it, or give the step a rate (requests " +
				"per second) instead",
			"swap.yaml:5:70: load.steps[0].spike: belongs to an open loop; delete it, or give the step a rate (requests " +
				"per second) instead",
			"swap.yaml:5:105: load.steps[0].max_in_flight: belongs to an open loop; delete it, or give the step a rate " +
				"(requests per second) instead",
		},
	},
	{
		name: "more requests in a block than memory holds",
		added: `gates: [{metric: e2e, stat: p50}]
load: {block: 10m, settle: 0s, steps: [{rate: 50000, hold: 100m}]}`,
		want: []string{
			"swap.yaml:6:47: load.steps[0].rate: plans about 30 million requests in each block, and a load worker can hold " +
				"10 million: lower the rate, or shorten load.block",
		},
	},
	{
		name: "more requests in a step than memory holds",
		added: `gates: [{metric: e2e, stat: p50}]
load: {extend: {max_hold: 10m}, steps: [{rate: 50000, spike: {rate: 90000, for: 1s}, hold: 5m}]}`,
		want: []string{
			"swap.yaml:6:48: load.steps[0].rate: plans about 81.6 million requests in the 40 blocks of the step, and a load worker can " +
				"hold 50 million: lower the rate, or shorten hold or load.extend.max_hold",
		},
	},
	{
		name: "a unit of many requests",
		added: `workload: {topology: {shape: star, size: 64}}
gates: [{metric: e2e, stat: p50}]
load: {block: 60s, steps: [{rate: 10000, hold: 10m}]}`,
		want: []string{
			"swap.yaml:7:35: load.steps[0].rate: plans about 44.8 million requests in each block, and a load worker can hold " +
				"10 million: lower the rate, or shorten load.block",
		},
	},
	{
		name:  "open-loop fields of a bad rate",
		added: "load: {steps: [{rate: -4, arrival: {process: gamma, cv: 2}, hold: 5m}]}",
		want: []string{
			"swap.yaml:5:23: load.steps[0].rate: must be greater than 0, got -4",
		},
	},
	{
		name: "gamma without cv",
		added: `gates: [{metric: e2e, stat: p50}]
load: {steps: [{rate: 4, arrival: {process: gamma}, hold: 5m}]}`,
		want: []string{
			"swap.yaml:6:26: load.steps[0].arrival.cv: is required for process gamma: the coefficient of variation of " +
				"the gaps, such as 2 for bursts",
		},
	},
	{
		name: "weibull and trace without their parts",
		added: `gates: [{metric: e2e, stat: p50}]
load: {steps: [{rate: 4, arrival: {process: weibull}, hold: 3m}, {rate: 4, arrival: {process: trace}, hold: 3m}]}`,
		want: []string{
			"swap.yaml:6:26: load.steps[0].arrival.weibull: is required for process weibull: one or two components " +
				"{weight, shape, scale}",
			"swap.yaml:6:76: load.steps[1].arrival.trace: is required for process trace: the recording, {file: PATH}",
		},
	},
	{
		name: "fields of other processes",
		added: `gates: [{metric: e2e, stat: p50}]
load: {steps: [{rate: 4, arrival: {cv: 2, weibull: [{weight: 1, shape: 1, scale: 1}], trace: {file: t.csv}}, hold: 5m}]}`,
		want: []string{
			"swap.yaml:6:40: load.steps[0].arrival.cv: belongs to process gamma, and the process is poisson; write " +
				"process: gamma, or delete it",
			"swap.yaml:6:52: load.steps[0].arrival.weibull: belongs to process weibull, and the process is poisson; " +
				"write process: weibull, or delete it",
			"swap.yaml:6:94: load.steps[0].arrival.trace: belongs to process trace, and the process is poisson; write " +
				"process: trace, or delete it",
		},
	},
	{
		name:  "trace without a file",
		added: "load: {steps: [{rate: 4, arrival: {process: trace, trace: {format: azure}}, hold: 5m}]}",
		want: []string{
			"swap.yaml:5:52: load.steps[0].arrival.trace.file: is required",
		},
	},
	{
		name:  "unknown trace format",
		added: "load: {steps: [{rate: 4, arrival: {process: trace, trace: {file: a.csv, format: azur}}, hold: 5m}]}",
		want: []string{
			`swap.yaml:5:81: load.steps[0].arrival.trace.format: must be azure, mooncake, burstgpt or vidur, got "azur"; ` +
				`did you mean "azure"?`,
		},
	},
	{
		name: "weibull weights",
		added: `gates: [{metric: e2e, stat: p50}]
load: {steps: [{rate: 4, arrival: {process: weibull, weibull: [{weight: 0.7, shape: 1, scale: 1},
  {weight: 0.2, shape: 2, scale: 5}]}, hold: 5m}]}`,
		want: []string{
			"swap.yaml:6:63: load.steps[0].arrival.weibull: the weights must sum to 1, got 0.9",
		},
	},
	{
		name: "ramp and spike of a trace",
		added: `gates: [{metric: e2e, stat: p50}]
load: {steps: [{rate: 4, arrival: {process: trace, trace: {file: t.csv}}, ramp: {from: 1}, spike: {rate: 9, for: 5s}, hold: 5m}]}`,
		want: []string{
			"swap.yaml:6:81: load.steps[0].ramp: excludes process trace: a recording has its own rises and bursts; " +
				"delete one of the two",
			"swap.yaml:6:99: load.steps[0].spike: excludes process trace: a recording has its own rises and bursts; " +
				"delete one of the two",
		},
	},
	{
		name: "spike past the block",
		added: `gates: [{metric: e2e, stat: p50}]
load: {steps: [{rate: 4, spike: {rate: 9, after: 26s, for: 5s}, hold: 5m}]}`,
		want: []string{
			"swap.yaml:6:33: load.steps[0].spike: ends 31s after the start of the measured time (after 26s, for 5s), but " +
				"a block is measured for 30s; shorten after or for, or lengthen load.block",
		},
	},
	{
		name:  "spike without length",
		added: "load: {steps: [{rate: 4, spike: {rate: 9}, hold: 5m}]}",
		want: []string{
			"swap.yaml:5:26: load.steps[0].spike.for: is required",
		},
	},
	{
		name: "lengths from a trace and of a step",
		added: `gates: [{metric: e2e, stat: p50}]
load: {steps: [{rate: 4, input_tokens: {median: 9}, output_tokens: {median: 9},
  arrival: {process: trace, trace: {file: t.csv, lengths: true}}, hold: 5m}]}`,
		want: []string{
			"swap.yaml:6:40: load.steps[0].input_tokens: excludes lengths: true of the trace, which takes the lengths " +
				"from the recording; delete one of the two",
			"swap.yaml:6:68: load.steps[0].output_tokens: excludes lengths: true of the trace, which takes the lengths " +
				"from the recording; delete one of the two",
		},
	},
	{
		name: "lengths from a trace and a prompt file",
		added: `gates: [{metric: e2e, stat: p50}]
workload: {prompt_file: p.jsonl}
load: {steps: [{rate: 4, arrival: {process: trace, trace: {file: t.csv, lengths: true}}, hold: 5m}]}`,
		want: []string{
			"swap.yaml:7:82: load.steps[0].arrival.trace.lengths: excludes workload.prompt_file: prompts from a file " +
				"have their own lengths; delete one of the two",
		},
	},
	{
		name: "lengths from a trace for images",
		added: `workload: {api: images}
load: {steps: [{rate: 4, arrival: {process: trace, trace: {file: t.csv, lengths: true}}, hold: 5m}]}`,
		want: []string{
			"swap.yaml:6:82: load.steps[0].arrival.trace.lengths: has no meaning for api images, whose work is counted " +
				"in pixel steps; delete it",
		},
	},
	{
		name: "prompt length of a step beside a prompt file",
		added: `workload: {prompt_file: p.jsonl}
load: {steps: [{concurrency: 4, input_tokens: {median: 32}, hold: 5m}]}`,
		want: []string{
			"swap.yaml:6:47: load.steps[0].input_tokens: excludes workload.prompt_file: prompts from a file have their " +
				"own lengths; delete one of the two",
		},
	},
	{
		name:  "lengths of a step without a median",
		added: "load: {steps: [{concurrency: 4, input_tokens: {sigma: 0.1}, output_tokens: {max: 9}, hold: 5m}]}",
		want: []string{
			"swap.yaml:5:33: load.steps[0].input_tokens.median: is required: the median length of the prompts of this " +
				"step, in tokens",
			"swap.yaml:5:61: load.steps[0].output_tokens.median: is required: the median length of the answers of this " +
				"step, in tokens",
		},
	},
	{
		name:  "lengths of a step out of order",
		added: "load: {steps: [{concurrency: 4, output_tokens: {median: 100, min: 200}, hold: 5m}]}",
		want: []string{
			"swap.yaml:5:67: load.steps[0].output_tokens.min: must be at most the median (100), got 200",
		},
	},
	{
		name: "KV share without engine metrics",
		added: `telemetry: {engine_metrics: false}
load: {steps: [{kv_share: 0.9, hold: 5m}], limits: {kv_usage: 0.95}}`,
		want: []string{
			"swap.yaml:6:27: load.steps[0].kv_share: is read from the engine's own metrics; set telemetry.engine_metrics " +
				"to true, or delete it",
			"swap.yaml:6:63: load.limits.kv_usage: is read from the engine's own metrics; set telemetry.engine_metrics " +
				"to true, or delete it",
		},
	},
	{
		name: "KV cache of images",
		added: `workload: {api: images}
load: {steps: [{kv_share: 0.9, hold: 5m}], limits: {kv_usage: 0.9}}`,
		want: []string{
			"swap.yaml:6:27: load.steps[0].kv_share: is for language models; with api images there is no KV cache to " +
				"look at",
			"swap.yaml:6:63: load.limits.kv_usage: is for language models; with api images there is no KV cache to look " +
				"at",
		},
	},
	{
		name: "KV share of prompts of unknown length",
		added: `workload: {prompt_file: /p.jsonl}
load: {steps: [{kv_share: 0.9, hold: 5m}, {kv_share: 0.5, hold: 1m}]}`,
		want: []string{
			"swap.yaml:6:27: load.steps[0].kv_share: excludes workload.prompt_file: how many requests fill the cache is known for " +
				"planned lengths only; write concurrency instead, or delete prompt_file",
			"swap.yaml:6:54: load.steps[1].kv_share: excludes workload.prompt_file: how many requests fill the cache is known for " +
				"planned lengths only; write concurrency instead, or delete prompt_file",
		},
	},
	{
		name: "too few requests however fast sessions are answered",
		added: `gates: [{metric: ttft, stat: p99}]
workload: {topology: {shape: session, size: 3, think_time: 1s}}
load: {steps: [{rate: 2, hold: 5m}]}`,
		want: []string{
			"swap.yaml:5:9: gates[0]: ttft p99 needs 3000 requests per arm (judge.min_tail is 30), but the load plans " +
				"at most about 2140: use hold: 7m30s or rate: 2.81, or choose a lower quantile",
		},
	},
	{
		name: "too few requests in a closed loop that pauses",
		added: `gates: [{metric: ttft, stat: p99}]
load: {steps: [{concurrency: 2, think_time: 2s, hold: 5m}]}`,
		want: []string{
			"swap.yaml:5:9: gates[0]: ttft p99 needs 3000 requests per arm (judge.min_tail is 30), but the load plans " +
				"at most about 320: use hold: 47m, or choose a lower quantile",
		},
	},
	{
		name: "too few requests in one of two loops that pause",
		added: `gates: [{metric: ttft, stat: p99}]
load: {steps: [{concurrency: 2, think_time: 2s, hold: 5m}, {rate: 2, hold: 3m}]}`,
		want: []string{
			"swap.yaml:5:9: gates[0]: ttft p99 needs 3000 requests per arm (judge.min_tail is 30), but the load plans " +
				"at most about 680: hold the steps 4.42 times as long, or choose a lower quantile",
		},
	},
	{
		name: "too few requests for the tokens that may go",
		added: `gates: [{metric: ttft, stat: p99}]
workload: {input_tokens: {median: 100, sigma: 0}, output_tokens: {median: 50}}
load: {block: 30s, steps: [{concurrency: 4, think_time: 10ms, token_rate: {limit: 50, burst: 1ms}, hold: 5m}]}`,
		want: []string{
			"swap.yaml:5:9: gates[0]: ttft p99 needs 3000 requests per arm (judge.min_tail is 30), but the load plans " +
				"at most about 100: raise token_rate, or hold the steps 30 times as long, or choose a lower quantile",
		},
	},
	{
		name: "too few requests on a ramp",
		added: `gates: [{metric: ttft, stat: p99}]
load: {steps: [{rate: 4, ramp: {from: 2}, hold: 5m}]}`,
		want: []string{
			"swap.yaml:5:9: gates[0]: ttft p99 needs 3000 requests per arm (judge.min_tail is 30), but the load plans " +
				"about 975: use hold: 15m30s, or choose a lower quantile",
		},
	},
}
