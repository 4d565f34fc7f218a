package activities

import (
	"context"
	"fmt"

	"go.temporal.io/sdk/activity"

	"github.com/swapgate/swapgate/pkg/swap"
)

// runKey is the run that this activity belongs to. It is taken from Temporal and not from the input, so that a run that
// was reset writes under keys of its own.
func runKey(ctx context.Context, target string) swap.RunKey {
	return swap.RunKey{Target: target, RunID: activity.GetInfo(ctx).WorkflowExecution.RunID}
}

// attemptID names this execution of the activity among all that ever ran for the run. The attempt number alone would
// not do: resetting an activity sets it back to 1.
func attemptID(ctx context.Context) string {
	info := activity.GetInfo(ctx)
	return fmt.Sprintf("%s-a%d-%d", info.ActivityID, info.Attempt, info.StartedTime.UnixMilli())
}
