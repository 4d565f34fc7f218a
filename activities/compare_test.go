package activities

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/runstore"
	simengine "github.com/swapgate/swapgate/pkg/sim/engine"
	"github.com/swapgate/swapgate/pkg/swap"
)

// TestJudgingADrivenStep runs alone: it measures.
func TestJudgingADrivenStep(t *testing.T) {
	s := newSite(t, func(p *plan) {
		// Many times the baseline's 2 ms: beyond any noise of a busy machine.
		p.engines.Candidate.Prefill.Base = swap.Duration(150 * time.Millisecond)
	})
	s.spec.Load.Steps[0].Hold = swap.Duration(1200 * time.Millisecond)
	s.spec.Load.Calibration.SendLateness = swap.Duration(time.Minute) // the machine may be busy
	step := mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
	manifests := []swap.ObjectRef{step.Manifest}
	_, records := readStep(t, s, step)

	t.Run("the slow candidate fails", func(t *testing.T) {
		in := swap.CompareInput{Spec: s.spec, Manifests: manifests}
		got := mustRun[swap.Comparison](t, s, swap.ActivityCompareArms, in)
		require.Equal(t, swap.Fail, got.Decision, "%+v", got)
		require.Equal(t, swap.ReasonGateFailed, got.Reasons[0].Code)
		require.Len(t, got.Gates, 2)
		ttft := got.Gates[0]
		require.Equal(t, swap.Fail, ttft.Decision)
		require.Greater(t, ttft.Change.Or(0), 1.0, "more than twice as slow")
		require.Equal(t, 6, ttft.Blocks)
		measured := swap.PerArm[int]{Baseline: len(measuredOf(records, swap.Baseline)), Candidate: len(measuredOf(records, swap.Candidate))}
		require.Equal(t, measured, ttft.N, "the time in which a block settles is not judged")
		require.NotEmpty(t, got.EvidenceSHA256)
		require.Equal(t, got, mustRun[swap.Comparison](t, s, swap.ActivityCompareArms, in), "the same evidence, the same judgement")
	})
	t.Run("required telemetry that is missing is said", func(t *testing.T) {
		got := mustRun[swap.Comparison](t, s, swap.ActivityCompareArms, swap.CompareInput{
			Spec: s.spec, Manifests: manifests,
			Telemetry: []swap.TelemetryResult{{Sources: []swap.SourceState{{Source: "dcgm x", Required: true, Errors: 3}}}},
		})
		require.Equal(t, swap.Fail, got.Decision)
		require.True(t, hasReason(got, swap.ReasonTelemetryMissing), "%+v", got.Reasons)
	})
	t.Run("a step that is missing makes it incomplete", func(t *testing.T) {
		spec := s.spec
		spec.Load.Steps = []swap.Step{spec.Load.Steps[0], spec.Load.Steps[0]}
		got := mustRun[swap.Comparison](t, s, swap.ActivityCompareArms, swap.CompareInput{Spec: spec, Manifests: manifests})
		require.True(t, hasReason(got, swap.ReasonIncomplete), "%+v", got.Reasons)
	})
	t.Run("nothing measured is no pass", func(t *testing.T) {
		got := mustRun[swap.Comparison](t, s, swap.ActivityCompareArms, swap.CompareInput{Spec: s.spec})
		require.Equal(t, swap.Inconclusive, got.Decision)
	})
	t.Run("the steps say where the arms saturate", func(t *testing.T) {
		spec := s.spec
		spec.Load.Steps = []swap.Step{{Concurrency: 1}, {Concurrency: 2}}
		slower := step
		slower.Step, slower.Ended = 2, swap.StepEnd{Code: swap.EndedLimit, Arm: swap.Candidate}
		got := mustRun[swap.Comparison](t, s, swap.ActivityCompareArms, swap.CompareInput{
			Spec: spec, Manifests: manifests, Steps: []swap.StepResult{step, slower},
		})
		require.Len(t, got.Capacity, 1)
		require.Equal(t, []int{1, 2}, got.Capacity[0].Steps)
		require.Equal(t, 2, got.Capacity[0].Arms.Candidate.Saturation.Step)
	})
	t.Run("older rules are asked", func(t *testing.T) {
		spec := s.spec
		spec.Judge.Opinions = []swap.OpinionRule{
			{Rule: swap.RuleFivePercent, Metric: swap.MetricTTFT, Stat: swap.StatP50}, {Rule: swap.RuleErrors3x},
		}
		got := mustRun[swap.Comparison](t, s, swap.ActivityCompareArms, swap.CompareInput{Spec: spec, Manifests: manifests})
		require.Len(t, got.Opinions, 2)
		require.Equal(t, swap.SaysFires, got.Opinions[0].Says, got.Opinions[0].Message)
		require.Equal(t, swap.SaysSilent, got.Opinions[1].Says, got.Opinions[1].Message)
		unasked := mustRun[swap.Comparison](t, s, swap.ActivityCompareArms, swap.CompareInput{Spec: s.spec, Manifests: manifests})
		unasked.Opinions = got.Opinions
		require.Equal(t, unasked, got, "they decide nothing")
	})
	t.Run("a load client that is not believed decides nothing", func(t *testing.T) {
		strict := s.spec
		strict.Load.Calibration.SendLateness = swap.Duration(time.Nanosecond)
		got := mustRun[swap.Comparison](t, s, swap.ActivityCompareArms, swap.CompareInput{Spec: strict, Manifests: manifests})
		require.Equal(t, swap.Inconclusive, got.Decision)
		require.Equal(t, swap.ReasonInstrument, got.Reasons[0].Code)
	})
	t.Run("a changed manifest is not judged", func(t *testing.T) {
		forged := manifests[0]
		forged.SHA256 = "00" + forged.SHA256[2:]
		_, err := run[swap.Comparison](t, s, swap.ActivityCompareArms, swap.CompareInput{Spec: s.spec, Manifests: []swap.ObjectRef{forged}})
		requireType(t, err, TypeRunCorrupt, false)
	})
	t.Run("the baseline is fitted and kept", func(t *testing.T) {
		got := mustRun[swap.BaselineFit](t, s, swap.ActivityFitBaseline, swap.FitBaselineInput{
			Spec: s.spec, Facts: s.facts().Baseline, Manifests: manifests,
		})
		require.Equal(t, "m-8b", got.Model)
		require.Equal(t, swap.MetricTTFT, got.Metrics[0].Metric)
		require.Equal(t, len(measuredOf(records, swap.Baseline)), got.Metrics[0].N)
		require.Less(t, got.Metrics[0].P50.Or(1e9), 100.0, "the baseline's, not the candidate's")
		kept, err := runstore.GetJSON[swap.BaselineFit](t.Context(), openStore(t, s.spec.Store), got.Ref)
		require.NoError(t, err)
		require.Equal(t, got.Metrics, kept.Metrics)
		require.Contains(t, got.Ref.URI, "/baselines/chat/")
	})
}

// A block that was cut off leaves a trace in the judgement and no records.
func TestJudgingAResumedStep(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	first := start[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
	eventually(t, "traffic", func() bool { return s.served(swap.Baseline) > 0 })
	first.cancel()
	_, err := first.wait(t)
	requireCancelled(t, err)
	step := mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
	in := swap.CompareInput{Spec: s.spec, Manifests: []swap.ObjectRef{step.Manifest}}
	got := mustRun[swap.Comparison](t, s, swap.ActivityCompareArms, in)
	require.False(t, hasReason(got, swap.ReasonIncomplete), "%+v", got.Reasons)
	require.Equal(t, swap.Inconclusive, got.Decision, "two blocks per arm are too few")
	require.NotEmpty(t, got.Findings)
	require.Equal(t, swap.Harmless, got.Findings[0].Severity)
	require.Contains(t, got.Findings[0].Message, "1 attempt at a block begun")
}

func TestFailedRequestsAreJudgedAsFailed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	require.NoError(t, s.engines.Candidate.SetFaults(simengine.Faults{ErrorRate: 1}))
	s.spec.Load.Steps[0].Hold = swap.Duration(time.Second)
	s.spec.Load.Calibration.SendLateness = swap.Duration(time.Minute) // the machine may be busy
	step := mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
	require.Equal(t, swap.OutcomeCounts{swap.HTTP5xx: step.Planned.Candidate}, step.Outcomes.Candidate)
	require.False(t, step.TTFTP95ms.Candidate.Valid())
	require.False(t, step.Throughput.Candidate.Valid())
	in := swap.CompareInput{Spec: s.spec, Manifests: []swap.ObjectRef{step.Manifest}}
	got := mustRun[swap.Comparison](t, s, swap.ActivityCompareArms, in)
	require.Equal(t, swap.Fail, got.Decision, "%+v", got)
}

func hasReason(c swap.Comparison, code string) bool {
	for _, r := range c.Reasons {
		if r.Code == code {
			return true
		}
	}
	return false
}
