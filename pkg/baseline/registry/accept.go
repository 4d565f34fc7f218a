package registry

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Accept makes the newest entry's numbers the reference by a person's will: they know that it is worse than the reference
// so far and want later runs to be held against it. It returns the new entry, or the newest one where that is the reference
// already.
func Accept(ctx context.Context, st Store, target, by, reason string, now time.Time) (Registered, error) {
	if by == "" || reason == "" {
		return Registered{}, fmt.Errorf("%w: who accepts it, and why, must be said", ErrInvalid)
	}
	for range places {
		latest, err := Latest(ctx, st, target, Query{})
		if err != nil || latest.Standing == StandingReference {
			return latest, err
		}
		e := latest.Entry
		e.count(fmt.Sprintf("accepted by %s: %s", by, reason))
		e.Offered = nil
		e.Source.Recorded = now.UTC()
		if r, placed, err := place(ctx, st, e); placed || err != nil {
			return r, err
		}
	}
	return Registered{}, errors.Join(ErrBusy, fmt.Errorf("target %s", target))
}
