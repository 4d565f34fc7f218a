package config

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/swap"
)

// leastLatencyMS is below what a model takes for a first token, for one more token, or for an answer: a limit below it was
// probably written in seconds.
const leastLatencyMS = 1

// limitWarnings say which limits of latencies look like seconds.
func limitWarnings(spec swap.Spec) []PlanWarning {
	var out []PlanWarning
	for i, g := range spec.Gates {
		switch g.Metric {
		case swap.MetricTTFT, swap.MetricTTFTScheduled, swap.MetricTPOT, swap.MetricE2E:
			if g.HasLimit() && g.Limit < leastLatencyMS {
				out = append(out, PlanWarning{
					Field:   at("gates", i, "limit").String(),
					Message: fmt.Sprintf("limits of latencies are in ms, and %g looks like seconds: did you mean %g?", g.Limit, 1000*g.Limit),
				})
			}
		case swap.MetricOutputTokens, swap.MetricThroughput, swap.MetricErrorRate, swap.MetricQuality:
		}
	}
	return out
}
