package config

import "github.com/swapgate/swapgate/pkg/swap"

// checkRoute checks the gateway, and what its kind needs.
func checkRoute(r *reporter, route swap.Route) {
	p := at("rollout", "route")
	checkURL(r, p.child("url"), route.URL)
	if route.Kind == swap.RouteSwapgate && route.AdminURL == "" {
		r.value(p, "needs admin_url: the gateway of kind %s is steered through its admin API", route.Kind)
	}
	if route.AdminURL != "" {
		checkURL(r, p.child("admin_url"), route.AdminURL)
	}
}
