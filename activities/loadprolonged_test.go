package activities

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// news are what activities told their workflow.
type news struct {
	mu  sync.Mutex
	all []swap.LoadNews
}

func (n *news) tell(_ context.Context, of swap.LoadNews) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, of)
	return nil
}

func TestALoadWorkerTellsThatItHasBegun(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	told := &news{}
	s.deps.Tell = told.tell
	mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
	mustRun[swap.WarmUpResult](t, s, swap.ActivityWarmUp, warmUpInput(s, swap.Baseline))
	require.Len(t, told.all, 2)
	require.Equal(t, []string{swap.ActivityLoadStep, swap.ActivityWarmUp}, []string{told.all[0].ActivityType, told.all[1].ActivityType})
	require.NotEmpty(t, told.all[0].ActivityID)
	require.Empty(t, told.all[0].Note)
}

// A prolonged step tells its workflow so, how far it may go and why.
func TestAProlongedStepSaysWhy(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	told := &news{}
	s.deps.Tell = told.tell
	s.spec.Load.Extend = &swap.Extend{Rule: swap.SteadyTrend, Precision: 0.1, MaxHold: swap.Duration(1200 * time.Millisecond)}
	got := mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
	require.Equal(t, swap.EndedMaxHold, got.Ended.Code)
	require.Equal(t, 12, got.Blocks)
	require.Len(t, told.all, 2, "it is told once in half a minute")
	require.Regexp(t, `^prolonged, block 3 of at most 6 on each arm, because the baseline's P99 of TTFT needs`, told.all[1].Note)
}

func TestNewsOfAProlongedStepAreFew(t *testing.T) {
	var told []string
	p := prolongation{tell: func(_ context.Context, note string) { told = append(told, note) }}
	at := time.Unix(1000, 0)
	for second, why := range []string{"", "a", "b", "", "c"} {
		p.note(t.Context(), at.Add(time.Duration(second)*20*time.Second), why)
		require.Equal(t, why, p.in(swap.Progress{}).Note)
	}
	require.Equal(t, []string{"a", "c"}, told)
}

func TestTheProgressOfAProlongedStep(t *testing.T) {
	planned := swap.Progress{What: "blocks", Done: 13, Total: 13, ETA: "30s"}
	p := prolongation{why: "prolonged, block 7 of at most 12 on each arm"}
	require.Equal(t, swap.Progress{What: "blocks", Done: 13, Total: 14, Note: p.why}, p.in(planned), "to the end of the pair")
	require.Equal(t, planned, (&prolongation{}).in(planned))
}
