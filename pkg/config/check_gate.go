package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

func checkGates(r *reporter, gates []swap.Gate, api swap.API) {
	first := map[string]int{}
	for i, g := range gates {
		p := at("gates", i)
		checkMetric(r, p, g, api)
		checkStat(r, p, g)
		if g.HasLimit() {
			checkLimit(r, p, g)
		} else {
			checkMargin(r, p, g)
		}
		checkDirection(r, p, g)
		if earlier, again := first[g.Name()]; again {
			r.value(p, "%s is a gate already (gates[%d]); delete one of the two", g.Name(), earlier)
			continue
		}
		first[g.Name()] = i
	}
}

// checkMetric reports a metric that answers in one piece do not have.
func checkMetric(r *reporter, p path, g swap.Gate, api swap.API) {
	metric, using := p.child("metric"), []path{at("workload", "api")}
	if api.Unit() == swap.UnitTokens {
		return
	}
	switch g.Metric {
	case swap.MetricTTFT, swap.MetricTTFTScheduled, swap.MetricTPOT:
		r.valueUsing(metric, using, "%s has no meaning for api %s, whose answers come whole; use e2e", g.Metric, api)
	case swap.MetricOutputTokens:
		r.valueUsing(metric, using, "%s has no meaning for api %s, whose answers are not counted in tokens; use e2e, throughput "+
			"or error_rate", g.Metric, api)
	case swap.MetricQuality:
		r.valueUsing(metric, using, "%s has no meaning for api %s, whose answers are no text that could be held against an expectation; "+
			"delete the gate", g.Metric, api)
	case swap.MetricE2E, swap.MetricThroughput, swap.MetricErrorRate:
	}
}

func isRate(m swap.Metric) bool { return m == swap.MetricThroughput || m == swap.MetricErrorRate }

func checkStat(r *reporter, p path, g swap.Gate) {
	stat, using := p.child("stat"), []path{p.child("metric")}
	switch {
	case g.Stat == "":
		r.valueUsing(stat, using, "is required for %s: p50, p90, p95, p99 or mean", g.Metric)
	case g.Metric == swap.MetricQuality && g.Stat != swap.StatMean:
		r.valueUsing(stat, using, "must be mean for %s, got %q: scores take few values, so that quantiles of them jump", g.Metric, g.Stat)
	case isRate(g.Metric) && g.Stat != swap.StatRate:
		r.valueUsing(stat, using, "must be rate for %s, got %q", g.Metric, g.Stat)
	case !isRate(g.Metric) && g.Stat == swap.StatRate:
		r.valueUsing(stat, using, "rate belongs to throughput and error_rate; for %s use p50, p90, p95, p99 or mean", g.Metric)
	}
}

func checkMargin(r *reporter, p path, g swap.Gate) {
	margin, using := p.child("margin"), []path{p.child("metric"), p.child("stat"), p.child("unit")}
	switch {
	case g.Limit != 0:
		r.valueUsing(p.child("limit"), []path{p.child("vs")}, "belongs to vs: slo; against the baseline a gate has a margin")
	case g.Metric == swap.MetricQuality && g.Unit == swap.Relative:
		r.valueUsing(p.child("unit"), using[:1], "must be absolute for quality: a margin of 0.01 is 1 percentage point")
	case g.Margin == 0:
		r.valueUsing(margin, using, "is required for %s with unit %s", g.Name(), g.Unit)
	case g.Unit == swap.Relative && g.Margin >= 1:
		r.valueUsing(margin, using, "%s means %s %%; write %s for %s %%. A tolerance of 100 %% or more needs unit: absolute",
			decimal(g.Margin), decimal(g.Margin*100), decimal(g.Margin/100), decimal(g.Margin))
	case g.Metric.IsShare() && g.Margin >= 1:
		r.valueUsing(margin, using, "%s means %s percentage points; write %s for %s percentage points",
			decimal(g.Margin), decimal(g.Margin*100), decimal(g.Margin/100), decimal(g.Margin))
	}
}

// checkLimit reports a gate against an SLO that is not of a limit alone.
func checkLimit(r *reporter, p path, g swap.Gate) {
	limit, using := p.child("limit"), []path{p.child("vs"), p.child("metric"), p.child("stat")}
	switch {
	case g.Margin != 0:
		r.valueUsing(p.child("margin"), using, "belongs to vs: baseline; with vs: slo the candidate must keep the limit itself")
	case g.Unit != swap.Absolute:
		r.valueUsing(p.child("unit"), using, "must be absolute with vs: slo, got %q: a limit is in the metric's own unit", g.Unit)
	case g.Limit == 0:
		r.valueUsing(limit, using, "is required for %s: the value to keep, in the metric's unit", g.Name())
	case g.Metric.IsShare() && g.Limit >= 1:
		r.valueUsing(limit, using, "%s means %s %%; write %s for %s %%",
			decimal(g.Limit), decimal(g.Limit*100), decimal(g.Limit/100), decimal(g.Limit))
	}
}

// checkDirection reports a gate that would praise what is worse.
func checkDirection(r *reporter, p path, g swap.Gate) {
	allowed := []swap.Direction{swap.LowerIsBetter, swap.Either}
	switch g.Metric {
	case swap.MetricThroughput, swap.MetricQuality:
		allowed = []swap.Direction{swap.HigherIsBetter, swap.Either}
	case swap.MetricOutputTokens:
		allowed = []swap.Direction{swap.LowerIsBetter, swap.HigherIsBetter, swap.Either}
	}
	if g.HasLimit() {
		allowed = slices.DeleteFunc(allowed, func(d swap.Direction) bool { return d == swap.Either })
	}
	if !slices.Contains(allowed, g.Better) {
		r.valueUsing(p.child("better"), []path{p.child("metric"), p.child("vs")}, "must be %s for %s, got %q",
			anyOf(allowed), g.Metric, g.Better)
	}
}

// anyOf is such as "lower or either".
func anyOf(directions []swap.Direction) string {
	names := make([]string, len(directions))
	for i, d := range directions {
		names[i] = string(d)
	}
	return strings.Join(names, " or ")
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
