package config

import (
	"net/url"

	"github.com/swapgate/swapgate/pkg/swap"
)

// sourceRule is what a method needs to know of a model beside its name.
type sourceRule struct {
	// path and version say whether the method reads in_place.from and to in this way.
	path, version bool
	// base says that from may have no path: the base model.
	base bool
	// sameName says that both models must have one name, otherName that they must have two.
	sameName, otherName bool
	// why explains the names.
	why string
}

var sourceRules = map[swap.InPlaceMethod]sourceRule{
	swap.InPlaceVLLMLoRA: {
		path: true, base: true, otherName: true, why: "each version of an adapter needs a name of its own",
	},
	swap.InPlaceVLLMReload: {path: true, sameName: true, why: "the name of the model stays when its weights are reloaded"},
	swap.InPlaceSGLang:     {path: true},
	swap.InPlaceTriton:     {version: true},
	swap.InPlaceLlamaCPP:   {otherName: true, why: "the name is all that tells the models apart"},
	swap.InPlaceOllama:     {otherName: true, why: "the name is all that tells the models apart"},
	swap.InPlaceLlamaSwap:  {otherName: true, why: "the name is all that tells the models apart"},
}

func checkInPlace(r *reporter, spec swap.Spec) {
	p, in := at("in_place"), *spec.InPlace
	checkURL(r, p.child("admin_url"), in.AdminURL)
	if spec.Rollout != nil {
		r.value(p, "excludes rollout: one server takes all traffic, and there is nothing to split; leave one of the two out")
	}
	if in.Method == swap.InPlaceVLLMReload && !in.AllowUnsafe {
		r.value(p.child("method"), "can leave the server answering with garbage when it fails half-way, and vLLM's documentation keeps "+
			"it from production; set allow_unsafe: true if you accept that, or use another method, got %q", in.Method)
	}
	if spec.Workload.API.Unit() != swap.UnitTokens {
		r.valueUsing(p, []path{at("workload", "api")}, "needs answers of text, which workload.api %s does not give", spec.Workload.API)
	}
	if spec.Load.Shards > 1 {
		r.valueUsing(at("load", "shards"), []path{p}, "must be 1 with in_place: one load worker swaps the model between its blocks, got %d",
			spec.Load.Shards)
	}
	checkOneServer(r, spec)
	checkSources(r, spec)
	if in.Method == swap.InPlaceVLLMReload && in.Golden.MayBeEqual {
		r.valueUsing(p.child("golden").child("may_be_equal"), []path{p.child("method")},
			"would leave nothing that proves a swap by %s", in.Method)
	}
}

// checkOneServer reports two addresses: the swap happens inside one server.
func checkOneServer(r *reporter, spec swap.Spec) {
	b, errB := url.Parse(spec.Baseline.URL)
	c, errC := url.Parse(spec.Candidate.URL)
	if errB == nil && errC == nil && !sameServer(b, c) {
		r.valueUsing(at("candidate", "url"), []path{at("baseline", "url")},
			"must be the url of the baseline: in_place swaps the model inside one server")
	}
}

// checkSources reports what the method does not read, what it lacks, and models that it could not tell apart.
func checkSources(r *reporter, spec swap.Spec) {
	in, method := spec.InPlace, at("in_place", "method")
	rule, known := sourceRules[in.Method]
	if !known {
		return
	}
	for _, arm := range swap.Arms {
		name, source := "from", in.From
		if arm == swap.Candidate {
			name, source = "to", in.To
		}
		p := at("in_place", name)
		switch {
		case source.Path != "" && !rule.path:
			r.valueUsing(p.child("path"), []path{method}, "is not read by the method %s", in.Method)
		case source.Version != "" && !rule.version:
			r.valueUsing(p.child("version"), []path{method}, "is not read by the method %s", in.Method)
		case source.Path == "" && rule.path && (arm == swap.Candidate || !rule.base):
			r.valueUsing(p, []path{method}, "needs path: the method %s loads from there", in.Method)
		}
	}
	checkNames(r, spec, rule)
	if spec.InPlaceModelOf(swap.Baseline) == spec.InPlaceModelOf(swap.Candidate) || rule.path && in.From == in.To {
		r.valueUsing(at("in_place"), []path{method, at("baseline", "model"), at("candidate", "model")},
			"swaps nothing: from and to are the same")
	}
}

func checkNames(r *reporter, spec swap.Spec, rule sourceRule) {
	model, method := at("candidate", "model"), at("in_place", "method")
	same := spec.Baseline.Model == spec.Candidate.Model
	versions := spec.InPlace.From.Version != "" || spec.InPlace.To.Version != ""
	switch {
	case rule.sameName && !same:
		r.valueUsing(model, []path{method, at("baseline", "model")}, "must be the model of the baseline (%s): %s",
			show(model, spec.Baseline.Model), rule.why)
	case rule.otherName && same:
		r.valueUsing(model, []path{method, at("baseline", "model")}, "must differ from the model of the baseline: %s", rule.why)
	case rule.version && versions && same && (spec.InPlace.From.Version == "" || spec.InPlace.To.Version == ""):
		r.valueUsing(at("in_place"), []path{method, at("baseline", "model"), model}, "needs a version both in from and in to")
	case rule.version && versions && !same:
		r.valueUsing(at("in_place"), []path{method, at("baseline", "model"), model},
			"takes versions only where both models have one name")
	}
}
