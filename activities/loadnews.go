package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/swapgate/swapgate/pkg/swap"
)

// newsTimeout bounds how long news hold an activity up.
const newsTimeout = 2 * time.Second

// Tell gives an activity's news to its workflow.
type Tell func(ctx context.Context, n swap.LoadNews) error

// signalWorkflow tells the workflow that the activity belongs to.
func signalWorkflow(ctx context.Context, n swap.LoadNews) error {
	run := activity.GetInfo(ctx).WorkflowExecution
	return activity.GetClient(ctx).SignalWorkflow(ctx, run.ID, run.RunID, swap.SignalLoadNews, n)
}

// tell tells the workflow how the activity stands; an empty note says that it has begun. News that do not get through are missed
// on a board and nowhere else.
func (a *Activities) tell(ctx context.Context, note string) {
	info := activity.GetInfo(ctx)
	sending, done := context.WithTimeout(ctx, newsTimeout)
	defer done()
	err := a.Tell(sending, swap.LoadNews{ActivityID: info.ActivityID, ActivityType: info.ActivityType.Name, Note: note})
	if err != nil {
		activity.GetLogger(ctx).Warn("the workflow was not told", "note", note, "error", err)
	}
}

// announced tells the workflow that a load worker has begun: until then it waits for one.
func announced[In, Out any](a *Activities, run func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (Out, error) {
		a.tell(ctx, "")
		return run(ctx, in)
	}
}
