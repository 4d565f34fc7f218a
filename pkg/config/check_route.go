package config

import "github.com/swapgate/swapgate/pkg/swap"

// checkRoute checks the gateway, and what its kind needs.
func checkRoute(r *reporter, route swap.Route) {
	p := at("rollout", "route")
	checkURL(r, p.child("url"), route.URL)
	checkAdmin(r, p, route)
	checkRouteSections(r, p, route)
	if route.Kind == swap.RouteHAProxy && route.HAProxy != nil {
		checkHAProxy(r, p, route)
	}
	if route.Kind == swap.RouteNGINX && route.NGINX != nil {
		checkNGINX(r, p.child("nginx"), *route.NGINX)
	}
	checkRouteArms(r, p, route)
}

// checkRouteSections insists on the section of the route's kind, and on no other.
func checkRouteSections(r *reporter, p path, route swap.Route) {
	for _, s := range []struct {
		kind swap.RouteKind
		set  bool
	}{
		{swap.RouteHAProxy, route.HAProxy != nil},
		{swap.RouteNGINX, route.NGINX != nil},
		{swap.RouteHTTPRoute, route.HTTPRoute != nil},
		{swap.RouteInferenceService, route.InferenceService != nil},
		{swap.RouteLLMInferenceService, route.LLMInferenceService != nil},
		{swap.RouteVirtualService, route.VirtualService != nil},
		{swap.RouteLiteLLM, route.LiteLLM != nil},
		{swap.RouteWebhook, route.Webhook != nil},
		{swap.RouteCommand, route.Command != nil},
	} {
		switch {
		case !s.set && s.kind == swap.RouteWebhook:
		case s.set && s.kind != route.Kind:
			r.value(p.child(string(s.kind)), "is for a route of kind %s, but this one is of kind %s", s.kind, route.Kind)
		case !s.set && s.kind == route.Kind:
			r.value(p, "needs the section %s, which says what a gateway of kind %s needs", s.kind, route.Kind)
		}
	}
}
