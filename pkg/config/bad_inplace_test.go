package config

// inPlaceFile is a file with a swap in place; both models are on one server.
func inPlaceFile(models, inPlace string) string {
	return "target: chat\nbaseline: {url: http://a:8000, model: " + models + "}\nstore: {endpoint: s, bucket: runs}\n" +
		"in_place: {" + inPlace + "}"
}

// badInPlaces are swaps in place that cannot be made or proven.
var badInPlaces = []badFile{
	{
		name:  "in place on two servers, with a rollout",
		added: "in_place: {method: ollama}\nrollout: {route: {kind: swapgate, url: http://g, admin_url: http://g:1}}",
		want: []string{
			"swap.yaml:3:18: candidate.url: must be the url of the baseline: in_place swaps the model inside one server",
			"swap.yaml:5:11: in_place: excludes rollout: one server takes all traffic, and there is nothing to split; leave one of the two out",
		},
	},
	{
		name:  "unsafe without a word",
		whole: inPlaceFile("m}\ncandidate: {url: http://a:8000, model: m", "method: vllm_reload, from: {path: /1}, to: {path: /2}"),
		want: []string{
			"swap.yaml:5:20: in_place.method: can leave the server answering with garbage when it fails half-way, and vLLM's documentation " +
				"keeps it from production; set allow_unsafe: true if you accept that, or use another method, got \"vllm_reload\"",
		},
	},
	{
		name: "nothing would prove it",
		whole: inPlaceFile("m}\ncandidate: {url: http://a:8000, model: m",
			"method: vllm_reload, allow_unsafe: true, from: {path: /1}, to: {path: /2}, golden: {may_be_equal: true}"),
		want: []string{
			"swap.yaml:5:110: in_place.golden.may_be_equal: would leave nothing that proves a swap by vllm_reload",
		},
	},
	{
		name:  "adapters of one name",
		whole: inPlaceFile("m}\ncandidate: {url: http://a:8000, model: m", "method: vllm_lora, to: {path: /2}"),
		want: []string{
			"swap.yaml:3:40: candidate.model: must differ from the model of the baseline: each version of an adapter needs a name of its own",
		},
	},
	{
		name:  "no path, and a version that is not read",
		whole: inPlaceFile("m}\ncandidate: {url: http://a:8000, model: m", `method: sglang, from: {path: /1, version: "2"}`),
		want: []string{
			"swap.yaml:5:1: in_place.to: needs path: the method sglang loads from there",
			`swap.yaml:5:54: in_place.from.version: is not read by the method sglang`,
		},
	},
	{
		name:  "the same path",
		whole: inPlaceFile("m}\ncandidate: {url: http://a:8000, model: o", `method: sglang, from: {path: /1}, to: {path: /1}`),
		want:  []string{"swap.yaml:5:11: in_place: swaps nothing: from and to are the same"},
	},
	{
		name:  "one version of two",
		whole: inPlaceFile("m}\ncandidate: {url: http://a:8000, model: m", `method: triton, to: {version: "2"}`),
		want:  []string{"swap.yaml:5:11: in_place: needs a version both in from and in to"},
	},
	{
		name:  "versions of two models",
		whole: inPlaceFile("m}\ncandidate: {url: http://a:8000, model: o", `method: triton, from: {version: "1"}, to: {version: "2"}`),
		want:  []string{"swap.yaml:5:11: in_place: takes versions only where both models have one name"},
	},
	{
		name:  "several load workers",
		whole: inPlaceFile("m}\ncandidate: {url: http://a:8000, model: o", `method: ollama}`+"\nload: {shards: 2"),
		want:  []string{"swap.yaml:6:16: load.shards: must be 1 with in_place: one load worker swaps the model between its blocks, got 2"},
	},
	{
		name:  "images in place",
		whole: inPlaceFile("m}\ncandidate: {url: http://a:8000, model: o", `method: ollama}`+"\nworkload: {api: images"),
		want:  []string{"swap.yaml:5:11: in_place: needs answers of text, which workload.api images does not give"},
	},
}
