package workflows

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/swapgate/swapgate/pkg/swap"
)

// fakes are the activities of a run that goes well; a test replaces what it is about.
type fakes struct {
	mu    sync.Mutex
	calls []string

	preflight func() (swap.PreflightResult, error)
	loadStep  func(swap.LoadStepInput) (swap.StepResult, error)
	compare   func(swap.CompareInput) (swap.Comparison, error)
	observe   func(swap.ObserveWindowInput) (swap.ObserveWindowResult, error)
	restore   func(swap.RestoreSnapshotInput) (swap.Restored, error)
	setWeight func(swap.SetWeightsInput) (swap.Restored, error)
	baseline  func(swap.RegisterBaselineInput) (swap.RegisteredBaseline, error)
	healthy   func(swap.MarkHealthyInput) error
	publish   func(swap.PublishReportInput) (swap.Artifacts, error)
	notify    func(swap.NotifyInput) (*swap.ObjectRef, error)
	thread    func(swap.ThreadInput) (swap.ThreadResult, error)
	capture   func(context.Context) (swap.TelemetryResult, error)
}

func (f *fakes) saw(call string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, call)
}

func (f *fakes) count(call string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, c := range f.calls {
		if c == call {
			n++
		}
	}
	return n
}

var ref = swap.ObjectRef{URI: "s3://runs/x", SHA256: "0123456789abcdef"}

func newFakes() *fakes {
	all := swap.AllBaseline
	return &fakes{
		preflight: func() (swap.PreflightResult, error) {
			return swap.PreflightResult{Weights: &all, Arms: swap.PerArm[swap.ArmFacts]{
				Baseline: swap.ArmFacts{Engine: "vllm", Model: "old"}, Candidate: swap.ArmFacts{Engine: "vllm", Model: "new"},
			}}, nil
		},
		loadStep: func(in swap.LoadStepInput) (swap.StepResult, error) {
			return swap.StepResult{Step: in.Step, Manifest: ref}, nil
		},
		compare: func(swap.CompareInput) (swap.Comparison, error) { return swap.Comparison{Decision: swap.Pass}, nil },
		observe: func(in swap.ObserveWindowInput) (swap.ObserveWindowResult, error) {
			return swap.ObserveWindowResult{Window: swap.Window{
				Index: in.Index, Weights: in.Weights, ReadBack: in.Weights, Decision: advance(in),
			}}, nil
		},
		restore: func(swap.RestoreSnapshotInput) (swap.Restored, error) { return swap.Restored{Weights: &all}, nil },
		setWeight: func(in swap.SetWeightsInput) (swap.Restored, error) {
			return swap.Restored{Weights: &in.Weights, Changed: true}, nil
		},
		baseline: func(swap.RegisterBaselineInput) (swap.RegisteredBaseline, error) {
			return swap.RegisteredBaseline{Version: 1, Reference: 1, Entry: ref}, nil
		},
		healthy: func(swap.MarkHealthyInput) error { return nil },
		publish: func(swap.PublishReportInput) (swap.Artifacts, error) { return swap.Artifacts{Verdict: &ref}, nil },
		notify:  func(swap.NotifyInput) (*swap.ObjectRef, error) { return &ref, nil },
		thread:  func(swap.ThreadInput) (swap.ThreadResult, error) { return swap.ThreadResult{Message: &ref}, nil },
		capture: func(context.Context) (swap.TelemetryResult, error) {
			return swap.TelemetryResult{Samples: []swap.ObjectRef{ref}}, nil
		},
	}
}

// advance is a rollout without trouble: the next weight of the plan, then promotion.
func advance(in swap.ObserveWindowInput) swap.WindowDecision {
	for _, w := range in.Spec.Rollout.Weights {
		if w > in.Weights.Candidate {
			return swap.WindowDecision{Action: swap.ActionAdvance, Weight: w}
		}
	}
	return swap.WindowDecision{Action: swap.ActionPromote, Weight: 100}
}

func (f *fakes) register(env *testsuite.TestWorkflowEnvironment) {
	add := func(name string, fn any) {
		env.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: name})
	}
	add(swap.ActivityPreflight, func(context.Context, swap.PreflightInput) (swap.PreflightResult, error) {
		f.saw(swap.ActivityPreflight)
		return f.preflight()
	})
	add(swap.ActivityTakeSnapshot, func(context.Context, swap.TakeSnapshotInput) (swap.ObjectRef, error) { return ref, nil })
	add(swap.ActivityWarmUp, func(_ context.Context, in swap.WarmUpInput) (swap.WarmUpResult, error) {
		return swap.WarmUpResult{Arm: in.Arm, Stable: true}, nil
	})
	add(swap.ActivityLoadStep, func(_ context.Context, in swap.LoadStepInput) (swap.StepResult, error) {
		f.saw(swap.ActivityLoadStep)
		return f.loadStep(in)
	})
	add(swap.ActivityCaptureTelemetry, func(ctx context.Context, _ swap.CaptureTelemetryInput) (swap.TelemetryResult, error) {
		return f.capture(ctx)
	})
	add(swap.ActivityFitBaseline, func(context.Context, swap.FitBaselineInput) (swap.BaselineFit, error) {
		return swap.BaselineFit{Ref: ref}, nil
	})
	add(swap.ActivityCompareArms, func(_ context.Context, in swap.CompareInput) (swap.Comparison, error) { return f.compare(in) })
	add(swap.ActivitySetWeights, func(_ context.Context, in swap.SetWeightsInput) (swap.Restored, error) {
		f.saw(swap.ActivitySetWeights)
		return f.setWeight(in)
	})
	add(swap.ActivityObserveWindow, func(_ context.Context, in swap.ObserveWindowInput) (swap.ObserveWindowResult, error) {
		f.saw(swap.ActivityObserveWindow)
		return f.observe(in)
	})
	add(swap.ActivityRestoreSnapshot, func(_ context.Context, in swap.RestoreSnapshotInput) (swap.Restored, error) {
		f.saw(swap.ActivityRestoreSnapshot)
		return f.restore(in)
	})
	add(swap.ActivityRegisterBaseline, func(_ context.Context, in swap.RegisterBaselineInput) (swap.RegisteredBaseline, error) {
		f.saw(swap.ActivityRegisterBaseline)
		return f.baseline(in)
	})
	add(swap.ActivityMarkHealthy, func(_ context.Context, in swap.MarkHealthyInput) (swap.SnapshotHealth, error) {
		f.saw(swap.ActivityMarkHealthy)
		return in.Health, f.healthy(in)
	})
	add(swap.ActivityPublishReport, func(_ context.Context, in swap.PublishReportInput) (swap.Artifacts, error) {
		f.saw(swap.ActivityPublishReport)
		return f.publish(in)
	})
	add(swap.ActivityNotifySlack, func(_ context.Context, in swap.NotifyInput) (*swap.ObjectRef, error) {
		f.saw(swap.ActivityNotifySlack)
		return f.notify(in)
	})
	add(swap.ActivityUpdateThread, func(_ context.Context, in swap.ThreadInput) (swap.ThreadResult, error) {
		f.saw(swap.ActivityUpdateThread)
		return f.thread(in)
	})
}

func request() swap.Request {
	d := func(d time.Duration) swap.Duration { return swap.Duration(d) }
	return swap.Request{SpecSHA256: "abc", RequestedBy: "ci", Spec: swap.Spec{
		Target:    "chat",
		Baseline:  swap.Endpoint{URL: "http://a", Model: "old"},
		Candidate: swap.Endpoint{URL: "http://b", Model: "new"},
		WarmUp:    swap.WarmUp{MaxDuration: d(time.Minute)},
		Load: swap.Load{
			Steps: []swap.Step{{Rate: 10, Hold: d(time.Minute)}, {Rate: 20, Hold: d(time.Minute)}},
			Block: d(10 * time.Second), Settle: d(time.Second),
		},
		Rollout: &swap.Rollout{
			Route:   swap.Route{Kind: swap.RouteSwapgate, URL: "http://gw", AdminURL: "http://gw-admin"},
			Weights: []int{1, 50, 100}, Window: d(time.Minute), WindowsPerWeight: 1, ApproveTimeout: d(time.Hour),
		},
		Notify: swap.Notify{Slack: &swap.Slack{Channel: "#releases"}},
	}}
}

// start prepares a run with the given activities; the test executes it.
func start(t *testing.T, f *fakes) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(30 * time.Second)
	env.RegisterWorkflow(ValidateSwap)
	env.RegisterWorkflow(RollbackSwap)
	f.register(env)
	return env
}

func verdictOf(t *testing.T, env *testsuite.TestWorkflowEnvironment) swap.Verdict {
	t.Helper()
	require.True(t, env.IsWorkflowCompleted())
	require.NoError(t, env.GetWorkflowError())
	var v swap.Verdict
	require.NoError(t, env.GetWorkflowResult(&v))
	return v
}

func fatal(kind string) error {
	return temporal.NewNonRetryableApplicationError("it broke; mend it", kind, nil)
}
