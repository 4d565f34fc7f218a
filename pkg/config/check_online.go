package config

import (
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// checkPrometheus reports queries that cannot tell the arms apart, or that are asked twice.
func checkPrometheus(r *reporter, p *swap.Prometheus) {
	if p == nil {
		return
	}
	here := at("rollout", "prometheus")
	checkURL(r, here.child("url"), p.URL)
	if p.Arms.Baseline == p.Arms.Candidate {
		r.valueUsing(here.child("arms"), nil, "must tell the arms apart: both are %q", p.Arms.Baseline)
	}
	seen := map[string]bool{}
	for i, q := range p.Queries {
		query := at("rollout", "prometheus", "queries", i)
		if !strings.Contains(q.Query, "$arm") {
			r.value(query.child("query"), "must have the placeholder $arm: without it both arms are asked the same")
		}
		if q.Unit != swap.Absolute && q.Margin >= 1 {
			r.valueUsing(query.child("margin"), []path{query.child("unit")},
				"%v means %.0f %%; write 0.05 for 5 %%, or unit: absolute", q.Margin, 100*q.Margin)
		}
		if seen[q.Name] {
			r.value(query.child("name"), "%s is listed twice", q.Name)
		}
		seen[q.Name] = true
	}
}
