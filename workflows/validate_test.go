package workflows

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestPassPromotesStepByStep(t *testing.T) {
	f := newFakes()
	var weights []int
	f.setWeight = func(in swap.SetWeightsInput) (swap.Restored, error) {
		weights = append(weights, in.Weights.Candidate)
		return swap.Restored{Weights: &in.Weights}, nil
	}
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, request())

	v := verdictOf(t, env)
	require.Equal(t, swap.Pass, v.Verdict)
	require.Equal(t, []int{1, 50, 100}, weights)
	require.Equal(t, swap.Weights{Candidate: 100}, *v.FinalWeights)
	require.Len(t, v.Rollout.Windows, 3)
	require.Len(t, v.Steps, 2)
	require.Zero(t, f.count(swap.ActivityRestoreSnapshot), "a promoted run keeps its traffic")
	require.Equal(t, "old → new on chat is safe: every gate passed and the candidate serves 100 % of traffic.", v.Summary)
}

func TestPassWithoutRolloutMovesNothing(t *testing.T) {
	f := newFakes()
	in := request()
	in.Spec.Rollout = nil
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, in)

	v := verdictOf(t, env)
	require.Equal(t, swap.Pass, v.Verdict)
	require.Zero(t, f.count(swap.ActivitySetWeights))
	require.Zero(t, f.count(swap.ActivityRestoreSnapshot))
}

// Every end but a promotion puts the baseline back and says so, whatever ended the run.
func TestEveryOtherEndGoesBack(t *testing.T) {
	failed := swap.Reason{Code: swap.ReasonGateFailed, Subject: "ttft_p99", Message: "slower"}
	cases := map[string]struct {
		arrange func(*fakes, *swap.Request)
		during  func(*testsuite.TestWorkflowEnvironment)
		verdict swap.Decision
		reason  string
		stage   swap.Stage
	}{
		"a gate fails": {
			arrange: func(f *fakes, _ *swap.Request) {
				f.compare = func(swap.CompareInput) (swap.Comparison, error) {
					return swap.Comparison{Decision: swap.Fail, Reasons: []swap.Reason{failed}}, nil
				}
			},
			verdict: swap.Fail, reason: swap.ReasonGateFailed, stage: swap.StageCompare,
		},
		"gates are not decided": {
			arrange: func(f *fakes, _ *swap.Request) {
				f.compare = func(swap.CompareInput) (swap.Comparison, error) {
					return swap.Comparison{Decision: swap.Inconclusive, Reasons: []swap.Reason{{Code: swap.ReasonLowN}}}, nil
				}
			},
			verdict: swap.Inconclusive, reason: swap.ReasonLowN, stage: swap.StageCompare,
		},
		"the guard fires in a window": {
			arrange: func(f *fakes, _ *swap.Request) {
				f.observe = decideAt(2, swap.WindowDecision{
					Action: swap.ActionRollback, Reason: []swap.Reason{{Code: swap.ReasonGuardErrors}},
				})
			},
			verdict: swap.Fail, reason: swap.ReasonGuardErrors, stage: swap.StageRollout,
		},
		"windows never decide": {
			arrange: func(f *fakes, _ *swap.Request) {
				f.observe = decideAt(2, swap.WindowDecision{
					Action: swap.ActionStop, Reason: []swap.Reason{{Code: swap.ReasonWindowNotDecided}},
				})
			},
			verdict: swap.Inconclusive, reason: swap.ReasonWindowNotDecided, stage: swap.StageRollout,
		},
		"nobody approves": {
			arrange: func(_ *fakes, in *swap.Request) { in.Spec.Rollout.ApproveAt = []int{50} },
			verdict: swap.Inconclusive, reason: swap.ReasonNotApproved, stage: swap.StageRollout,
		},
		"abort while waiting for approval": {
			arrange: func(_ *fakes, in *swap.Request) { in.Spec.Rollout.ApproveAt = []int{50} },
			during:  update(t, swap.UpdateAbort, 10*time.Minute),
			verdict: swap.Aborted, reason: swap.ReasonAborted, stage: swap.StageRollout,
		},
		"rollback while waiting for approval": {
			arrange: func(_ *fakes, in *swap.Request) { in.Spec.Rollout.ApproveAt = []int{50} },
			during:  update(t, swap.UpdateRollback, 10*time.Minute),
			verdict: swap.Aborted, reason: swap.ReasonRolledBack, stage: swap.StageRollout,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f, in := newFakes(), request()
			c.arrange(f, &in)
			env := start(t, f)
			if c.during != nil {
				c.during(env)
			}
			env.ExecuteWorkflow(ValidateSwap, in)

			v := verdictOf(t, env)
			require.Equal(t, c.verdict, v.Verdict)
			require.Equal(t, c.reason, v.Reasons[0].Code)
			require.Equal(t, c.stage, v.Stage)
			require.Equal(t, 1, f.count(swap.ActivityRestoreSnapshot))
			require.Equal(t, swap.AllBaseline, *v.FinalWeights, "as read back")
			require.Equal(t, 1, f.count(swap.ActivityPublishReport))
			require.Equal(t, 1, f.count(swap.ActivityUpdateThread))
		})
	}
}

// decideAt advances until the given window, whose decision is fixed.
func decideAt(index int, d swap.WindowDecision) func(swap.ObserveWindowInput) (swap.ObserveWindowResult, error) {
	return func(in swap.ObserveWindowInput) (swap.ObserveWindowResult, error) {
		w := swap.Window{Index: in.Index, Weights: in.Weights, ReadBack: in.Weights, Decision: advance(in)}
		if in.Index == index {
			w.Decision = d
		}
		return swap.ObserveWindowResult{Window: w}, nil
	}
}

func TestBlockingFindingStopsBeforeAnythingIsTouched(t *testing.T) {
	f := newFakes()
	f.preflight = func() (swap.PreflightResult, error) {
		short := swap.Finding{Severity: swap.Blocking, Subject: "candidate", Message: "Context is too short."}
		return swap.PreflightResult{Findings: []swap.Finding{short}}, nil
	}
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, request())

	v := verdictOf(t, env)
	require.Equal(t, swap.Inconclusive, v.Verdict)
	require.Equal(t, swap.ReasonPreflightBlocking, v.Reasons[0].Code)
	require.Zero(t, f.count(swap.ActivitySetWeights)+f.count(swap.ActivityRestoreSnapshot)+f.count(swap.ActivityLoadStep))
}

func TestCouldNotMeasureFailsTheWorkflowWithTheActivitysType(t *testing.T) {
	f := newFakes()
	f.loadStep = func(swap.LoadStepInput) (swap.StepResult, error) { return swap.StepResult{}, fatal("RunCorrupt") }
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, request())

	var app *temporal.ApplicationError
	require.ErrorAs(t, env.GetWorkflowError(), &app)
	require.Equal(t, "RunCorrupt", app.Type())
	var v swap.Verdict
	require.NoError(t, app.Details(&v))
	require.Equal(t, swap.Errored, v.Verdict)
	require.Contains(t, v.Summary, " could not be measured: load failed: it broke; mend it")
	require.Equal(t, 1, f.count(swap.ActivityRestoreSnapshot))
}

// A cancel that comes when everything is decided cannot undo a promotion, and must not look as if it had.
func TestReportAndSlackCannotChangeTheVerdict(t *testing.T) {
	f := newFakes()
	f.publish = func(swap.PublishReportInput) (swap.Artifacts, error) {
		return swap.Artifacts{}, fatal("RunStoreUnavailable")
	}
	f.thread = func(swap.ThreadInput) (swap.ThreadResult, error) { return swap.ThreadResult{}, fatal("SlackRefused") }
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, request())

	v := verdictOf(t, env)
	require.Equal(t, swap.Pass, v.Verdict)
	require.Len(t, v.Findings, 2)
}

func TestTelemetryThatFailsIsMissingEvidenceNotAnError(t *testing.T) {
	f, in := newFakes(), request()
	in.Spec.Telemetry.Sources = []swap.TelemetrySource{{Kind: swap.SourceDCGM, URL: "http://dcgm", Required: true}}
	f.capture = func(context.Context) (swap.TelemetryResult, error) {
		return swap.TelemetryResult{}, fatal("TelemetryMissing")
	}
	// The load outlasts the capture, so that the capture ends by its own fault and not by the cancel that ends it usually.
	captureEnded := make(chan struct{})
	f.loadStep = func(in swap.LoadStepInput) (swap.StepResult, error) {
		<-captureEnded
		return swap.StepResult{Step: in.Step, Manifest: ref}, nil
	}
	var seen []swap.TelemetryResult
	f.compare = func(in swap.CompareInput) (swap.Comparison, error) {
		seen = in.Telemetry
		return swap.Comparison{Decision: swap.Pass}, nil
	}
	env := start(t, f)
	env.SetOnActivityCompletedListener(func(info *activity.Info, _ converter.EncodedValue, _ error) {
		if info.ActivityType.Name == swap.ActivityCaptureTelemetry {
			close(captureEnded)
		}
	})
	env.ExecuteWorkflow(ValidateSwap, in)

	require.Equal(t, swap.Pass, verdictOf(t, env).Verdict)
	require.True(t, seen[0].Sources[0].Required)
	require.Equal(t, "it broke; mend it", seen[0].Sources[0].LastError)
}

func TestVerdictHasWhatTheComparisonFoundBesideTheGates(t *testing.T) {
	found := swap.Comparison{
		Decision: swap.Fail, EvidenceSHA256: "ab", Findings: []swap.Finding{{Severity: swap.Notable, Subject: "x"}},
		Capacity: []swap.Capacity{{Steps: []int{1, 2}}}, Opinions: []swap.Opinion{{Rule: swap.RuleErrors3x, Says: swap.SaysSilent}},
	}
	f := newFakes()
	f.compare = func(swap.CompareInput) (swap.Comparison, error) { return found, nil }
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, request())

	v := verdictOf(t, env)
	require.Equal(t, swap.Fail, v.Verdict, "whatever the opinions say")
	require.Equal(t, found.Capacity, v.Capacity)
	require.Equal(t, found.Opinions, v.Opinions)
	require.Contains(t, v.Findings, found.Findings[0])
	require.Equal(t, "ab", v.Provenance.EvidenceSHA256)
}

func TestRollbackThatFailsIsNeverShownAsCalm(t *testing.T) {
	f, in := newFakes(), request()
	in.Spec.Rollout.ApproveAt = []int{50}
	f.restore = func(swap.RestoreSnapshotInput) (swap.Restored, error) {
		return swap.Restored{}, fatal("InvalidRequest")
	}
	env := start(t, f)
	env.RegisterDelayedCallback(env.CancelWorkflow, 10*time.Minute)
	env.ExecuteWorkflow(ValidateSwap, in)

	var app *temporal.ApplicationError
	require.ErrorAs(t, env.GetWorkflowError(), &app)
	require.Equal(t, "RollbackFailed", app.Type())
	require.False(t, temporal.IsCanceledError(env.GetWorkflowError()))
}

// errDownFor10s is tried again after ten seconds: the test environment gives up after ten tries, and an alarm takes a minute.
var errDownFor10s = temporal.NewApplicationErrorWithOptions("gateway is down", "RouteUnavailable",
	temporal.ApplicationErrorOptions{NextRetryDelay: 10 * time.Second})

func TestStuckRollbackRaisesAnAlarmAndGoesOn(t *testing.T) {
	f := newFakes()
	f.compare = func(swap.CompareInput) (swap.Comparison, error) { return swap.Comparison{Decision: swap.Fail}, nil }
	tries := 0
	f.restore = func(swap.RestoreSnapshotInput) (swap.Restored, error) {
		if tries++; tries < 10 {
			return swap.Restored{}, errDownFor10s
		}
		all := swap.AllBaseline
		return swap.Restored{Weights: &all}, nil
	}
	var alarms int
	f.notify = func(in swap.NotifyInput) (*swap.ObjectRef, error) {
		if in.Alarm != "" {
			alarms++
		}
		return nil, nil
	}
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, request())

	require.Equal(t, swap.Fail, verdictOf(t, env).Verdict)
	require.Equal(t, 1, alarms)
}

func TestStatusQueryShowsWhereTheRunStands(t *testing.T) {
	f, in := newFakes(), request()
	in.Spec.Rollout.ApproveAt = []int{50}
	env := start(t, f)
	var s swap.Status
	env.RegisterDelayedCallback(func() {
		q, err := env.QueryWorkflow(swap.QueryStatus)
		require.NoError(t, err)
		require.NoError(t, q.Get(&s))
	}, 10*time.Minute)
	env.ExecuteWorkflow(ValidateSwap, in)

	require.Equal(t, swap.StageRollout, s.Stage)
	require.Equal(t, 2, s.StepsDone)
	require.Equal(t, 1, s.Windows)
	require.Equal(t, 1, s.Weights.Candidate)
	require.Contains(t, s.Waiting, "Approve 50 %")
}

func TestRollbackSwapRestoresTheNewestSnapshot(t *testing.T) {
	f := newFakes()
	env := start(t, f)
	env.ExecuteWorkflow(RollbackSwap, swap.RollbackRequest{Target: "chat", RequestedBy: "ann"})
	require.NoError(t, env.GetWorkflowError())
	var r swap.RollbackResult
	require.NoError(t, env.GetWorkflowResult(&r))
	require.Equal(t, swap.AllBaseline, *r.Restored.Weights)
}

func TestAFailedPreflightStillNamesTheModels(t *testing.T) {
	f := newFakes()
	f.preflight = func() (swap.PreflightResult, error) { return swap.PreflightResult{}, fatal("EngineUnreachable") }
	in := request()
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, in)

	var app *temporal.ApplicationError
	require.ErrorAs(t, env.GetWorkflowError(), &app)
	var v swap.Verdict
	require.NoError(t, app.Details(&v))
	require.Equal(t, in.Spec.Candidate.URL, v.Arms.Candidate.URL)
	require.Contains(t, v.Summary, in.Spec.Baseline.Model+" → "+in.Spec.Candidate.Model)
}

func TestSlackThatIsDownIsGivenUpSoonWhenAVerdictWaits(t *testing.T) {
	f := newFakes()
	f.thread = func(swap.ThreadInput) (swap.ThreadResult, error) { return swap.ThreadResult{}, errors.New("no answer") }
	in := request()
	in.Spec.Rollout = nil
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, in)

	v := verdictOf(t, env)
	require.Equal(t, swap.Pass, v.Verdict)
	require.Contains(t, v.Findings[len(v.Findings)-1].Message, "The message was not posted")
	require.LessOrEqual(t, f.count(swap.ActivityUpdateThread), 8, "attempts at most half a minute apart")
}
