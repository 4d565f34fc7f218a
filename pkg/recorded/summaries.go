package recorded

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/swap"
)

// compareSummaries shows the change of each gate and decides nothing: a figure without its spread has no bounds. Percentiles of
// several levels cannot be put together, so the figure is that of the heaviest common level, the last.
func compareSummaries(common []swap.PerArm[*Stage], gates []swap.Gate, settings swap.Judge) swap.Comparison {
	c := swap.Comparison{Decision: swap.Inconclusive}
	last := common[len(common)-1]
	for _, g := range gates {
		r := summaryGate(last, g, settings)
		c.Gates = append(c.Gates, r)
		c.Reasons = append(c.Reasons, r.Reason)
	}
	if len(gates) == 0 {
		c.Reasons = []swap.Reason{{Code: swap.ReasonNotDecided, Subject: "gates", Message: "there is no gate to judge, so nothing was compared"}}
	}
	return c
}

func summaryGate(stages swap.PerArm[*Stage], g swap.Gate, settings swap.Judge) swap.GateResult {
	r := swap.GateResult{
		Gate: g, Name: g.Name(), Unit: unitOf(g.Metric), Level: settings.Level, Seed: settings.Seed, Decision: swap.Inconclusive,
		Baseline: stages.Baseline.Value(g), Candidate: stages.Candidate.Value(g),
		Reason: swap.Reason{Subject: g.Name()},
	}
	for _, arm := range swap.Arms {
		*r.N.Ptr(arm) = stages.Get(arm).Outcomes.Total()
	}
	r.Change = change(g, r.Baseline, r.Candidate)
	if !r.Change.Valid() {
		r.Reason.Code = swap.ReasonNoData
		r.Reason.Message = fmt.Sprintf("the summaries have no %s of both runs", g.Name())
		return r
	}
	r.Reason.Code = swap.ReasonLowN
	r.Reason.Message = fmt.Sprintf("changed by %s at %s, without bounds: only summaries were recorded",
		changeText(g, r.Change), stages.Baseline.Level)
	return r
}

// change is what a person reads, as in swap.GateResult.
func change(g swap.Gate, baseline, candidate swap.Value) swap.Value {
	b, okB := baseline.Get()
	c, okC := candidate.Get()
	switch {
	case !okC, !okB && !g.HasLimit():
		return swap.Absent()
	case g.HasLimit():
		return swap.Of(c - g.Limit)
	case g.LogScale():
		return swap.Of(c/b - 1)
	}
	return swap.Of(c - b)
}

func changeText(g swap.Gate, v swap.Value) string {
	switch x := v.Or(math.NaN()); {
	case g.LogScale() && !g.HasLimit():
		return fmt.Sprintf("%+.1f %%", 100*x)
	case g.Metric == swap.MetricErrorRate:
		return fmt.Sprintf("%+.2f percentage points", 100*x)
	default:
		return fmt.Sprintf("%+.4g %s", x, unitOf(g.Metric))
	}
}

// unitOf is the unit of a metric's values, as the judge names it.
func unitOf(m swap.Metric) string {
	switch m {
	case swap.MetricThroughput:
		return "tok/s"
	case swap.MetricErrorRate:
		return "fraction"
	case swap.MetricOutputTokens:
		return "tokens"
	case swap.MetricTTFT, swap.MetricTTFTScheduled, swap.MetricTPOT, swap.MetricE2E:
	}
	return "ms"
}

func onlySummaries() swap.Finding {
	return swap.Finding{
		Severity: swap.Notable, Subject: "runs",
		Message: "recorded without requests: a run has only summaries, so that no change can be told from chance and nothing passes or fails",
		Next: "record each request: vllm bench --save-result --save-detailed, profile_export.jsonl of AIPerf, request samples of " +
			"GuideLLM, per_request of inference-perf",
	}
}
