package recorded

import (
	"fmt"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Verdict is the document of a comparison that no workflow ran.
func Verdict(c swap.Comparison, settings swap.Judge) swap.Verdict {
	v := swap.Verdict{
		SchemaVersion: swap.VerdictSchemaVersion, Verdict: c.Decision, Reasons: c.Reasons, Stage: swap.StageCompare,
		Gates: c.Gates, Findings: c.Findings, Capacity: c.Capacity, Jitter: c.Jitter, Attribution: c.Attribution, Reaction: c.Reaction,
		Opinions: c.Opinions, Steps: []swap.StepResult{},
		Provenance: swap.Provenance{Seed: settings.Seed, EvidenceSHA256: c.EvidenceSHA256},
	}
	if v.Gates == nil {
		v.Gates = []swap.GateResult{}
	}
	if v.Reasons == nil {
		v.Reasons = []swap.Reason{}
	}
	return v
}

// verdictOf is the verdict on two runs.
func verdictOf(runs swap.PerArm[Run], common []swap.PerArm[*Stage], c swap.Comparison, o Options) swap.Verdict {
	v := Verdict(c, o.Settings)
	v.Target = runs.Candidate.Name
	for _, arm := range swap.Arms {
		if v.Arms.Ptr(arm).Model = runs.Get(arm).Model; v.Arms.Get(arm).Model == "" {
			v.Arms.Ptr(arm).Model = "of " + runs.Get(arm).Name
		}
	}
	v.Summary = Summary(fmt.Sprintf("%s against %s", runs.Candidate.Name, runs.Baseline.Name), c)
	for i, stages := range common {
		v.Steps = append(v.Steps, StepOf(i+1, stages))
		v.Provenance.Started = earliest(v.Provenance.Started, stages.Baseline.Started, stages.Candidate.Started)
	}
	return v
}

// earliest is the first of the times that are known.
func earliest(times ...time.Time) (first time.Time) {
	for _, t := range times {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// Summary is the verdict in one sentence; what names the comparison.
func Summary(what string, c swap.Comparison) string {
	why := ""
	if len(c.Reasons) > 0 {
		why = ": " + c.Reasons[0].Message
	}
	switch c.Decision {
	case swap.Pass:
		return what + " holds every gate."
	case swap.Fail:
		return what + " is not good enough" + why
	case swap.Inconclusive, swap.Aborted, swap.Errored:
	}
	return what + " is not decided" + why
}

// StepOf shows a load level that is common, or two that are compared.
func StepOf(number int, stages swap.PerArm[*Stage]) swap.StepResult {
	r := swap.StepResult{Step: number, Label: stages.Baseline.Level.String()}
	if c := stages.Candidate.Level; !c.Same(stages.Baseline.Level) {
		r.Label = fmt.Sprintf("baseline %s, candidate %s", stages.Baseline.Level, c)
	}
	for _, arm := range swap.Arms {
		s := stages.Get(arm)
		*r.Planned.Ptr(arm) = s.Outcomes.Total()
		*r.Outcomes.Ptr(arm) = s.Outcomes
		*r.TTFTP50ms.Ptr(arm) = s.Value(swap.Gate{Metric: swap.MetricTTFT, Stat: swap.StatP50})
		*r.TTFTP95ms.Ptr(arm) = s.Value(swap.Gate{Metric: swap.MetricTTFT, Stat: swap.StatP95})
		*r.Throughput.Ptr(arm) = s.Value(swap.Gate{Metric: swap.MetricThroughput, Stat: swap.StatRate})
	}
	return r
}
