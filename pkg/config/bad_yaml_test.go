package config

// badYAML are faults of the file and of its YAML.
var badYAML = []badFile{
	{
		name:  "empty file",
		whole: "",
		want: []string{
			"swap.yaml: is empty; it needs at least target, baseline and candidate (see docs/configuration.md)",
		},
	},
	{
		name:  "only comments",
		whole: "# later",
		want: []string{
			"swap.yaml: is empty; it needs at least target, baseline and candidate (see docs/configuration.md)",
		},
	},
	{
		name: "null document",
		whole: `---
~`,
		want: []string{
			"swap.yaml: is empty; it needs at least target, baseline and candidate (see docs/configuration.md)",
		},
	},
	{
		name:  "scalar document",
		whole: "just text",
		want: []string{
			"swap.yaml: must hold fields such as target: and baseline:, not a single value",
		},
	},
	{
		name: "list document",
		whole: `- a
- b`,
		want: []string{
			"swap.yaml: must hold fields such as target: and baseline:, not a list",
		},
	},
	{
		name:  "control character",
		whole: "target: a\nbaseline: \"\x07\"\n",
		want: []string{
			"swap.yaml:2:1: holds a control character; remove it",
		},
	},
	{
		name: "bad indentation",
		whole: `target: a
  baseline: b`,
		want: []string{
			"swap.yaml:2:11: is not valid YAML: mapping values are not allowed in this context; check the indentation, or " +
				"put the text in quotes if it holds a colon",
		},
	},
	{
		name:  "unclosed list",
		whole: "gates: [1, 2",
		want: []string{
			"swap.yaml:1:8: is not valid YAML: did not find expected ',' or ']'; a list in [ ] or a group in { } is not closed",
		},
	},
	{
		name:  "unclosed quote",
		whole: "target: 'x",
		want: []string{
			"swap.yaml:1:9: is not valid YAML: found unexpected end of stream; a quote is not closed",
		},
	},
	{
		name: "tab",
		whole: `target: x
	gates: 3`,
		want: []string{
			"swap.yaml:2:1: is not valid YAML: found a tab character that violates indentation; indent with spaces",
		},
	},
	{
		name:  "reserved character",
		whole: "target: @x",
		want: []string{
			"swap.yaml:1:9: is not valid YAML: found character that cannot start any token; indent with spaces instead of " +
				"tabs, and put text that starts with @, ` or % in quotes",
		},
	},
	{
		name: "version directive",
		whole: `%YAML 1.2
---
target: x`,
		want: []string{
			"swap.yaml:1:1: is not valid YAML: found incompatible YAML document; delete the %YAML line",
		},
	},
	{
		name:  "unknown anchor",
		whole: "target: *nope",
		want: []string{
			"swap.yaml:1:9: is not valid YAML: unknown anchor; define it with & before it is used",
		},
	},
	{
		name: "second document",
		added: `---
target: b`,
		want: []string{
			"swap.yaml:5:1: a second YAML document begins here; keep one document in a file",
		},
	},
	{
		name: "broken second document",
		added: `---
target: [b`,
		want: []string{
			"swap.yaml:6:9: is not valid YAML: did not find expected ',' or ']'; a list in [ ] or a group in { } is not closed",
		},
	},
	{
		name:  "duplicate field",
		added: "target: again",
		want: []string{
			`swap.yaml:5:1: the field "target" is given twice; the first is on line 1`,
		},
	},
	{
		name:  "duplicate nested field",
		added: "warm_up: {concurrency: 1, concurrency: 2}",
		want: []string{
			`swap.yaml:5:27: warm_up: the field "concurrency" is given twice; the first is on line 5`,
		},
	},
	{
		name: "composite field name",
		added: `? [a]
: 1`,
		want: []string{
			"swap.yaml:5:3: the name of a field must be plain text",
		},
	},
	{
		name:  "numeric field name",
		added: "5: 1",
		want: []string{
			"swap.yaml:5:1: the name of a field must be plain text",
		},
	},
	{
		name:  "custom tag",
		added: "workload: !custom {api: chat}",
		want: []string{
			"swap.yaml:5:11: workload: YAML tags such as !custom are not supported",
		},
	},
	{
		name:  "group without a value",
		added: "gates:",
		want: []string{
			"swap.yaml:5:7: gates: has no value; give it one or delete the line",
		},
	},
	{
		name: "value lost in a comment",
		added: `notify:
  slack:
    channel: #releases`,
		want: []string{
			`swap.yaml:7:13: notify.slack.channel: has no value; give it one or delete the line (# starts a comment in ` +
				`YAML: write "#channel" in quotes)`,
		},
	},
	{
		name: "alias within itself",
		added: `workload: &w
  input_tokens: *w`,
		want: []string{
			"swap.yaml:5:11: workload.input_tokens: the alias refers to a value that holds it",
		},
	},
	{
		name: "alias of the wrong group",
		added: `workload: &w {api: chat}
telemetry: *w`,
		want: []string{
			`swap.yaml:5:15: telemetry: unknown field "api"; known here: engine_metrics, interval, sources`,
		},
	},
	{
		name: "merge of a scalar",
		added: `workload:
  <<: 3`,
		want: []string{
			`swap.yaml:6:7: workload["<<"]: a merge key needs a group of fields`,
		},
	},
	{
		name: "merge with an unknown field",
		added: `load:
  steps:
    - &s {concurrency: 4, hold: 5m}
    - <<: *s
      rates: 8`,
		want: []string{
			`swap.yaml:9:7: load.steps[1]: unknown field "rates"; did you mean "rate"?`,
		},
	},
	{
		name:  "number as .nan",
		added: "workload: {temperature: .nan}",
		want: []string{
			`swap.yaml:5:25: workload.temperature: write numbers in plain decimal digits, or text in quotes, not ".nan"`,
		},
	},
	{
		name:  "number in hexadecimal",
		added: "workload: {seed: 0x10}",
		want: []string{
			`swap.yaml:5:18: workload.seed: write numbers in plain decimal digits, or text in quotes, not "0x10"`,
		},
	},
	{
		name:  "number in octal",
		added: "workload: {seed: 010}",
		want: []string{
			`swap.yaml:5:18: workload.seed: write numbers in plain decimal digits, or text in quotes, not "010"`,
		},
	},
	{
		name:  "number with underscores",
		added: "workload: {seed: 1_000}",
		want: []string{
			`swap.yaml:5:18: workload.seed: write numbers in plain decimal digits, or text in quotes, not "1_000"`,
		},
	},
}
