package reporttest

import (
	"github.com/swapgate/swapgate/pkg/report"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Hostile is a failed run in which every text that can come from outside is the given one.
func Hostile(text string) report.Data {
	d := FailInRollout()
	v := &d.Verdict
	reason := swap.Reason{Code: text, Subject: text, Message: text}
	facts := swap.ArmFacts{URL: text, Engine: text, Version: text, Model: text, Fingerprint: text}
	v.Summary, v.Target, v.Reasons = text, text, []swap.Reason{reason}
	v.Arms = swap.PerArm[swap.ArmFacts]{Baseline: facts, Candidate: facts}
	v.Compatibility = &swap.Compatibility{
		Differences: []swap.Difference{{
			Rule: swap.CompatRule(text), Severity: swap.Severity(text), Baseline: text, Candidate: text, Reason: text, Next: text,
		}},
		Same: []swap.CompatRule{swap.CompatRule(text)}, Unknown: []swap.CompatRule{swap.CompatRule(text)},
	}
	v.Findings = []swap.Finding{{Severity: swap.Severity(text), Subject: text, Message: text, Next: text}}
	v.Provenance.RunID, v.Provenance.WorkflowID, v.Provenance.RequestedBy, v.Provenance.Version = text, text, text, text
	v.Provenance.Labels = map[string]string{text: text}
	v.Stage = swap.Stage(text)
	for i := range v.Gates {
		v.Gates[i].Name, v.Gates[i].Unit, v.Gates[i].Reason = text, text, reason
	}
	v.Gates[0].Gate.Metric, v.Gates[0].Gate.Stat, v.Gates[0].Decision = swap.Metric(text), swap.Stat(text), swap.Decision(text)
	for i := range v.Steps {
		v.Steps[i].Label = text
		v.Steps[i].Ended = swap.StepEnd{Code: swap.EndCode(text), Arm: swap.Arm(text), Message: text}
		v.Steps[i].Instrument.Faults = []swap.InstrumentFault{{Signal: text, Message: text, Next: text}}
		v.Steps[i].Outcomes.Candidate = swap.OutcomeCounts{swap.Outcome(text): 3}
		d.Steps[i].Label, d.Spans[i].Label = text, text
	}
	level := &swap.LoadLevel{Label: text, Load: swap.Of(1), Throughput: swap.Of(2), TTFTP95ms: swap.Of(3)}
	arm := swap.ArmCapacity{
		Knee: level, Peak: level, Saturation: level, Bend: &swap.Bend{Knee: level, Message: text}, KneeMessage: text, SaturationMessage: text,
	}
	v.Capacity = []swap.Capacity{{Steps: []int{1, 2}, Arms: swap.PerArm[swap.ArmCapacity]{Baseline: arm, Candidate: arm}}}
	signal := swap.ReactionSignal{State: swap.ReactionState(text), Message: text}
	reacted := swap.ArmReaction{Sensitivity: signal, Knee: signal, Cost: signal, State: swap.ReactionState(text)}
	v.Reaction = &swap.ReactionResult{
		Scenario:    swap.Scenario(text),
		Steps:       []swap.StepReaction{{Label: text, Arms: swap.PerArm[swap.ArmReaction]{Baseline: reacted, Candidate: reacted}}},
		Recommended: []swap.RecommendedStep{{Message: text}},
	}
	v.Jitter = &swap.Jitter{Arms: swap.PerArm[swap.ArmJitter]{Candidate: swap.ArmJitter{
		Labels: []swap.JitterLabel{{Kind: swap.JitterKind(text), Count: 1}}, ClustersMessage: text,
	}}}
	v.Attribution = &swap.Attribution{
		Layers: []swap.LayerShare{{Layer: swap.Layer(text)}}, Layer: swap.Layer(text), DiffTrace: swap.Layer(text),
	}
	v.Opinions = []swap.Opinion{{Rule: swap.RuleName(text), Subject: text, Says: swap.Says(text), Message: text, Weakness: text}}
	for i := range v.Telemetry[0].Sources {
		v.Telemetry[0].Sources[i].Source, v.Telemetry[0].Sources[i].LastError = text, text
	}
	for i := range d.Telemetry {
		d.Telemetry[i].Name, d.Telemetry[i].Unit = text, text
	}
	for i := range v.Rollout.Windows {
		v.Rollout.Windows[i].Decision = swap.WindowDecision{Action: swap.Action(text), Reason: []swap.Reason{reason}}
	}
	v.Artifacts.ReportURL, v.Artifacts.TemporalURL = text, "https://temporal.example.com/"+text
	v.Snapshot.URI, v.Snapshot.SHA256, v.Snapshot.Schema = text, text, text
	return d
}
