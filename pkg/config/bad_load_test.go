package config

import "strings"

// badLoads are gradients, shards, extensions and limits that cannot be.
var badLoads = []badFile{
	{
		name:  "shards beyond what is in flight",
		added: "load: {shards: 6, steps: [{concurrency: 4, hold: 3m}, {rate: 99, max_in_flight: 5, hold: 3m}], gradient: {}}",
		want: []string{
			"swap.yaml:5:41: load.steps[0].concurrency: must be at least load.shards (6), got 4: every load worker needs " +
				"a request of its own",
			"swap.yaml:5:81: load.steps[1].max_in_flight: must be at least load.shards (6), got 5: every load worker " +
				"needs a request of its own",
			"swap.yaml:5:96: load.gradient.concurrency: must be at least load.shards (6), got 1: every load worker needs " +
				"a request of its own (left out, so the default applies)",
		},
	},
	{
		name: "gradient beside a prompt file",
		added: `workload: {prompt_file: p.jsonl}
load: {gradient: {}}`,
		want: []string{
			"swap.yaml:6:18: load.gradient: excludes workload.prompt_file: a gradient sets the length of synthetic " +
				"prompts; delete one of the two",
		},
	},
	{
		name: "gradient of transcriptions",
		added: `workload: {api: transcriptions}
load: {gradient: {}}`,
		want: []string{
			"swap.yaml:6:18: load.gradient: is for language models: with api transcriptions the length of the prompt is " +
				"not the work; list steps instead",
		},
	},
	{
		name:  "gradient that falls",
		added: "load: {gradient: {from: 512, to: 512}}",
		want: []string{
			"swap.yaml:5:34: load.gradient.to: must be above from (512), got 512",
		},
	},
	{
		name:  "gradient from above its default end",
		added: "load: {gradient: {from: 9000}}",
		want: []string{
			"swap.yaml:5:8: load.gradient.to: must be above from (9000), got 8192 (left out, so the default applies)",
		},
	},
	{
		name:  "gradient with equal lengths",
		added: "load: {gradient: {from: 1, to: 10, levels: 9}}",
		want: []string{
			"swap.yaml:5:44: load.gradient.levels: 9 lengths from 1 to 10 are not all different after rounding; write " +
				"levels: 6, or a wider range",
		},
	},
	{
		name:  "gradient with too many steps",
		added: "load: {gradient: {levels: 50}, steps: [" + strings.Repeat("{concurrency: 1}, ", 51) + "]}",
		want: []string{
			"swap.yaml:5:27: load.gradient.levels: makes 101 steps together with the 51 that are listed; at most 100 can " +
				"be run",
		},
	},
	{
		name:  "gradient with too many rounds",
		added: "load: {gradient: {rounds: 50}, block: 1h}",
		want: []string{
			"swap.yaml:5:27: load.gradient.rounds: 50 blocks of 1h are 50h; a step is held for at most 24h: write " +
				"rounds: 24",
		},
	},
	{
		name:  "gradient with too few blocks",
		added: "load: {gradient: {levels: 3, rounds: 3}}",
		want: []string{
			"swap.yaml:5:7: load: plans 9 blocks per arm, but judge.min_blocks is 10: write rounds: 4 or more levels in " +
				"load.gradient, or add steps",
		},
	},
	{
		name:  "gradient out of its ranges",
		added: "load: {gradient: {from: 0, to: 2e6, levels: 1, rounds: 0, concurrency: 0.5}}",
		want: []string{
			"swap.yaml:5:25: load.gradient.from: must be at least 1, got 0",
			"swap.yaml:5:32: load.gradient.to: must be at most 1000000, got 2e6",
			"swap.yaml:5:45: load.gradient.levels: must be at least 2, got 1",
			"swap.yaml:5:56: load.gradient.rounds: must be at least 1, got 0",
			"swap.yaml:5:72: load.gradient.concurrency: must be a whole number, got the number 0.5",
		},
	},
	{
		name:  "extension below a hold",
		added: "load: {extend: {max_hold: 4m}, steps: [{concurrency: 4}, {concurrency: 8, hold: 6m}]}",
		want: []string{
			"swap.yaml:5:27: load.extend.max_hold: must be at least the longest hold (6m, load.steps[1]), got 4m",
		},
	},
	{
		name:  "extension below the default hold of a gradient",
		added: "load: {extend: {max_hold: 2m}, gradient: {}}",
		want: []string{
			"swap.yaml:5:27: load.extend.max_hold: must be at least the longest hold (2m30s, load.gradient), got 2m",
		},
	},
	{
		name:  "fields of the other rule",
		added: "load: {extend: {cv: 0.1}}",
		want: []string{
			"swap.yaml:5:21: load.extend.cv: belongs to rule cv, and the rule is trend; write rule: cv, or delete it",
		},
	},
	{
		name:  "precision of rule cv",
		added: "load: {extend: {rule: cv, precision: 0.1}}",
		want: []string{
			"swap.yaml:5:38: load.extend.precision: belongs to rule trend, and the rule is cv; write rule: trend, or " +
				"delete it",
		},
	},
	{
		name:  "reaction with a scenario and weights",
		added: "load: {reaction: {scenario: content, weights: {sensitivity: 0.5, knee: 0.3, cost: 0.2}}}",
		want: []string{
			"swap.yaml:5:29: load.reaction.scenario: cannot be given together with weights; delete one of them",
		},
	},
	{
		name:  "weights of a reaction that do not sum to 1",
		added: "load: {reaction: {weights: {sensitivity: 0.5, knee: 0.3, cost: 0.3}, price_per_hour: {}}}",
		want: []string{
			"swap.yaml:5:28: load.reaction.weights: sensitivity, knee and cost must sum to 1, got 1.1",
			"swap.yaml:5:86: load.reaction.price_per_hour: needs baseline, candidate or both; or delete it",
		},
	},
	{
		name:  "reaction out of its ranges",
		added: "load: {reaction: {slope_ms_per_token: 0, cost_per_1k_tokens: -1, scenario: bank, price_per_hour: {candidate: 0}}}",
		want: []string{
			"swap.yaml:5:39: load.reaction.slope_ms_per_token: must be greater than 0, got 0",
			"swap.yaml:5:62: load.reaction.cost_per_1k_tokens: must be greater than 0, got -1",
			"swap.yaml:5:76: load.reaction.scenario: must be finance or content, got \"bank\"",
			"swap.yaml:5:110: load.reaction.price_per_hour.candidate: must be greater than 0, got 0",
		},
	},
	{
		name:  "reaction without tokens",
		added: "workload: {api: images}\nload: {reaction: {}}",
		want: []string{
			"swap.yaml:6:18: load.reaction: has no meaning for api images, whose answers are not tokens; delete it",
		},
	},
	{
		name:  "limits without their sources",
		added: "load: {limits: {gpu_utilization: 0.95}}",
		want: []string{
			"swap.yaml:5:34: load.limits.gpu_utilization: needs a source of kind dcgm: add {kind: dcgm, url: …} to " +
				"telemetry.sources, or delete it",
		},
	},
	{
		name:  "limits out of range",
		added: "load: {limits: {error_rate: 1.5, ttft_p95: 0s}, calibration: {duration: 2m, token_error: 0.05ms}, shards: 0}",
		want: []string{
			"swap.yaml:5:29: load.limits.error_rate: must be at most 1, got 1.5",
			"swap.yaml:5:44: load.limits.ttft_p95: must be at least 1ms, got 0s",
			"swap.yaml:5:73: load.calibration.duration: must be at most 1m, got 2m",
			"swap.yaml:5:90: load.calibration.token_error: must be at least 0.1ms, got 0.05ms",
			"swap.yaml:5:107: load.shards: must be at least 1, got 0",
		},
	},
	{
		name: "first token of images",
		added: `workload: {api: images}
load: {limits: {ttft_p95: 2s}}`,
		want: []string{
			"swap.yaml:6:27: load.limits.ttft_p95: has no meaning for api images, whose answers come whole; use e2e_p95",
		},
	},
}
