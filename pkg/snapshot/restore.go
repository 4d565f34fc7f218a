package snapshot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

// restoreAttempts is how often a restore is tried against other writers before its caller is told.
const restoreAttempts = 5

// Restore makes the weights those of the snapshot and returns what the gateway reads back. It changes nothing when they
// already are. Other writers do not stop it: a rollback goes before their changes. A snapshot without a route has
// nothing to restore, and needs no controller.
func Restore(ctx context.Context, c traffic.Controller, s swap.Snapshot) (swap.Restored, error) {
	start := time.Now()
	if s.Weights == nil {
		return swap.Restored{At: start.UTC()}, nil
	}
	before, err := c.Read(ctx)
	if err != nil {
		return swap.Restored{}, fmt.Errorf("restore %s: %w", s.Target, err)
	}
	after := before
	for attempt := 1; after.Weights != *s.Weights || after.Pending != ""; attempt++ {
		after, err = c.Apply(ctx, *s.Weights)
		if err == nil {
			continue
		}
		if !errors.Is(err, traffic.ErrConflict) || attempt == restoreAttempts {
			return swap.Restored{}, fmt.Errorf("restore %s to baseline %d / candidate %d: %w",
				s.Target, s.Weights.Baseline, s.Weights.Candidate, err)
		}
	}
	end := time.Now()
	return swap.Restored{
		Weights: &after.Weights, Changed: before.Weights != *s.Weights,
		At: end.UTC(), TookMS: float64(end.Sub(start)) / float64(time.Millisecond),
	}, nil
}
