package swap

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDurationOfAPlan(t *testing.T) {
	s := func(n int) Duration { return Duration(time.Duration(n) * time.Second) }
	l := Load{Block: s(30), Settle: s(10), Steps: []Step{{Concurrency: 8, Hold: s(120)}, {Rate: 2.5, Hold: s(60)}}}
	require.Equal(t, 4, l.BlocksPerArm(l.Steps[0]))
	require.Equal(t, 2*4*40*time.Second, l.StepDuration(l.Steps[0]))
	require.Equal(t, 2*6*40*time.Second, l.Duration())
	require.Zero(t, Load{}.BlocksPerArm(l.Steps[0]))
	require.Equal(t, "concurrency 8", l.Steps[0].Label())
	require.Equal(t, "2.5 req/s", l.Steps[1].Label())

	var none *Rollout
	require.Zero(t, none.Duration())
	r := &Rollout{Weights: []int{1, 50, 100}, Window: s(60), WindowsPerWeight: 2}
	require.Equal(t, 6*time.Minute, r.Duration())
	spec := Spec{WarmUp: WarmUp{MaxDuration: s(60)}, Load: l, Rollout: r}
	require.Equal(t, time.Minute+480*time.Second+6*time.Minute, spec.Duration())
}

func TestLongestStep(t *testing.T) {
	l := Load{Block: Duration(30 * time.Second), Settle: Duration(10 * time.Second)}
	s := Step{Concurrency: 8, Hold: Duration(2 * time.Minute)}
	require.Equal(t, l.StepDuration(s), l.LongestStep(s), "a step that is not prolonged")
	l.Extend = &Extend{}
	require.Equal(t, l.StepDuration(s), l.LongestStep(s), "a longest hold that is not known")
	l.Extend.MaxHold = Duration(5 * time.Minute)
	require.Equal(t, 2*10*40*time.Second, l.LongestStep(s))
	require.Equal(t, 2*4*40*time.Second, l.StepDuration(s), "what is planned stays")
}

func TestGateNames(t *testing.T) {
	require.Equal(t, "ttft_p99", Gate{Metric: MetricTTFT, Stat: StatP99}.Name())
	require.Equal(t, "error_rate", Gate{Metric: MetricErrorRate, Stat: StatRate}.Name())
	require.Equal(t, "throughput", Gate{Metric: MetricThroughput}.Name())
	for s, want := range map[Stat]float64{StatP50: .5, StatP90: .9, StatP95: .95, StatP99: .99} {
		p, ok := s.Quantile()
		require.True(t, ok)
		require.InDelta(t, want, p, 0)
	}
	_, ok := StatMean.Quantile()
	require.False(t, ok)
}

func TestOutcomesAddUp(t *testing.T) {
	c := OutcomeCounts{}
	for i, o := range Outcomes {
		c[o] = i + 1
	}
	total := len(Outcomes) * (len(Outcomes) + 1) / 2
	require.Equal(t, total, c.Total())
	require.Equal(t, total-c[OK]-c[OKNoDone]-c[Abandoned], c.Failed())
	sum := OutcomeCounts{}
	sum.Add(c)
	sum.Add(c)
	require.Equal(t, 2*total, sum.Total())
}

func TestPerArm(t *testing.T) {
	var p PerArm[int]
	*p.Ptr(Candidate) = 2
	*p.Ptr(Baseline) = 1
	require.Equal(t, 1, p.Get(Baseline))
	require.Equal(t, 2, p.Get(Candidate))
	require.Equal(t, Candidate, Baseline.Other())
	require.Equal(t, Baseline, Candidate.Other())
}

func TestRunURL(t *testing.T) {
	require.Equal(t, "http://ui/namespaces/prod/workflows/swap-chat/r1/history", RunURL("http://ui/", "prod", "swap-chat", "r1"))
	require.Empty(t, RunURL("", "prod", "swap-chat", "r1"))
}

// The names are a contract with runs in flight, operators' filters and the Temporal UI.
func TestStableNames(t *testing.T) {
	b, err := json.Marshal(map[string]any{
		"workflows":  []string{WorkflowValidateSwap, WorkflowRollbackSwap},
		"updates":    []string{UpdateApprove, UpdateAbort, UpdateExtend, UpdateRollback},
		"queries":    []string{QueryStatus, QueryPlan, QueryPreview},
		"queues":     []string{QueueControl, QueueLoad, QueueGPUPrefix},
		"ids":        []string{ValidateWorkflowID("chat"), RollbackWorkflowID("chat")},
		"attributes": SearchAttributes,
		"activities": []string{
			ActivityPreflight, ActivityTakeSnapshot, ActivityWarmUp, ActivityLoadStep, ActivityCaptureTelemetry, ActivityFitBaseline,
			ActivityCompareArms, ActivitySetWeights, ActivityObserveWindow, ActivityRestoreSnapshot, ActivityPublishReport, ActivityNotifySlack,
			ActivityMarkHealthy,
		},
	})
	require.NoError(t, err)
	require.JSONEq(t, `{
		"workflows": ["ValidateSwap", "RollbackSwap"],
		"updates": ["approve", "abort", "extend", "rollback"],
		"queries": ["status", "plan", "verdict_preview"],
		"queues": ["swapgate", "swapgate-load", "swapgate-gpu."],
		"ids": ["swap-chat", "rollback-chat"],
		"attributes": ["SwapTarget", "SwapBaseline", "SwapCandidate", "SwapStage", "SwapVerdict", "SwapRequestedBy"],
		"activities": ["Preflight", "TakeSnapshot", "WarmUp", "LoadStep", "CaptureTelemetry", "FitBaseline", "CompareArms",
			"SetWeights", "ObserveWindow", "RestoreSnapshot", "PublishReport", "NotifySlack",
			"MarkSnapshotHealthy"]
	}`, string(b))
}
