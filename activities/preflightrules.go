package activities

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/swap"
)

// preflightFindings decides what of the found facts stands in the way of the run. It is pure.
func preflightFindings(spec swap.Spec, found swap.PreflightResult) []swap.Finding {
	var out []swap.Finding
	add := func(s swap.Severity, subject, message, next string) {
		out = append(out, swap.Finding{Severity: s, Subject: subject, Message: message, Next: next})
	}
	for _, arm := range swap.Arms {
		facts := found.Arms.Get(arm)
		if gate := countingGate(spec); gate != "" && !facts.UsageInStream {
			add(swap.Blocking, string(arm),
				fmt.Sprintf("It does not report token counts in its stream, so gate %s cannot be computed.", gate),
				"Turn on stream_options.include_usage on the server, or remove the gates on tokens.")
		}
	}
	if w := found.Weights; w != nil && *w != swap.AllBaseline {
		add(swap.Blocking, "route",
			fmt.Sprintf("The gateway sends %d %% to the candidate already; a run starts from 100 %% on the baseline.", w.Candidate),
			"Put the weights back (swapgate rollback), or swap the two arms in the file if the candidate is live.")
	}
	return out
}

// countingGate names the first gate that needs the server's token counts; empty if there is none. Images and audio are counted
// by what was asked for.
func countingGate(spec swap.Spec) string {
	if spec.Workload.API.Unit() != swap.UnitTokens {
		return ""
	}
	for _, g := range spec.Gates {
		switch g.Metric {
		case swap.MetricTPOT, swap.MetricOutputTokens, swap.MetricThroughput:
			return g.Name()
		}
	}
	return ""
}
