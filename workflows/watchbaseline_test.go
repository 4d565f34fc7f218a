package workflows

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/swapgate/swapgate/pkg/swap"
)

// watchFakes are the activities of a watch besides those of a validation.
type watchFakes struct {
	*fakes

	busy    string
	drift   func(swap.CompareDriftInput) (swap.Drift, error)
	record  func(swap.RecordDriftInput) (swap.RecordedDrift, error)
	steps   []swap.LoadStepInput
	spoken  []swap.NotifyInput
	records []swap.RecordDriftInput
}

func newWatchFakes(r swap.DriftResponse) *watchFakes {
	f := &watchFakes{fakes: newFakes()}
	f.drift = func(swap.CompareDriftInput) (swap.Drift, error) {
		d := swap.Drift{Response: r, WorkSHA256: "w", EvidenceSHA256: "e", Metrics: []swap.DriftMetric{{Name: "ttft_p99", Response: r}}}
		if r != swap.DriftSilent {
			d.Reasons = []swap.Reason{{Code: swap.ReasonDrifted, Subject: "ttft_p99", Message: "Ttft_p99 is 9.0 % worse."}}
		}
		return d, nil
	}
	f.record = func(in swap.RecordDriftInput) (swap.RecordedDrift, error) {
		out := swap.RecordedDrift{Stored: ref}
		if in.Result.Response == swap.DriftBlock {
			out.Blocked = &swap.TargetBlock{Target: "chat", Reason: in.Result.Summary}
		}
		return out, nil
	}
	f.loadStep = func(in swap.LoadStepInput) (swap.StepResult, error) {
		f.steps = append(f.steps, in)
		return swap.StepResult{Step: in.Step, Manifest: ref}, nil
	}
	f.notify = func(in swap.NotifyInput) (*swap.ObjectRef, error) {
		f.spoken = append(f.spoken, in)
		return &ref, nil
	}
	f.preflight = func() (swap.PreflightResult, error) {
		facts := swap.ArmFacts{Engine: "vllm", Model: "old"}
		return swap.PreflightResult{
			Arms: swap.PerArm[swap.ArmFacts]{Baseline: facts, Candidate: facts}, Version: "v1",
			Findings: []swap.Finding{{Severity: swap.Notable, Subject: "plan", Message: "few"}, {Severity: swap.Notable, Subject: "candidate"}},
		}, nil
	}
	return f
}

func startWatch(t *testing.T, f *watchFakes) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	env := start(t, f.fakes)
	env.RegisterWorkflow(WatchBaseline)
	add := func(name string, fn any) { env.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: name}) }
	add(swap.ActivityCheckIdle, func(_ context.Context, in swap.CheckIdleInput) (swap.CheckIdleResult, error) {
		require.Equal(t, "chat", in.Target)
		return swap.CheckIdleResult{Busy: f.busy}, nil
	})
	add(swap.ActivityCompareDrift, func(_ context.Context, in swap.CompareDriftInput) (swap.Drift, error) { return f.drift(in) })
	add(swap.ActivityRecordDrift, func(_ context.Context, in swap.RecordDriftInput) (swap.RecordedDrift, error) {
		f.saw(swap.ActivityRecordDrift)
		f.records = append(f.records, in)
		return f.record(in)
	})
	return env
}

func watched(t *testing.T, env *testsuite.TestWorkflowEnvironment) swap.WatchResult {
	t.Helper()
	require.True(t, env.IsWorkflowCompleted())
	require.NoError(t, env.GetWorkflowError())
	var r swap.WatchResult
	require.NoError(t, env.GetWorkflowResult(&r))
	return r
}

func TestWatchResponses(t *testing.T) {
	for response, c := range map[swap.DriftResponse]struct {
		told    bool
		blocked bool
		summary string
	}{
		swap.DriftSilent:       {summary: "old on chat is as its baseline was."},
		swap.DriftInconclusive: {summary: "old on chat was measured, and whether it changed is not decided: Ttft_p99 is 9.0 % worse."},
		swap.DriftNotify:       {told: true, summary: "old on chat is a little worse than its baseline: Ttft_p99 is 9.0 % worse."},
		swap.DriftFail:         {told: true, summary: "old on chat is worse than its baseline: Ttft_p99 is 9.0 % worse."},
		swap.DriftBlock: {
			told: true, blocked: true,
			summary: "old on chat is much worse than its baseline, and rollouts are blocked: Ttft_p99 is 9.0 % worse.",
		},
	} {
		t.Run(string(response), func(t *testing.T) {
			f := newWatchFakes(response)
			env := startWatch(t, f)
			env.ExecuteWorkflow(WatchBaseline, request())

			r := watched(t, env)
			require.Equal(t, response, r.Response)
			require.Equal(t, c.summary, r.Summary)
			require.Equal(t, c.blocked, r.Blocked != nil)
			require.Equal(t, &ref, r.Stored)
			require.Equal(t, "e", r.Provenance.EvidenceSHA256)
			require.Equal(t, "ci", r.Provenance.RequestedBy)
			require.Len(t, r.Steps, 2)
			require.Equal(t, []swap.Finding{{Severity: swap.Notable, Subject: "plan", Message: "few"}}, r.Findings)
			require.Len(t, f.records, 1)
			require.Equal(t, c.summary, f.records[0].Result.Summary, "the history tells what people are told")
			if !c.told {
				require.Empty(t, f.spoken)
				return
			}
			require.Len(t, f.spoken, 1)
			require.Equal(t, c.summary, f.spoken[0].Alarm)
			require.Equal(t, &ref, r.Slack)
		})
	}
}

func TestWatchDrivesTheBaselineAsBothArmsAndMovesNoTraffic(t *testing.T) {
	f := newWatchFakes(swap.DriftSilent)
	env := startWatch(t, f)
	in := request()
	in.Spec.Telemetry.Sources = []swap.TelemetrySource{
		{Kind: swap.SourceDCGM, URL: "http://a-gpu", Arm: swap.Baseline},
		{Kind: swap.SourceDCGM, URL: "http://b-gpu", Arm: swap.Candidate},
		{Kind: swap.SourceDCGM, URL: "http://shared-gpu"},
	}
	env.ExecuteWorkflow(WatchBaseline, in)
	watched(t, env)
	require.Len(t, f.steps, 2)
	require.Equal(t, []swap.TelemetrySource{in.Spec.Telemetry.Sources[0], in.Spec.Telemetry.Sources[2]}, f.steps[0].Spec.Telemetry.Sources)
	for _, s := range f.steps {
		require.Equal(t, request().Spec.Baseline, s.Spec.Baseline)
		require.Equal(t, request().Spec.Baseline, s.Spec.Candidate)
		require.Nil(t, s.Spec.Rollout)
	}
	require.Zero(t, f.count(swap.ActivitySetWeights)+f.count(swap.ActivityRestoreSnapshot)+f.count(swap.ActivityPublishReport))
}

func TestWatchWaitsForNoValidation(t *testing.T) {
	f := newWatchFakes(swap.DriftSilent)
	f.busy = "swap-chat"
	env := startWatch(t, f)
	env.ExecuteWorkflow(WatchBaseline, request())
	r := watched(t, env)
	require.Equal(t, swap.DriftInconclusive, r.Response)
	require.Equal(t, swap.ReasonTargetBusy, r.Reasons[0].Code)
	require.Zero(t, f.count(swap.ActivityPreflight))
	require.Empty(t, f.steps, "nothing is driven")
}

func TestWatchThatCannotBeginIsInconclusive(t *testing.T) {
	f := newWatchFakes(swap.DriftSilent)
	f.preflight = func() (swap.PreflightResult, error) {
		return swap.PreflightResult{Findings: []swap.Finding{{Severity: swap.Blocking, Subject: "baseline", Message: "No token counts."}}}, nil
	}
	env := startWatch(t, f)
	env.ExecuteWorkflow(WatchBaseline, request())
	r := watched(t, env)
	require.Equal(t, swap.DriftInconclusive, r.Response)
	require.Equal(t, swap.ReasonPreflightBlocking, r.Reasons[0].Code)
	require.Empty(t, f.steps)
	require.Equal(t, 1, f.count(swap.ActivityRecordDrift))
}

func TestWatchThatCouldNotMeasureFailsAndIsTold(t *testing.T) {
	cases := map[string]func(*watchFakes){
		"no server": func(f *watchFakes) {
			f.preflight = func() (swap.PreflightResult, error) { return swap.PreflightResult{}, fatal("EngineUnreachable") }
		},
		"no load": func(f *watchFakes) {
			f.loadStep = func(swap.LoadStepInput) (swap.StepResult, error) {
				return swap.StepResult{}, fatal("EngineUnreachable")
			}
		},
		"no comparison": func(f *watchFakes) {
			f.drift = func(swap.CompareDriftInput) (swap.Drift, error) { return swap.Drift{}, fatal("EngineUnreachable") }
		},
	}
	for name, broken := range cases {
		t.Run(name, func(t *testing.T) {
			f := newWatchFakes(swap.DriftSilent)
			broken(f)
			env := startWatch(t, f)
			env.ExecuteWorkflow(WatchBaseline, request())
			var app *temporal.ApplicationError
			require.ErrorAs(t, env.GetWorkflowError(), &app)
			require.Equal(t, "EngineUnreachable", app.Type())
			require.Equal(t, "old on chat could not be watched: it broke; mend it", app.Message())
			var r swap.WatchResult
			require.NoError(t, app.Details(&r))
			require.Empty(t, r.Response)
			require.Len(t, f.spoken, 1, "a watch that ends in silence would look like a healthy one")
			require.Empty(t, f.records)
		})
	}
}

func TestWatchKeepsItsResponseWhenTellingFails(t *testing.T) {
	f := newWatchFakes(swap.DriftBlock)
	f.record = func(swap.RecordDriftInput) (swap.RecordedDrift, error) {
		return swap.RecordedDrift{}, fatal("RunStoreDenied")
	}
	f.notify = func(swap.NotifyInput) (*swap.ObjectRef, error) { return nil, fatal("SlackRefused") }
	env := startWatch(t, f)
	env.ExecuteWorkflow(WatchBaseline, request())
	r := watched(t, env)
	require.Equal(t, swap.DriftBlock, r.Response)
	require.Nil(t, r.Blocked)
	require.Equal(t, "store", r.Findings[1].Subject)
	require.Contains(t, r.Findings[1].Next, "not blocked")
	require.Equal(t, "slack", r.Findings[2].Subject)
}

func TestWatchWithoutAChannelTellsNobody(t *testing.T) {
	f := newWatchFakes(swap.DriftFail)
	in := request()
	in.Spec.Notify.Slack = nil
	env := startWatch(t, f)
	env.ExecuteWorkflow(WatchBaseline, in)
	require.Equal(t, swap.DriftFail, watched(t, env).Response)
	require.Empty(t, f.spoken)
}

func TestCancelledWatchIsCancelled(t *testing.T) {
	f := newWatchFakes(swap.DriftSilent)
	env := startWatch(t, f)
	f.loadStep = func(swap.LoadStepInput) (swap.StepResult, error) {
		env.CancelWorkflow()
		return swap.StepResult{}, temporal.NewCanceledError()
	}
	env.ExecuteWorkflow(WatchBaseline, request())
	require.True(t, env.IsWorkflowCompleted())
	require.True(t, temporal.IsCanceledError(env.GetWorkflowError()), "%v", env.GetWorkflowError())
	require.Empty(t, f.spoken)
	require.Empty(t, f.records)
}

func TestWatchAnswersQueries(t *testing.T) {
	f := newWatchFakes(swap.DriftNotify)
	env := startWatch(t, f)
	var during swap.Status
	env.RegisterDelayedCallback(func() {
		answer, err := env.QueryWorkflow(swap.QueryStatus)
		require.NoError(t, errors.Join(err, answer.Get(&during)))
	}, time.Millisecond)
	env.ExecuteWorkflow(WatchBaseline, request())
	require.Len(t, during.Stages, len(watchStages))
	require.Equal(t, "chat", during.Target)
	answer, err := env.QueryWorkflow(swap.QueryStatus)
	require.NoError(t, err)
	var after swap.Status
	require.NoError(t, answer.Get(&after))
	require.Equal(t, swap.StageDone, after.Stage)
	require.Equal(t, swap.Decision(swap.DriftNotify), after.Verdict)
	for _, s := range after.Stages {
		require.Equal(t, stateDone, s.State, s.Stage)
	}
	answer, err = env.QueryWorkflow(swap.QueryPlan)
	require.NoError(t, err)
	var plan swap.Spec
	require.NoError(t, answer.Get(&plan))
	require.Equal(t, plan.Baseline, plan.Candidate)
}
