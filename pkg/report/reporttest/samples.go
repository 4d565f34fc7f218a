// Package reporttest builds verdicts with all the data of a report, for tests and for looking at reports. Everything is
// computed from fixed numbers: the same sample is the same to the last bit.
package reporttest

import (
	"time"

	judgejitter "github.com/swapgate/swapgate/pkg/judge/jitter"
	"github.com/swapgate/swapgate/pkg/report"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Sample is a named report.
type Sample struct {
	Name string
	Data report.Data
}

// All returns one sample of every kind of verdict.
func All() []Sample {
	return []Sample{
		{"pass_rollout", PassWithRollout()},
		{"fail_gates", FailAtGates()},
		{"fail_rollout", FailInRollout()},
		{"inconclusive", Inconclusive()},
		{"unbelieved", Unbelieved()},
		{"aborted", Aborted()},
		{"error", Errored()},
	}
}

// start is when every sample run began.
var start = time.Date(2026, 5, 12, 8, 3, 20, 0, time.UTC)

// PassWithRollout passed all gates, one of them with a regression inside its margin, and was promoted to 100 %.
func PassWithRollout() report.Data {
	d := loaded(scenario{ttft: 1.03, tpot: 0.94, throughput: 1.05, length: 1.01})
	v := &d.Verdict
	v.Verdict, v.Stage = swap.Pass, swap.StageDone
	v.Opinions = opinions(.03)
	v.Jitter, v.Attribution = jitter(), attribution()
	v.Findings = append(v.Findings, judgejitter.Findings(v.Jitter)...)
	v.Reaction = reaction(v.Steps)
	v.Compatibility = differences()
	v.Summary = "All 5 gates hold and the candidate serves all traffic; TTFT P99 is 3.0 % higher, inside its margin of 10 %."
	v.Reasons = []swap.Reason{{
		Code: swap.ReasonRegressionInside, Subject: "ttft_p99",
		Message: "TTFT P99 is worse by 3.0 % (one-sided 95 % bounds +0.4 … +5.6 %), within the margin of 10 %.",
	}}
	v.Rollout = rollout([]windowPlan{
		{weight: 5, action: swap.ActionAdvance, next: 25},
		{weight: 25, action: swap.ActionHold, next: 25},
		{weight: 25, action: swap.ActionAdvance, next: 50},
		{weight: 50, action: swap.ActionAdvance, next: 100},
		{weight: 100, action: swap.ActionPromote, next: 100},
	})
	v.FinalWeights = &v.Rollout.Final
	return d
}

// FailAtGates was slower than the margins allow and failed requests at the highest step; no traffic was moved.
func FailAtGates() report.Data {
	d := loaded(scenario{ttft: 1.38, tpot: 1.02, throughput: 0.985, length: 1.0, failed: 12})
	v := &d.Verdict
	v.Verdict, v.Stage = swap.Fail, swap.StageCompare
	v.Opinions = opinions(.38)
	v.Summary = "The candidate must not replace the baseline: TTFT P99 is 38 % higher and 0.83 % of requests fail."
	v.Reasons = []swap.Reason{
		{
			Code: swap.ReasonGateFailed, Subject: "ttft_p99",
			Message: "candidate's time to first token P99 is 38 % higher than the baseline's (margin 10 %)",
		},
		{
			Code: swap.ReasonGateFailed, Subject: "error_rate",
			Message: "candidate fails 0.83 % of its requests, the baseline 0.00 %, mostly with http_5xx (9) and timeout_first_token (3)",
		},
	}
	v.FinalWeights = &swap.Weights{Baseline: 100}
	stopAtLimit(v)
	v.Findings = append(v.Findings, swap.Finding{
		Severity: swap.Notable, Subject: "candidate", Message: "The engine preempted 41 requests at concurrency 32; the baseline preempted none.",
		Next: "Compare the KV cache sizes of the two servers.",
	})
	return d
}

// FailInRollout passed the gates, but a guard fired at 25 % and the traffic went back.
func FailInRollout() report.Data {
	d := loaded(scenario{ttft: 1.02, tpot: 1.0, throughput: 1.0, length: 1.0})
	v := &d.Verdict
	v.Verdict, v.Stage = swap.Fail, swap.StageRollback
	v.Summary = "Rolled back at 25 %: the candidate failed 7.5 % of live requests, the baseline 0.1 %. All traffic is on the baseline."
	guard := swap.Reason{
		Code: swap.ReasonGuardErrors, Subject: "window 3",
		Message: "candidate failed 18 of 240 requests (7.5 %), the baseline 1 of 712 (0.14 %); the guard allows a rise of 5 percentage points",
	}
	v.Reasons = []swap.Reason{guard}
	v.Rollout = rollout([]windowPlan{
		{weight: 5, action: swap.ActionAdvance, next: 25},
		{weight: 25, action: swap.ActionHold, next: 25},
		{weight: 25, action: swap.ActionRollback, next: 0, failed: 18, guard: &guard},
	})
	v.Rollout.Final = swap.AllBaseline
	v.FinalWeights = &v.Rollout.Final
	return d
}

// Inconclusive had too few blocks to decide two gates.
func Inconclusive() report.Data {
	d := loaded(scenario{ttft: 1.07, tpot: 1.01, throughput: 0.99, length: 1.0, wide: true})
	v := &d.Verdict
	v.Verdict, v.Stage = swap.Inconclusive, swap.StageCompare
	v.Summary = "Not decided: 4 of 5 gates need more evidence, TTFT P99 about 46 blocks per arm where it had 24. Nothing is promoted."
	v.Reasons = []swap.Reason{
		{Code: swap.ReasonNotDecided, Subject: "ttft_p99", Message: "TTFT P99 is not decided; about 46 blocks per arm would decide it"},
		{Code: swap.ReasonTelemetryMissing, Subject: "dcgm", Message: "The required source dcgm gave no samples: connection refused."},
	}
	v.Gates[4].Baseline, v.Gates[4].Candidate = swap.Absent(), swap.Absent()
	v.Gates[4].Change, v.Gates[4].Low, v.Gates[4].High = swap.Absent(), swap.Absent(), swap.Absent()
	v.Gates[4].Decision, v.Gates[4].NeedBlocks = swap.Inconclusive, 0
	v.Gates[4].Reason = swap.Reason{
		Code: swap.ReasonNoData, Message: "candidate answered, but none of its answers has a token count; the server may not report token usage",
	}
	v.Telemetry[0].Sources[1] = swap.SourceState{Source: "dcgm", Errors: 90, LastError: "connection refused", Required: true}
	v.FinalWeights = nil
	prolong(v)
	return d
}

// Unbelieved was measured by a load client that was short of CPU, so that nothing it measured decides.
func Unbelieved() report.Data {
	d := loaded(scenario{ttft: 1.38, tpot: 1.02, throughput: 0.985, length: 1.0})
	v := &d.Verdict
	v.Verdict, v.Stage = swap.Inconclusive, swap.StageCompare
	v.Summary = "Not decided: the load client was too slow to be believed. Nothing is promoted."
	starve(&d)
	for i := range v.Gates {
		g := &v.Gates[i]
		g.Reason = swap.Reason{
			Code: swap.ReasonInstrument, Subject: g.Name,
			Message: "not decided, because the load client cannot be believed; it would otherwise be a " + string(g.Decision),
		}
		g.Decision, g.Regressed, g.NeedBlocks = swap.Inconclusive, false, 0
	}
	v.FinalWeights = nil
	return d
}

// Aborted was stopped by a person during the load, so nothing could be judged. Its worker gave no account of the load client.
func Aborted() report.Data {
	d := loaded(scenario{ttft: 1.02, tpot: 1, throughput: 1, length: 1})
	v := &d.Verdict
	v.Verdict, v.Stage = swap.Aborted, swap.StageLoad
	v.Summary = "Aborted by mira during the load: “wrong model build”. Nothing was changed."
	v.Reasons = []swap.Reason{{Code: swap.ReasonAborted, Subject: "run", Message: "aborted by mira: wrong model build"}}
	v.Gates, v.Steps, v.Capacity = nil, v.Steps[:1], nil
	v.Steps[0].Ended, v.Steps[0].Instrument, v.Steps[0].TTFTP50ms = swap.StepEnd{}, swap.InstrumentState{}, swap.PerArm[swap.Value]{}
	v.FinalWeights = nil
	return report.Data{Verdict: *v, Steps: d.Steps[:1]}
}

// Errored could not reach the candidate, so nothing was measured.
func Errored() report.Data {
	v := swap.Verdict{
		SchemaVersion: swap.VerdictSchemaVersion, Verdict: swap.Errored, Target: "chat-prod", Stage: swap.StagePreflight,
		Reasons: []swap.Reason{{
			Code: swap.ReasonCouldNotMeasure, Subject: "candidate",
			Message: "http://llm-b.internal:8000/v1/models answered 503 for 5 minutes; check that the server has loaded its model",
		}},
		Provenance: provenance(4 * time.Minute),
		Findings: []swap.Finding{{
			Severity: swap.Blocking, Subject: "candidate", Message: "The server does not answer.", Next: "Start it, then start the run again.",
		}},
	}
	v.Arms.Baseline = arms().Baseline
	return report.Data{Verdict: v}
}
