package activities

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"

	"github.com/swapgate/swapgate/pkg/rollout"
	"github.com/swapgate/swapgate/pkg/swap"
)

// The sizes of a large run: eight load steps, twelve gates, every older rule, a rollout of forty windows, eight hours of telemetry.
const (
	manySteps, manyGates, manyWindows, manySources = 8, 12, 40, 12
	manyOpinions                                   = 7
	manyParts                                      = int(8 * time.Hour / partAge)
)

// verdictLimit is the largest verdict. It crosses Temporal a few times in a run: as its result, and into the report.
const verdictLimit = 160 << 10

// TestResultsStaySmall holds everything that crosses Temporal to a size that a history bears hundreds of.
func TestResultsStaySmall(t *testing.T) {
	verdict := largeVerdict()
	window := verdict.Rollout.Windows[0]
	state, err := json.Marshal(rollout.State{Index: 40, Windows: 9, Reference: &window.Arms.Baseline})
	require.NoError(t, err)
	for name, v := range map[string]any{
		swap.ActivityPreflight: swap.PreflightResult{
			Arms: verdict.Arms, Findings: verdict.Findings, Weights: &half, PlannedRequests: swap.Of(1e6), PlannedBlocks: 1000, Version: "v1.2.3",
		},
		swap.ActivityTakeSnapshot:     *verdict.Snapshot,
		swap.ActivityWarmUp:           verdict.WarmUp.Baseline,
		swap.ActivityLoadStep:         verdict.Steps[0],
		swap.ActivityCaptureTelemetry: verdict.Telemetry[0],
		swap.ActivityFitBaseline:      largeFit(),
		swap.ActivityCompareArms: swap.Comparison{
			Decision: swap.Fail, Reasons: verdict.Reasons, Gates: verdict.Gates, Findings: verdict.Findings, EvidenceSHA256: hash,
			Capacity: verdict.Capacity, Opinions: verdict.Opinions,
		},
		swap.ActivitySetWeights:      *window.Brake,
		swap.ActivityObserveWindow:   swap.ObserveWindowResult{Window: window, State: state},
		swap.ActivityRestoreSnapshot: *window.Brake,
		swap.ActivityPublishReport:   verdict.Artifacts,
		swap.ActivityNotifySlack:     verdict.Artifacts.Slack,
	} {
		require.Less(t, encodedSize(t, v), resultLimit, name)
	}
	require.Less(t, encodedSize(t, verdict), verdictLimit)
	beat := swap.Progress{
		What: "window 40 at 100 %", Done: 1e6, Total: 1e6, Offered: number, Achieved: number, Requests: 1e9, TTFTP95ms: number, ETA: "10h0m0s",
	}
	require.Less(t, encodedSize(t, beat), 1<<10, "a heartbeat is read beside a pending activity")
}

// encodedSize is the size of a value as Temporal carries it.
func encodedSize(t *testing.T, v any) int {
	t.Helper()
	payload, err := converter.GetDefaultDataConverter().ToPayload(v)
	require.NoError(t, err)
	return len(payload.GetData())
}

// hash stands for any SHA-256, number for any measured value.
const hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

var (
	number = swap.Of(1234.5678901234567)
	both   = swap.PerArm[swap.Value]{Baseline: number, Candidate: number}
	text   = strings.Repeat("the time to first token rose, ", 8)
)

func largeRef(i int) swap.ObjectRef {
	return swap.ObjectRef{
		URI: fmt.Sprintf("s3://company-models-evidence/swapgate/runs/chat-assistant-eu/019-%s/telemetry/5-a1-1790000000000/part-%03d.parquet",
			testRunID, i),
		SHA256: hash, Bytes: 12_345_678, Rows: 50_000, Schema: "requests/v1",
	}
}

func largeOutcomes() swap.OutcomeCounts {
	counts := swap.OutcomeCounts{}
	for _, o := range swap.Outcomes[:6] {
		counts[o] = 123_456
	}
	return counts
}

func largeVerdict() swap.Verdict {
	ref := largeRef(1)
	facts := swap.ArmFacts{
		URL: "http://chat-assistant-eu-baseline.models.svc.cluster.local:8000", Engine: "vllm", Version: "0.27.0+cu130", Model: text[:60],
		Fingerprint: hash[:20], MaxModelLen: swap.Of(131_072), UsageInStream: true, TokenLimitKey: "max_tokens", MetricsPage: "/metrics",
	}
	warm := swap.WarmUpResult{
		Arm: swap.Candidate, Requests: 200, Outcomes: largeOutcomes(), ColdTTFTms: number, HotTTFTms: number, Ended: "stable",
	}
	v := swap.Verdict{
		SchemaVersion: "1", Verdict: swap.Fail, Summary: text, Target: "chat-assistant-eu", Stage: swap.StageRollout,
		Arms:    swap.PerArm[swap.ArmFacts]{Baseline: facts, Candidate: facts},
		WarmUp:  &swap.PerArm[swap.WarmUpResult]{Baseline: warm, Candidate: warm},
		Rollout: &swap.RolloutResult{Final: swap.AllBaseline}, FinalWeights: &swap.AllBaseline, Snapshot: &ref, Baseline: &ref,
		Provenance: swap.Provenance{
			WorkflowID: "swap-chat-assistant-eu", RunID: testRunID, Started: time.Now(), Ended: time.Now(), SpecSHA256: hash, Version: "v1.2.3",
			RequestedBy: text[:40], Labels: map[string]string{"commit": hash, "pipeline": "https://ci.example.com/" + hash}, EvidenceSHA256: hash,
		},
		Artifacts: swap.Artifacts{Report: &ref, Verdict: &ref, Slack: &ref, ReportURL: text, TemporalURL: text},
	}
	for range manyGates {
		reason := swap.Reason{Code: swap.ReasonRegressionInside, Subject: "ttft_scheduled_p99", Message: text}
		v.Reasons = append(v.Reasons, reason)
		v.Findings = append(v.Findings, swap.Finding{Severity: swap.Notable, Subject: "gate ttft_scheduled_p99", Message: text, Next: text[:100]})
		v.Gates = append(v.Gates, swap.GateResult{
			Gate: swap.Gate{Metric: swap.MetricTTFTScheduled, Stat: swap.StatP99, Margin: 0.1, Unit: swap.Relative, Better: swap.LowerIsBetter},
			Name: "ttft_scheduled_p99", Baseline: number, Candidate: number, Unit: "ms", Change: number, Low: number, High: number, Level: 0.95,
			N: swap.PerArm[int]{Baseline: 1e6, Candidate: 1e6}, Blocks: 100, DesignEffect: number, Decision: swap.Inconclusive,
			Reason: reason, NeedBlocks: 1000,
		})
	}
	for i := range manySteps {
		v.Steps = append(v.Steps, swap.StepResult{
			Step: i + 1, Label: "concurrency 1024", Blocks: 200, Planned: swap.PerArm[int]{Baseline: 1e6, Candidate: 1e6},
			Outcomes:  swap.PerArm[swap.OutcomeCounts]{Baseline: largeOutcomes(), Candidate: largeOutcomes()},
			TTFTP50ms: both, TTFTP95ms: both, Throughput: both, Manifest: ref, Instrument: largeInstrument(),
			Ended: swap.StepEnd{Code: swap.EndedLimit, Arm: swap.Candidate, Message: text},
		})
	}
	v.Capacity = largeCapacity()
	for range manyOpinions {
		v.Opinions = append(v.Opinions, swap.Opinion{
			Rule: swap.RuleKSAdaptive, Subject: "ttft_scheduled after classic_iqr_p995", Says: swap.SaysCannotTell, Value: number, Threshold: number,
			Message: text[:150], Weakness: text,
		})
	}
	for i := range manyWindows {
		v.Rollout.Windows = append(v.Rollout.Windows, largeWindow(i+1))
	}
	v.Telemetry = []swap.TelemetryResult{largeTelemetry()}
	return v
}

// largeInstrument is the account of a load client at whose every signal there is a fault.
func largeInstrument() swap.InstrumentState {
	reading := swap.InstrumentReading{
		Requests: 1e6, Tokens: 1e9, TTFTErrorMeanMS: number, TTFTErrorP99MS: number, TokenErrorP99MS: number, SendLatenessP99MS: number,
		LagP99MS: number, KernelStamped: number, RateAchieved: number, CPUShare: number, GCPauseMaxMS: number, SchedLatencyP99MS: number,
		Throttled: number, Stolen: number,
	}
	state := swap.InstrumentState{Calibration: reading, During: reading}
	for range 10 {
		state.Faults = append(state.Faults, swap.InstrumentFault{Signal: "during.send_lateness_p99_ms", Message: text[:130], Next: text[:115]})
	}
	return state
}

// largeCapacity is two curves, each with all that can be found.
func largeCapacity() []swap.Capacity {
	level := &swap.LoadLevel{Step: 8, Label: "concurrency 1024, prompts 4096", Load: number, Throughput: number, TTFTP95ms: number}
	arm := swap.ArmCapacity{Knee: level, Peak: level, Saturation: level, KneeMessage: text, SaturationMessage: text}
	c := swap.Capacity{Steps: []int{1, 2, 3, 4}, Arms: swap.PerArm[swap.ArmCapacity]{Baseline: arm, Candidate: arm}}
	return []swap.Capacity{c, c}
}

// largeWindow is a window with a few kinds of failure.
func largeWindow(index int) swap.Window {
	stats := swap.WindowStats{
		Requests: 123_456, Outcomes: swap.OutcomeCounts{swap.OK: 1, swap.HTTP5xx: 2, swap.TimeoutFirst: 3}, TTFTP50ms: number, TTFTP95ms: number,
		TPOTP50ms: number, GatewayRequests: swap.Of(123_456), GatewayErrors: swap.Of(12),
	}
	w := swap.Window{
		Index: index, Weights: half, ReadBack: half, Started: time.Now().UTC(), Ended: time.Now().UTC(),
		Arms: swap.PerArm[swap.WindowStats]{Baseline: stats, Candidate: stats}, Raw: largeRef(index),
		Decision: swap.WindowDecision{Action: swap.ActionAdvance, Weight: 50},
	}
	if index == 1 { // only the last window of a rollout has these
		ref := largeRef(1)
		w.GuardFired = &swap.Reason{Code: swap.ReasonGuardLatency, Subject: "candidate", Message: text}
		w.Brake = &swap.Restored{Snapshot: &ref, Weights: &half, Changed: true, At: time.Now(), TookMS: 12.345678901234}
		w.Decision.Reason = []swap.Reason{*w.GuardFired}
	}
	return w
}

func largeTelemetry() swap.TelemetryResult {
	var r swap.TelemetryResult
	for i := range manyParts {
		r.Samples = append(r.Samples, largeRef(i))
	}
	for range manySources {
		r.Sources = append(r.Sources, swap.SourceState{
			Source: "dcgm http://gpu-host-17.models.svc.cluster.local:9400/metrics", Arm: swap.Candidate,
			Samples: 1e6, Errors: 1e6, LastError: text[:201],
		})
	}
	return r
}

func largeFit() swap.BaselineFit {
	fit := swap.BaselineFit{Model: text[:60], Ref: largeRef(1), Notes: map[string]string{"failed": text}}
	for range 5 {
		fit.Metrics = append(fit.Metrics, swap.MetricBaseline{
			Metric: swap.MetricTTFTScheduled, N: 1e6, Mean: number, P50: number, P90: number, P95: number, P99: number,
			LogMean: number, LogSD: number, BlockCV: number,
		})
	}
	return fit
}
