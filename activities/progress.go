package activities

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/swapgate/swapgate/pkg/swap"
)

// heartbeatEvery is how often progress is recorded; the SDK sends it at its own throttled rate.
const heartbeatEvery = 500 * time.Millisecond

// startProgress heartbeats what snap returns until stop is called, also after ctx has ended: an activity that still stores what
// it has would be taken for dead otherwise, and its own error would be lost.
func startProgress(ctx context.Context, snap func() swap.Progress) (stop func()) {
	ctx = context.WithoutCancel(ctx)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		t := time.NewTicker(heartbeatEvery)
		defer t.Stop()
		for {
			activity.RecordHeartbeat(ctx, snap())
			select {
			case <-done:
				return
			case <-t.C:
			}
		}
	})
	return sync.OnceFunc(func() { close(done); wg.Wait() })
}
