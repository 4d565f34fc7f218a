package workflows

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/swapgate/swapgate/pkg/swap"
)

// sharded is a request whose steps three load workers share.
func sharded() swap.Request {
	in := request()
	in.Spec.Rollout = nil
	in.Spec.Load.Shards = 3
	return in
}

// cast notes the load steps that were started and cancelled, by shard.
type cast struct {
	mu        sync.Mutex
	started   []string
	cancelled []string
}

// note adds what happened to a load step.
func (c *cast) note(to *[]string, what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*to = append(*to, what)
}

func (c *cast) sorted(of *[]string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.Clone(*of)
	slices.Sort(all)
	return all
}

func (c *cast) watch(env *testsuite.TestWorkflowEnvironment) {
	env.SetOnActivityCanceledListener(func(info *activity.Info) {
		if info.ActivityType.Name == swap.ActivityLoadStep {
			c.note(&c.cancelled, info.ActivityID)
		}
	})
}

func name(in swap.LoadStepInput) string { return fmt.Sprintf("step %d shard %d", in.Step, in.Shard) }

// Each step is given to all its load workers at once, and has the result of the conductor alone.
func TestAStepIsSharedByItsLoadWorkers(t *testing.T) {
	f, seen := newFakes(), &cast{}
	var together sync.WaitGroup
	f.loadStep = func(in swap.LoadStepInput) (swap.StepResult, error) {
		seen.note(&seen.started, name(in))
		if in.Step == 1 { // nobody ends before all three have begun
			together.Done()
			together.Wait()
		}
		if in.Shard > 0 {
			return swap.StepResult{}, nil
		}
		return swap.StepResult{Step: in.Step, Manifest: ref}, nil
	}
	together.Add(3)
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, sharded())

	v := verdictOf(t, env)
	require.Equal(t, swap.Pass, v.Verdict)
	require.Equal(t, []swap.StepResult{{Step: 1, Manifest: ref}, {Step: 2, Manifest: ref}}, v.Steps)
	started := seen.sorted(&seen.started)
	require.Subset(t, started, []string{"step 1 shard 0", "step 1 shard 1", "step 1 shard 2", "step 2 shard 0"})
	require.Len(t, slices.Compact(slices.Clone(started)), len(started), "each shard once")
}

// A load worker that fails for good ends the step: the others are cancelled, and the error is its own.
func TestAShardThatFailsForGoodStopsTheOthers(t *testing.T) {
	for _, failing := range []int{0, 2} {
		t.Run(fmt.Sprintf("shard %d", failing), func(t *testing.T) {
			f, seen := newFakes(), &cast{}
			over := make(chan struct{})
			defer close(over)
			f.loadStep = func(in swap.LoadStepInput) (swap.StepResult, error) {
				seen.note(&seen.started, name(in))
				if in.Shard == failing {
					return swap.StepResult{}, fatal("ClientLimits")
				}
				<-over
				return swap.StepResult{}, nil
			}
			env := start(t, f)
			seen.watch(env)
			env.ExecuteWorkflow(ValidateSwap, sharded())

			var app *temporal.ApplicationError
			require.ErrorAs(t, env.GetWorkflowError(), &app)
			require.Equal(t, "ClientLimits", app.Type())
			want := []string{"load-step-1", "load-step-1-shard-1", "load-step-1-shard-2"}
			want = slices.Delete(want, failing, failing+1)
			require.Equal(t, want, seen.sorted(&seen.cancelled))
			require.NotContains(t, seen.sorted(&seen.started), "step 2 shard 0")
		})
	}
}

// When the conductor is done, a follower that has not noticed is not waited for.
func TestFollowersAreLetGoWhenTheConductorIsDone(t *testing.T) {
	f, seen := newFakes(), &cast{}
	over := make(chan struct{})
	defer close(over)
	f.loadStep = func(in swap.LoadStepInput) (swap.StepResult, error) {
		if in.Shard > 0 {
			<-over
		}
		return swap.StepResult{Step: in.Step, Manifest: ref}, nil
	}
	env := start(t, f)
	seen.watch(env)
	env.ExecuteWorkflow(ValidateSwap, sharded())
	require.Len(t, verdictOf(t, env).Steps, 2)
	require.Equal(t, []string{"load-step-1-shard-1", "load-step-1-shard-2", "load-step-2-shard-1", "load-step-2-shard-2"},
		seen.sorted(&seen.cancelled))
}

func TestACancelReachesAllShards(t *testing.T) {
	f, seen := newFakes(), &cast{}
	over := make(chan struct{})
	defer close(over)
	env := start(t, f)
	f.loadStep = func(in swap.LoadStepInput) (swap.StepResult, error) {
		seen.note(&seen.started, name(in))
		if len(seen.sorted(&seen.started)) == 3 {
			env.CancelWorkflow()
		}
		<-over
		return swap.StepResult{}, nil
	}
	seen.watch(env)
	env.ExecuteWorkflow(ValidateSwap, sharded())
	require.True(t, temporal.IsCanceledError(env.GetWorkflowError()))
	require.Equal(t, []string{"load-step-1", "load-step-1-shard-1", "load-step-1-shard-2"}, seen.sorted(&seen.cancelled))
}
