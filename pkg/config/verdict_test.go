package config

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func validateVerdict(t *testing.T, v any) error {
	t.Helper()
	return validateBy(t, "verdict.json", verdictSchema, v)
}

func validateBy(t *testing.T, name string, schema []byte, v any) error {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	require.NoError(t, err)
	return mustCompile(name, schema).Validate(doc)
}

func sampleVerdict() swap.Verdict {
	at := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	reason := swap.Reason{Code: swap.ReasonGateFailed, Subject: "gate ttft_p99", Message: "TTFT P99 rose by 12 %."}
	facts := swap.ArmFacts{URL: "http://a", Engine: "vllm", Model: "m", MaxModelLen: swap.Of(8192), UsageInStream: true}
	object := swap.ObjectRef{URI: "s3://runs/x", SHA256: "ab", Bytes: 12, Schema: "report/v1"}
	warm := swap.WarmUpResult{Arm: swap.Baseline, Requests: 20, Outcomes: swap.OutcomeCounts{swap.OK: 20}, Ended: "stable"}
	window := swap.WindowStats{Requests: 5, Outcomes: swap.OutcomeCounts{swap.OK: 4, swap.HTTP5xx: 1}}
	return swap.Verdict{
		SchemaVersion: swap.VerdictSchemaVersion, Verdict: swap.Fail, Summary: "One gate failed.",
		Reasons: []swap.Reason{reason}, Target: "chat", Stage: swap.StageCompare,
		Arms: swap.PerArm[swap.ArmFacts]{Baseline: facts, Candidate: facts},
		Gates: []swap.GateResult{{
			Gate: swap.Gate{Metric: swap.MetricTTFT, Stat: swap.StatP99, Margin: 0.1, Unit: swap.Relative, Better: swap.LowerIsBetter},
			Name: "ttft_p99", Baseline: swap.Of(100), Candidate: swap.Of(112), Unit: "ms", Change: swap.Of(0.12),
			Low: swap.Of(0.11), High: swap.Absent(), Level: 0.95, Blocks: 16, Decision: swap.Fail, Reason: reason,
		}},
		Findings: []swap.Finding{{Severity: swap.Notable, Subject: "candidate", Message: "It has a prefix cache."}},
		WarmUp:   &swap.PerArm[swap.WarmUpResult]{Baseline: warm, Candidate: warm},
		Steps: []swap.StepResult{{
			Step: 1, Label: "concurrency 8", Blocks: 8, Manifest: object,
			Outcomes: swap.PerArm[swap.OutcomeCounts]{Baseline: swap.OutcomeCounts{}, Candidate: swap.OutcomeCounts{}},
		}},
		Rollout: &swap.RolloutResult{Windows: []swap.Window{{
			Index: 1, Started: at, Ended: at, Raw: object, GuardFired: &reason, Brake: &swap.Restored{At: at},
			Arms:     swap.PerArm[swap.WindowStats]{Baseline: window, Candidate: window},
			Decision: swap.WindowDecision{Action: swap.ActionRollback, Reason: []swap.Reason{reason}},
		}}},
		FinalWeights: &swap.AllBaseline, Snapshot: &object, Baseline: &object,
		Provenance: swap.Provenance{WorkflowID: "swap-chat", RunID: "r", Started: at, Ended: at, SpecSHA256: "ab", Version: "v1"},
		Artifacts:  swap.Artifacts{Report: &object},
	}
}

func TestVerdictsMatchTheirSchema(t *testing.T) {
	require.NoError(t, validateVerdict(t, sampleVerdict()))
	require.NoError(t, validateVerdict(t, swap.Verdict{Verdict: swap.Errored}), "a verdict of a run that measured nothing")
}

func TestVerdictSchemaRefusesOtherDocuments(t *testing.T) {
	for name, spoil := range map[string]func(map[string]any){
		"unknown decision":  func(v map[string]any) { v["verdict"] = "maybe" },
		"missing decision":  func(v map[string]any) { delete(v, "verdict") },
		"text for a number": func(v map[string]any) { v["gates"].([]any)[0].(map[string]any)["low"] = "11 %" },
		"unknown outcome": func(v map[string]any) {
			v["warm_up"].(map[string]any)["baseline"].(map[string]any)["outcomes"] = map[string]any{"fine": 1}
		},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := json.Marshal(sampleVerdict())
			require.NoError(t, err)
			var v map[string]any
			require.NoError(t, json.Unmarshal(data, &v))
			spoil(v)
			require.Error(t, validateVerdict(t, v))
		})
	}
}

func TestWatchesMatchTheirSchema(t *testing.T) {
	valid := func(r swap.WatchResult) error { return validateBy(t, "watch.json", watchSchema, r) }
	require.NoError(t, valid(swap.WatchResult{SchemaVersion: swap.WatchSchemaVersion, Response: swap.DriftSilent}))
	require.NoError(t, valid(swap.WatchResult{
		SchemaVersion: swap.WatchSchemaVersion, Target: "chat", Response: swap.DriftBlock,
		Metrics:   []swap.DriftMetric{{Gate: sampleVerdict().Gates[0].Gate, Response: swap.DriftBlock}},
		Distances: []swap.DriftDistance{{}}, Changes: []swap.DriftChange{{}}, Blocked: &swap.TargetBlock{}, Baseline: &swap.WatchBaselineRef{},
	}))
	require.Error(t, valid(swap.WatchResult{Response: "quiet"}))
}
