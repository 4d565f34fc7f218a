package workflows

import (
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/swapgate/swapgate/pkg/swap"
)

// look asks a run for its status while an activity of it works.
func look(t *testing.T, env *testsuite.TestWorkflowEnvironment) swap.Status {
	t.Helper()
	answer := make(chan swap.Status, 1)
	env.RegisterDelayedCallback(func() {
		var s swap.Status
		if q, err := env.QueryWorkflow(swap.QueryStatus); err == nil {
			_ = q.Get(&s)
		}
		answer <- s
	}, 0)
	select {
	case s := <-answer:
		return s
	case <-time.After(10 * time.Second):
		t.Error("the run does not answer")
		return swap.Status{}
	}
}

// inform is what an activity on a load worker tells its run.
func inform(env *testsuite.TestWorkflowEnvironment, id, note string) {
	env.SignalWorkflow(swap.SignalLoadNews, swap.LoadNews{ActivityID: id, ActivityType: swap.ActivityLoadStep, Note: note})
}

const whyProlonged = "prolonged, block 7 of at most 12 on each arm, because the baseline's P99 of TTFT has no upper bound yet"

// The board shows that a step waits for a load worker, then nothing, then why it is prolonged, and nothing once it is over.
func TestTheBoardShowsWhatLoadWorkersDo(t *testing.T) {
	f := newFakes()
	env := start(t, f)
	var now []string
	f.loadStep = func(in swap.LoadStepInput) (swap.StepResult, error) {
		if in.Step == 1 {
			now = append(now, look(t, env).Now)
			inform(env, "load-step-1", "")
			now = append(now, look(t, env).Now)
			inform(env, "load-step-1", whyProlonged)
			now = append(now, look(t, env).Now)
		}
		return swap.StepResult{Step: in.Step, Manifest: ref}, nil
	}
	var after string
	f.compare = func(swap.CompareInput) (swap.Comparison, error) {
		inform(env, "load-step-1", "too late")
		after = look(t, env).Now
		return swap.Comparison{Decision: swap.Pass}, nil
	}
	env.ExecuteWorkflow(ValidateSwap, request())
	require.Equal(t, swap.Pass, verdictOf(t, env).Verdict)
	require.Len(t, now, 3)
	require.Regexp(t, `^step 1/2 has waited for a load worker since \d\d:\d\d:\d\d UTC; .* swapgate status tells which$`, now[0])
	require.Empty(t, now[1])
	require.Equal(t, "step 1/2: "+whyProlonged, now[2])
	require.Empty(t, after)
}

func TestTheBoardCountsTheLoadWorkersOfAStep(t *testing.T) {
	f := newFakes()
	env := start(t, f)
	in := sharded()
	over := make(chan struct{})
	defer close(over)
	var now string
	f.loadStep = func(in swap.LoadStepInput) (swap.StepResult, error) {
		if in.Shard > 0 {
			<-over
		} else if in.Step == 1 {
			inform(env, "load-step-1", "")
			inform(env, "load-step-1-shard-2", "")
			now = look(t, env).Now
		}
		return swap.StepResult{Step: in.Step, Manifest: ref}, nil
	}
	env.ExecuteWorkflow(ValidateSwap, in)
	verdictOf(t, env)
	require.Contains(t, now, "step 1/2 has waited for load workers (2 of 3 have begun) since ")
	require.Contains(t, now, "start more load workers (swapgate-worker --role load), or lower load.shards")
}

// A prolonged step can be found by the stage's search attribute.
func TestAProlongedStepIsFound(t *testing.T) {
	f, in := newFakes(), request()
	in.SearchAttributes = true
	env := start(t, f)
	var stages []string
	env.OnUpsertTypedSearchAttributes(mock.Anything).Run(func(args mock.Arguments) {
		updated, ok := args.Get(0).(temporal.SearchAttributes)
		if stage, set := updated.GetKeyword(keyword(swap.AttrStage)); ok && set {
			stages = append(stages, stage)
		}
	}).Return(nil)
	f.loadStep = func(in swap.LoadStepInput) (swap.StepResult, error) {
		if in.Step == 2 {
			inform(env, "load-step-2", whyProlonged)
			inform(env, "load-step-2", whyProlonged+", still")
			look(t, env)
		}
		return swap.StepResult{Step: in.Step, Manifest: ref}, nil
	}
	env.ExecuteWorkflow(ValidateSwap, in)
	verdictOf(t, env)
	require.Equal(t, []string{"preflight", "snapshot", "warm_up", "load", "load-prolonged", "load", "baseline"}, stages[:7])
}

func TestTheBoardIsMarkdown(t *testing.T) {
	b := &board{status: swap.Status{Target: "chat", Now: nowText([]loadWork{{what: "step 1/2", begun: true, note: "a | b"}})}}
	require.Contains(t, b.markdown(), "**Now:** step 1/2: a \\| b\n")
	require.NotContains(t, (&board{}).markdown(), "**Now:**")
}

// Telemetry is captured for as long as the steps may be prolonged.
func TestTheCaptureLastsAsLongAsTheLoadMay(t *testing.T) {
	l := request().Spec.Load
	require.Equal(t, l.Duration(), longestLoad(l))
	l.Extend = &swap.Extend{MaxHold: swap.Duration(10 * time.Minute)}
	require.Equal(t, 44*time.Minute, longestLoad(l), "two steps of 60 blocks of 11 s on each arm")
}
