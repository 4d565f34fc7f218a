package config

import (
	"github.com/swapgate/swapgate/pkg/swap"
)

func checkWorkload(r *reporter, w swap.Workload) {
	checkPrompts(r, w)
	checkLengths(r, at("workload", "input_tokens"), w.InputTokens)
	checkLengths(r, at("workload", "output_tokens"), w.OutputTokens)
	checkUnitFields(r, w)
	if w.Topology != nil {
		checkTopology(r, *w.Topology, w.API)
	}
}

func checkPrompts(r *reporter, w swap.Workload) {
	input, file, api := at("workload", "input_tokens"), at("workload", "prompt_file"), at("workload", "api")
	switch {
	case w.API == swap.APITranscriptions && w.PromptFile != "":
		r.valueUsing(file, []path{api}, "has no meaning for api transcriptions, which sends recordings; use audio_seconds")
	case w.PromptFile != "" && w.InputTokens != (swap.Lengths{}):
		r.valueUsing(input, []path{file},
			"excludes prompt_file: prompts from a file have their own lengths; delete one of the two")
	}
	if w.API == swap.APITranscriptions && w.InputTokens != (swap.Lengths{}) {
		r.valueUsing(input, []path{api}, "has no meaning for api transcriptions, which sends recordings; use audio_seconds")
	}
}

// checkUnitFields reports fields that describe another kind of work than that of the API.
func checkUnitFields(r *reporter, w swap.Workload) {
	p, api := at("workload"), []path{at("workload", "api")}
	if w.OutputTokens != (swap.Lengths{}) {
		checkCountsTokens(r, p.child("output_tokens"), w.API)
	}
	if w.IgnoreEOS {
		checkCountsTokens(r, p.child("ignore_eos"), w.API)
	}
	if w.Temperature > 0 && (w.API == swap.APIImages || w.API == swap.APISpeech) {
		r.valueUsing(p.child("temperature"), api, "has no meaning for api %s; delete it", w.API)
	}
	if w.Image != nil && w.API != swap.APIImages {
		r.valueUsing(p.child("image"), api, "belongs to api images, and the api is %s; write api: images, or delete it", w.API)
	}
	if w.AudioSeconds != nil {
		checkRecordings(r, p.child("audio_seconds"), w)
	}
}

func checkRecordings(r *reporter, p path, w swap.Workload) {
	if w.API != swap.APITranscriptions {
		r.valueUsing(p, []path{at("workload", "api")},
			"belongs to api transcriptions, and the api is %s; write api: transcriptions, or delete it", w.API)
	}
	for _, field := range []struct {
		name    string
		seconds int
	}{{"median", w.AudioSeconds.Median}, {"max", w.AudioSeconds.Max}} {
		if field.seconds > longestAudioSeconds {
			r.value(p.child(field.name), "must be at most %d (an hour), got %d: load workers hold the recordings in memory",
				longestAudioSeconds, field.seconds)
		}
	}
	checkLengths(r, p, *w.AudioSeconds)
}

func checkTopology(r *reporter, t swap.Topology, api swap.API) {
	p := at("workload", "topology")
	using := []path{at("workload", "api"), p.child("shape")}
	switch {
	case api == swap.APIChat:
	case t.Shape == swap.ShapeStar && api != swap.APICompletions:
		r.valueUsing(p, using, "shape star needs api chat or completions, got %s; delete it, or change the api", api)
	case t.Shape != swap.ShapeStar:
		r.valueUsing(p, using, "shape %s needs api chat, which carries earlier answers on, got %s; delete it, or write api: chat",
			t.Shape, api)
	}
	if t.ThinkTime > 0 && t.Shape != swap.ShapeSession {
		r.valueUsing(p.child("think_time"), using, "belongs to shape session; the requests of a %s follow at once. Delete it", t.Shape)
	}
}

func checkLengths(r *reporter, p path, l swap.Lengths) {
	median := p.child("median")
	if l.Min > l.Median {
		r.valueUsing(p.child("min"), []path{median}, "must be at most the median (%d), got %d", l.Median, l.Min)
	}
	if l.Max < l.Median {
		r.valueUsing(p.child("max"), []path{median}, "must be at least the median (%d), got %d", l.Median, l.Max)
	}
}
