package config

import (
	"slices"

	"github.com/swapgate/swapgate/pkg/swap"
)

// throughAdminURL are the kinds that cannot be steered without an admin API. Kinds of Kubernetes can: inside of a cluster the worker
// finds its API by itself.
var throughAdminURL = []swap.RouteKind{swap.RouteSwapgate, swap.RouteLiteLLM, swap.RouteWebhook}

// checkAdmin checks how the gateway's admin API is reached.
func checkAdmin(r *reporter, p path, route swap.Route) {
	switch {
	case route.AdminURL == "" && slices.Contains(throughAdminURL, route.Kind):
		r.value(p, "needs admin_url: the gateway of kind %s is steered through its admin API", route.Kind)
	case route.AdminURL != "" && route.Kind == swap.RouteCommand:
		r.value(p.child("admin_url"), "is for kinds that have an admin API; a command has none")
	}
	if route.AdminURL == "" && route.AdminToken != nil {
		r.value(p.child("admin_token"), "needs admin_url beside it")
	}
	if u := checkURL(r, p.child("admin_url"), route.AdminURL); route.AdminCA != "" && (u == nil || u.Scheme != "https") {
		r.value(p.child("admin_ca"), "needs an admin_url that starts with https://")
	}
}

// checkRouteArms reports arms that are one and the same on the gateway.
func checkRouteArms(r *reporter, p path, route swap.Route) {
	same := func(section, what string, equal bool) {
		if equal {
			r.valueUsing(p.child(section).child("candidate"), []path{p.child(section).child("baseline")},
				"is the %s of the baseline too; the candidate needs its own", what)
		}
	}
	if s := route.HTTPRoute; s != nil {
		same("http_route", "backend", s.Baseline == s.Candidate)
	}
	if s := route.InferenceService; s != nil {
		same("inference_service", "revision", s.Baseline == s.Candidate)
	}
	if s := route.LLMInferenceService; s != nil {
		same("llm_inference_service", "LLMInferenceService", s.Baseline == s.Candidate)
	}
	if s := route.VirtualService; s != nil {
		same("virtual_service", "destination", s.Baseline == s.Candidate)
	}
	if s := route.LiteLLM; s != nil {
		same("litellm", "deployment", s.Baseline == s.Candidate)
	}
}
