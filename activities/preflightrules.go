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
	longest := spec.Workload.InputTokens.Max + spec.Workload.OutputTokens.Max
	for _, arm := range swap.Arms {
		facts := found.Arms.Get(arm)
		if length, ok := facts.MaxModelLen.Get(); ok && float64(longest) > length {
			add(swap.Blocking, string(arm),
				fmt.Sprintf("Its context holds %.0f tokens, and the longest request of the workload needs %d.", length, longest),
				"Shorten workload.input_tokens.max and output_tokens.max, or serve the model with a longer context.")
		}
		if gate := countingGate(spec.Gates); gate != "" && !facts.UsageInStream {
			add(swap.Blocking, string(arm),
				fmt.Sprintf("It does not report token counts in its stream, so gate %s cannot be computed.", gate),
				"Turn on stream_options.include_usage on the server, or remove the gates on tokens.")
		}
	}
	if a, b := found.Arms.Baseline.Engine, found.Arms.Candidate.Engine; a != b {
		add(swap.Notable, "engines", fmt.Sprintf("The arms run different engines: %s and %s.", a, b),
			"The comparison includes the engine, not only the model.")
	}
	a, aok := found.Arms.Baseline.MaxModelLen.Get()
	if b, bok := found.Arms.Candidate.MaxModelLen.Get(); aok && bok && b < a {
		add(swap.Notable, "candidate", fmt.Sprintf("Its context is shorter than the baseline's: %.0f against %.0f tokens.", b, a),
			"Requests that fit today may be refused after the swap.")
	}
	if gate := tailGate(spec); gate != "" {
		add(swap.Notable, "gate "+gate,
			"Closed-loop steps make as many requests as the server answers, so it is not known beforehand whether they suffice for this gate.",
			"If the verdict says LOW_N, hold the steps longer or add a step with a rate.")
	}
	if w := found.Weights; w != nil && *w != swap.AllBaseline {
		add(swap.Blocking, "route",
			fmt.Sprintf("The gateway sends %d %% to the candidate already; a run starts from 100 %% on the baseline.", w.Candidate),
			"Put the weights back (swapgate rollback), or swap the two arms in the file if the candidate is live.")
	}
	return out
}

// tailGate names the first gate on a tail whose number of requests no open-loop step guarantees; empty if there is none.
func tailGate(spec swap.Spec) string {
	requests := 0.0
	for _, s := range spec.Load.Steps {
		requests += s.Rate * s.Hold.Seconds()
	}
	for _, g := range spec.Gates {
		if p, ok := g.Stat.Quantile(); ok && requests*(1-p) < float64(spec.Judge.MinTail)-1e-6 {
			return g.Name()
		}
	}
	return ""
}

// countingGate names the first gate that needs the server's token counts; empty if there is none.
func countingGate(gates []swap.Gate) string {
	for _, g := range gates {
		switch g.Metric {
		case swap.MetricTPOT, swap.MetricOutputTokens, swap.MetricThroughput:
			return g.Name()
		}
	}
	return ""
}
