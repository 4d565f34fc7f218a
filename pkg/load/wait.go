package load

import (
	"context"
	"time"
)

// waiter blocks until due and reports whether the wait was not cut short by ctx.
type waiter func(ctx context.Context, due time.Time) bool

// waitTimer waits with the runtime's timer, which is up to about 1 ms late while the network poller is busy.
func waitTimer(ctx context.Context, due time.Time) bool {
	if ctx.Err() != nil {
		return false
	}
	left := time.Until(due)
	if left <= 0 {
		return true
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
