package config

import (
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// givenField is a field and whether the file gives it.
type givenField struct {
	name  string
	given bool
}

// loops are the fields that set a step's level; exactly one of them is given.
var loops = []string{"concurrency", "kv_share", "rate"}

func checkStep(r *reporter, p path, s swap.Step, spec swap.Spec) {
	checkLoop(r, p, s)
	if s.Rate > 0 {
		checkClosedOnly(r, p, s)
		checkOpenStep(r, p, s, spec)
		checkSize(r, p, s, spec)
	} else {
		checkOpenOnly(r, p, s)
	}
	checkShards(r, p.child("concurrency"), s.Concurrency, spec.Load.Shards)
	checkShards(r, p.child("max_in_flight"), s.MaxInFlight, spec.Load.Shards)
	if s.KVShare > 0 {
		checkKVShare(r, p.child("kv_share"), spec)
	}
	checkStepTokens(r, p, s, spec.Workload)
	checkHold(r, p.child("hold"), s.Hold.Std(), spec.Load.Block.Std())
}

func levelFields(p path) []path {
	paths := make([]path, len(loops))
	for i, name := range loops {
		paths[i] = p.child(name)
	}
	return paths
}

func checkLoop(r *reporter, p path, s swap.Step) {
	var given []string
	for i, set := range []bool{s.Concurrency != 0, s.KVShare != 0, s.Rate != 0} {
		if set {
			given = append(given, loops[i])
		}
	}
	switch len(given) {
	case 1:
	case 0:
		r.value(p, "needs concurrency (requests in flight), kv_share (share of the KV cache) or rate (requests per second)")
	default:
		last := len(given) - 1
		r.value(p, "has %s and %s; keep one: concurrency and kv_share are closed loops, rate is an open loop",
			strings.Join(given[:last], ", "), given[last])
	}
}

func checkClosedOnly(r *reporter, p path, s swap.Step) {
	if s.ThinkTime > 0 {
		r.valueUsing(p.child("think_time"), levelFields(p),
			"belongs to a closed loop; with rate, requests do not wait for answers. Delete it, or write concurrency instead of rate")
	}
}

func checkOpenOnly(r *reporter, p path, s swap.Step) {
	for _, field := range []givenField{
		{"arrival", s.Arrival != nil},
		{"ramp", s.Ramp != nil},
		{"spike", s.Spike != nil},
		{"max_in_flight", s.MaxInFlight != 0},
	} {
		if field.given {
			r.valueUsing(p.child(field.name), levelFields(p),
				"belongs to an open loop; delete it, or give the step a rate (requests per second) instead")
		}
	}
}

// checkShards reports a number of requests in flight that cannot be shared by all load workers; 0 is a field left out.
func checkShards(r *reporter, p path, inFlight, shards int) {
	if 0 < inFlight && inFlight < shards {
		r.valueUsing(p, []path{at("load", "shards")},
			"must be at least load.shards (%d), got %d: every load worker needs a request of its own", shards, inFlight)
	}
}

// checkKVShare reports a share of the KV cache that cannot be turned into requests in flight.
func checkKVShare(r *reporter, p path, spec swap.Spec) {
	checkSeesKVCache(r, p, spec)
	if spec.Workload.PromptFile != "" {
		r.valueUsing(p, []path{at("workload", "prompt_file")},
			"excludes workload.prompt_file: how many requests fill the cache is known for planned lengths only; write concurrency instead, "+
				"or delete prompt_file")
	}
}

// checkSeesKVCache reports a field that needs to know how full the KV cache is, which only the engine can tell.
func checkSeesKVCache(r *reporter, p path, spec swap.Spec) {
	if api := spec.Workload.API; api.Unit() != swap.UnitTokens {
		r.valueUsing(p, []path{at("workload", "api")}, "is for language models; with api %s there is no KV cache to look at", api)
	}
	if see := spec.Telemetry.EngineMetrics; see != nil && !*see {
		r.valueUsing(p, []path{at("telemetry", "engine_metrics")},
			"is read from the engine's own metrics; set telemetry.engine_metrics to true, or delete it")
	}
}

func checkStepTokens(r *reporter, p path, s swap.Step, w swap.Workload) {
	if s.InputTokens != nil {
		checkStepLengths(r, p.child("input_tokens"), *s.InputTokens, "prompts")
		checkPromptsAreMade(r, p.child("input_tokens"), w)
	}
	if s.OutputTokens != nil {
		checkStepLengths(r, p.child("output_tokens"), *s.OutputTokens, "answers")
		checkCountsTokens(r, p.child("output_tokens"), w.API)
	}
	if s.TokenRate != nil {
		checkCountsTokens(r, p.child("token_rate"), w.API)
	}
}

func checkStepLengths(r *reporter, p path, l swap.Lengths, what string) {
	if l.Median == 0 {
		r.value(p.child("median"), "is required: the median length of the %s of this step, in tokens", what)
	}
	checkLengths(r, p, l)
}

// checkPromptsAreMade reports a length of prompts where prompts are not synthetic text.
func checkPromptsAreMade(r *reporter, p path, w swap.Workload) {
	switch {
	case w.PromptFile != "":
		r.valueUsing(p, []path{at("workload", "prompt_file")},
			"excludes workload.prompt_file: prompts from a file have their own lengths; delete one of the two")
	case w.API == swap.APITranscriptions:
		r.valueUsing(p, []path{at("workload", "api")},
			"has no meaning for api transcriptions; the length of its recordings is workload.audio_seconds")
	}
}

// checkCountsTokens reports a field that counts tokens where the work of a request is counted in something else.
func checkCountsTokens(r *reporter, p path, api swap.API) {
	if unit := api.Unit(); unit != swap.UnitTokens {
		r.valueUsing(p, []path{at("workload", "api")}, "has no meaning for api %s, whose work is counted in %s; delete it", api, unit)
	}
}
