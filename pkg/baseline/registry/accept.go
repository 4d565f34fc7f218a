package registry

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Accept makes the newest entry's numbers the reference by a person's will: they know that it is worse than the reference
// so far and want later runs to be held against it. It returns the new entry, or the newest one and false where that is the
// reference already: nothing is written then, not even the reason.
func Accept(ctx context.Context, st Store, target, by, reason string, now time.Time) (r Registered, accepted bool, err error) {
	if by == "" || reason == "" {
		return Registered{}, false, fmt.Errorf("%w: who accepts it, and why, must be said", ErrInvalid)
	}
	for range places {
		latest, err := Latest(ctx, st, target, Query{})
		if err != nil || latest.Standing == StandingReference {
			return latest, false, err
		}
		e := latest.Entry
		e.count(fmt.Sprintf("accepted by %s: %s", by, reason))
		e.Offered = nil
		e.Source.Recorded = now.UTC()
		if r, placed, err := place(ctx, st, e); placed || err != nil {
			return r, placed && err == nil, err
		}
	}
	return Registered{}, false, errors.Join(ErrBusy, fmt.Errorf("target %s", target))
}
