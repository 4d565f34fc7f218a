package config

import (
	"slices"

	"github.com/swapgate/swapgate/pkg/swap"
)

func checkLimits(r *reporter, spec swap.Spec) {
	limits, p := spec.Load.Limits, at("load", "limits")
	if limits.TTFTP95 > 0 && spec.Workload.API.Unit() != swap.UnitTokens {
		r.valueUsing(p.child("ttft_p95"), []path{at("workload", "api")},
			"has no meaning for api %s, whose answers come whole; use e2e_p95", spec.Workload.API)
	}
	if limits.KVUsage > 0 {
		checkSeesKVCache(r, p.child("kv_usage"), spec)
	}
	if limits.GPUUtilization > 0 && !slices.ContainsFunc(spec.Telemetry.Sources, isDCGM) {
		r.valueUsing(p.child("gpu_utilization"), []path{at("telemetry", "sources")},
			"needs a source of kind dcgm: add {kind: dcgm, url: …} to telemetry.sources, or delete it")
	}
}

func isDCGM(s swap.TelemetrySource) bool { return s.Kind == swap.SourceDCGM }

func checkExtend(r *reporter, l swap.Load) {
	if l.Extend == nil {
		return
	}
	p := at("load", "extend")
	for _, field := range []struct {
		name  string
		owner swap.SteadyRule
		given bool
	}{
		{"precision", swap.SteadyTrend, l.Extend.Precision != 0},
		{"cv", swap.SteadyCV, l.Extend.CV != 0},
	} {
		if field.given && l.Extend.Rule != field.owner {
			r.valueUsing(p.child(field.name), []path{p.child("rule")},
				"belongs to rule %s, and the rule is %s; write rule: %s, or delete it", field.owner, l.Extend.Rule, field.owner)
		}
	}
	checkMaxHold(r, p.child("max_hold"), l)
}

func checkMaxHold(r *reporter, p path, l swap.Load) {
	longest, holder := swap.Duration(0), path(nil)
	for i, s := range l.Steps {
		if s.Hold > longest {
			longest, holder = s.Hold, at("load", "steps", i)
		}
	}
	if l.Gradient != nil && l.Block*swap.Duration(l.Gradient.Rounds) > longest {
		longest, holder = l.Block*swap.Duration(l.Gradient.Rounds), at("load", "gradient")
	}
	if longest > l.Extend.MaxHold {
		r.valueUsing(p, []path{holder, at("load", "block")}, "must be at least the longest hold (%s, %s), got %s",
			short(longest.Std()), holder, short(l.Extend.MaxHold.Std()))
	}
}
