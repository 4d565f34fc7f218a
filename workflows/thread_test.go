package workflows

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/swap"
)

// heard is what a thread was told.
type heard struct {
	mu  sync.Mutex
	all []swap.ThreadInput
}

func (h *heard) tell(in swap.ThreadInput) (swap.ThreadResult, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, in)
	return swap.ThreadResult{Message: &ref}, nil
}

// withThread is a request whose run keeps a thread, and what it is told.
func withThread(f *fakes) (swap.Request, *heard) {
	h, in := &heard{}, request()
	in.Spec.Notify.Slack.Token = &swap.SecretRef{Env: "T"}
	in.Spec.Notify.Slack.Approvers = []string{"U1"}
	f.thread = h.tell
	return in, h
}

func TestAThreadIsToldEveryChangeOnceAndTheVerdictLast(t *testing.T) {
	f := newFakes()
	in, h := withThread(f)
	in.Spec.Rollout.ApproveAt = []int{50}
	env := start(t, f)
	update(t, swap.UpdateExtend, 10*time.Minute)(env)
	update(t, swap.UpdateApprove, 20*time.Minute)(env)
	env.ExecuteWorkflow(ValidateSwap, in)

	v := verdictOf(t, env)
	require.Equal(t, swap.Pass, v.Verdict)
	require.Equal(t, &ref, v.Artifacts.Slack)
	require.Zero(t, f.count(swap.ActivityNotifySlack))
	var answers []string
	for i, got := range h.all {
		require.Equal(t, i+1, got.News.Seq)
		require.Equal(t, i == len(h.all)-1, got.News.Over)
		require.NotEmpty(t, got.Verdict.Provenance.RunID)
		for _, d := range got.News.Deeds {
			require.Equal(t, len(answers)+1, d.N)
			require.Equal(t, "ann", d.By)
			answers = append(answers, d.Answer)
		}
	}
	require.Equal(t, []string{"One more window granted by ann, 1 in all.", "50 % on the candidate approved by ann."}, answers)
	require.Equal(t, swap.StagePreflight, h.all[0].News.Stage)
	asked := find(t, h, func(n swap.RunNews) bool { return n.Can.Approve })
	require.Equal(t, 50, asked.Approve)
	require.Equal(t, 1, asked.Asked)
	require.Equal(t, swap.Can{Approve: true, Extend: true, Rollback: true}, asked.Can)
	require.Less(t, len(h.all), 15, "news are few")
}

func find(t *testing.T, h *heard, that func(swap.RunNews) bool) swap.RunNews {
	t.Helper()
	for _, in := range h.all {
		if that(in.News) {
			return in.News
		}
	}
	require.Fail(t, "no such news")
	return swap.RunNews{}
}

func TestAThreadIsToldThatTrafficGoesBack(t *testing.T) {
	f := newFakes()
	in, h := withThread(f)
	f.observe = decideAt(2, swap.WindowDecision{
		Action: swap.ActionRollback, Reason: []swap.Reason{{Code: swap.ReasonGuardErrors, Message: "too many errors"}},
	})
	restore := f.restore
	f.restore = func(in swap.RestoreSnapshotInput) (swap.Restored, error) {
		if f.count(swap.ActivityRestoreSnapshot) < 10 {
			return swap.Restored{}, errDownFor10s
		}
		return restore(in)
	}
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, in)

	require.Equal(t, swap.Fail, verdictOf(t, env).Verdict)
	back := find(t, h, func(n swap.RunNews) bool { return n.RolledBack })
	require.Equal(t, swap.StageRollback, back.Stage)
	require.Zero(t, back.Can, "nothing can be asked of a run that has decided")
	find(t, h, func(n swap.RunNews) bool { return n.Stuck })
	require.Equal(t, 1, f.count(swap.ActivityNotifySlack), "the alarm does not wait for its turn in the thread")
	require.Equal(t, swap.AllBaseline, *h.all[len(h.all)-1].News.Weights)
}

func TestSlackThatIsDownDelaysNothingButTheNews(t *testing.T) {
	f := newFakes()
	in, h := withThread(f)
	in.Spec.Rollout.ApproveAt = []int{50}
	var down atomic.Bool
	down.Store(true)
	f.thread = func(in swap.ThreadInput) (swap.ThreadResult, error) {
		if down.Load() {
			return swap.ThreadResult{}, errors.New("no answer")
		}
		return h.tell(in)
	}
	env := start(t, f)
	env.RegisterDelayedCallback(func() { down.Store(false) }, 30*time.Minute)
	update(t, swap.UpdateApprove, 45*time.Minute)(env)
	env.ExecuteWorkflow(ValidateSwap, in)

	require.Equal(t, swap.Pass, verdictOf(t, env).Verdict)
	require.True(t, h.all[0].News.Can.Approve, "the first that gets through is where the run stands then")
	require.True(t, h.all[len(h.all)-1].News.Over)
}

func TestSlackThatRefusesIsAskedOnceMoreForTheVerdict(t *testing.T) {
	f := newFakes()
	in, _ := withThread(f)
	f.thread = func(swap.ThreadInput) (swap.ThreadResult, error) { return swap.ThreadResult{}, fatal("SlackRefused") }
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, in)

	v := verdictOf(t, env)
	require.Equal(t, 2, f.count(swap.ActivityUpdateThread))
	require.Contains(t, v.Findings[len(v.Findings)-1].Message, "The message was not posted")
}

func TestWhatIsMissingInSlackIsAFinding(t *testing.T) {
	f := newFakes()
	f.thread = func(swap.ThreadInput) (swap.ThreadResult, error) {
		return swap.ThreadResult{Message: &ref, Missing: "the chart: no scope"}, nil
	}
	env := start(t, f)
	env.ExecuteWorkflow(ValidateSwap, request())
	v := verdictOf(t, env)
	require.Equal(t, "Not all was shown in Slack: the chart: no scope.", v.Findings[len(v.Findings)-1].Message)
}

func TestAnApprovalOfAnotherWeightIsRefused(t *testing.T) {
	f, in := newFakes(), request()
	in.Spec.Rollout.ApproveAt = []int{50}
	env := start(t, f)
	var refusal error
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow(swap.UpdateApprove, "late", &testsuite.TestUpdateCallback{
			OnReject: func(err error) { refusal = err }, OnAccept: func() {}, OnComplete: func(any, error) {},
		}, swap.ByRequest{By: "ann", Weight: 1})
	}, 10*time.Minute)
	update(t, swap.UpdateApprove, 20*time.Minute)(env)
	env.ExecuteWorkflow(ValidateSwap, in)
	require.Equal(t, swap.Pass, verdictOf(t, env).Verdict)
	require.EqualError(t, refusal, "the run waits for approval of 50 %, not of 1 %")
}

// Runs that began before there were threads post their verdict as they did.
func TestAnEarlierRunHasNoThread(t *testing.T) {
	f := newFakes()
	in, h := withThread(f)
	env := start(t, f)
	env.OnGetVersion(changeThread, workflow.DefaultVersion, workflow.Version(1)).Return(workflow.DefaultVersion)
	env.ExecuteWorkflow(ValidateSwap, in)
	require.Equal(t, swap.Pass, verdictOf(t, env).Verdict)
	require.Empty(t, h.all)
	require.Equal(t, 1, f.count(swap.ActivityNotifySlack))
}
