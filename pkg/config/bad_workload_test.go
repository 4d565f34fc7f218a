package config

// badWorkloads are workloads whose fields belong to another interface.
var badWorkloads = []badFile{
	{
		name:  "topologies of other interfaces",
		added: "workload: {api: tgi, topology: {shape: star}}",
		want: []string{
			"swap.yaml:5:32: workload.topology: shape star needs api chat or completions, got tgi; delete it, or change " +
				"the api",
		},
	},
	{
		name:  "session of completions",
		added: "workload: {api: completions, topology: {shape: session}}",
		want: []string{
			"swap.yaml:5:40: workload.topology: shape session needs api chat, which carries earlier answers on, got " +
				"completions; delete it, or write api: chat",
		},
	},
	{
		name:  "ring of images",
		added: "workload: {api: images, topology: {shape: ring}}",
		want: []string{
			"swap.yaml:5:35: workload.topology: shape ring needs api chat, which carries earlier answers on, got images; " +
				"delete it, or write api: chat",
		},
	},
	{
		name:  "think time of a star",
		added: "workload: {topology: {shape: star, think_time: 1s}}",
		want: []string{
			"swap.yaml:5:48: workload.topology.think_time: belongs to shape session; the requests of a star follow at " +
				"once. Delete it",
		},
	},
	{
		name:  "topology without a shape",
		added: "workload: {topology: {size: 1}}",
		want: []string{
			"swap.yaml:5:12: workload.topology.shape: is required",
			"swap.yaml:5:29: workload.topology.size: must be at least 2, got 1",
		},
	},
	{
		name:  "image of a chat",
		added: "workload: {image: {steps: 20}}",
		want: []string{
			"swap.yaml:5:19: workload.image: belongs to api images, and the api is chat; write api: images, or delete it",
		},
	},
	{
		name:  "recordings of speech",
		added: "workload: {api: speech, audio_seconds: {median: 9}}",
		want: []string{
			"swap.yaml:5:40: workload.audio_seconds: belongs to api transcriptions, and the api is speech; write api: " +
				"transcriptions, or delete it",
		},
	},
	{
		name:  "recordings out of order",
		added: "workload: {api: transcriptions, audio_seconds: {median: 9, max: 5}}",
		want: []string{
			"swap.yaml:5:65: workload.audio_seconds.max: must be at least the median (9), got 5",
		},
	},
	{
		name:  "recordings that are too long",
		added: "workload: {api: transcriptions, audio_seconds: {median: 4000, max: 5000}}",
		want: []string{
			"swap.yaml:5:57: workload.audio_seconds.median: must be at most 3600 (an hour), got 4000: load workers hold the " +
				"recordings in memory",
			"swap.yaml:5:68: workload.audio_seconds.max: must be at most 3600 (an hour), got 5000: load workers hold the " +
				"recordings in memory",
		},
	},
	{
		name:  "text of transcriptions",
		added: "workload: {api: transcriptions, prompt_file: p.jsonl}",
		want: []string{
			"swap.yaml:5:46: workload.prompt_file: has no meaning for api transcriptions, which sends recordings; use " +
				"audio_seconds",
		},
	},
	{
		name: "text lengths of transcriptions",
		added: `workload: {api: transcriptions, input_tokens: {median: 9}}
load: {steps: [{concurrency: 1, input_tokens: {median: 9}, hold: 5m}]}`,
		want: []string{
			"swap.yaml:5:47: workload.input_tokens: has no meaning for api transcriptions, which sends recordings; use " +
				"audio_seconds",
			"swap.yaml:6:47: load.steps[0].input_tokens: has no meaning for api transcriptions; the length of its " +
				"recordings is workload.audio_seconds",
		},
	},
	{
		name: "fields of language models",
		added: `workload: {api: images, output_tokens: {median: 9}, ignore_eos: true, temperature: 1}
load: {steps: [{concurrency: 4, output_tokens: {median: 9}, token_rate: {limit: 8500}, hold: 5m}]}`,
		want: []string{
			"swap.yaml:5:40: workload.output_tokens: has no meaning for api images, whose work is counted in pixel " +
				"steps; delete it",
			"swap.yaml:5:65: workload.ignore_eos: has no meaning for api images, whose work is counted in pixel steps; " +
				"delete it",
			"swap.yaml:5:84: workload.temperature: has no meaning for api images; delete it",
			"swap.yaml:6:48: load.steps[0].output_tokens: has no meaning for api images, whose work is counted in pixel " +
				"steps; delete it",
			"swap.yaml:6:73: load.steps[0].token_rate: has no meaning for api images, whose work is counted in pixel " +
				"steps; delete it",
		},
	},
	{
		name:  "misspelt interface beside its fields",
		added: "workload: {api: image, image: {}, temperature: 1}",
		want: []string{
			"swap.yaml:5:17: workload.api: must be chat, completions, tgi, sglang, triton, ollama, images, speech or " +
				`transcriptions, got "image"; did you mean "images"?`,
		},
	},
	{
		name: "gates of language models",
		added: `workload: {api: speech}
gates: [{metric: ttft, stat: p50}, {metric: ttft_scheduled, stat: p50}, {metric: tpot, stat: p50},
  {metric: output_tokens}, {metric: throughput}]`,
		want: []string{
			"swap.yaml:6:18: gates[0].metric: ttft has no meaning for api speech, whose answers come whole; use e2e",
			"swap.yaml:6:45: gates[1].metric: ttft_scheduled has no meaning for api speech, whose answers come whole; " +
				"use e2e",
			"swap.yaml:6:82: gates[2].metric: tpot has no meaning for api speech, whose answers come whole; use e2e",
			"swap.yaml:7:12: gates[3].metric: output_tokens has no meaning for api speech, whose answers are not counted " +
				"in tokens; use e2e, throughput or error_rate",
		},
	},
}
