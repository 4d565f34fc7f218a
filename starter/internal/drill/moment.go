package drill

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/converter"

	"github.com/swapgate/swapgate/pkg/swap"
)

// lookEvery is the time between two looks at a run.
const lookEvery = 20 * time.Millisecond

// moment is when in the life of a run something strikes.
type moment struct {
	name string
	// come reports whether it has come, from the progress of the activity that runs.
	come func(activityID string, p swap.Progress) bool
}

func atLaunch(*rand.Rand) moment {
	return moment{name: "start", come: func(string, swap.Progress) bool { return true }}
}

func duringLoad(random *rand.Rand) moment {
	blocks := 1 + random.IntN(8)
	return moment{name: fmt.Sprintf("load, after block %d", blocks), come: func(id string, p swap.Progress) bool {
		return strings.HasPrefix(id, "load-step-") && p.Done >= blocks
	}}
}

func duringRollout(random *rand.Rand) moment {
	window, requests := 1+random.IntN(2), 1+random.IntN(60)
	id := fmt.Sprintf("window-%d", window)
	return moment{name: fmt.Sprintf("window %d, after %d requests", window, requests), come: func(running string, p swap.Progress) bool {
		return running == id && p.Requests >= requests
	}}
}

// errClosedBefore says that a run was over before its moment came.
var errClosedBefore = errors.New("the run was over before that")

// await waits for the moment.
func (c *course) await(ctx context.Context, m moment) error {
	return c.poll(ctx, m.name, func(ctx context.Context) (bool, error) {
		d, err := c.client.DescribeWorkflow(ctx, c.workflowID(), "")
		if err != nil {
			return false, nil //nolint:nilerr // the server may be down at the moment
		}
		if d.Status != enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
			return false, errClosedBefore
		}
		if m.come("", swap.Progress{}) {
			return true, nil
		}
		for _, a := range d.RawResponse.GetPendingActivities() {
			var p swap.Progress
			if a.GetHeartbeatDetails() == nil || converter.GetDefaultDataConverter().FromPayloads(a.GetHeartbeatDetails(), &p) != nil {
				continue
			}
			if m.come(a.GetActivityId(), p) {
				return true, nil
			}
		}
		return false, nil
	})
}

// poll looks again and again until done, an error, or the end of patience.
func (c *course) poll(ctx context.Context, what string, done func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		ok, err := done(ctx)
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s never came: %w", what, ctx.Err())
		case <-ticker.C:
		}
	}
}
