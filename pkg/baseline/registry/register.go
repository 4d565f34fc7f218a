package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	contentType = "application/json"
	// places is how many times a place in the history is asked for while other writers take it.
	places = 20
	// clockSkew is how far the clocks of two writers may differ.
	clockSkew = time.Hour
)

// ErrBusy means that other writers took every place that was asked for.
var ErrBusy = errors.New("the baselines of the target are being written by others")

// Register adds what a passing run measured to the history of its target and returns the entry of what serves now: the
// candidate where the run promoted it, else the baseline. Before the first promoted candidate it adds the baseline that was
// replaced, so that the history begins with it. Registering the same run again changes nothing and returns the same entry.
// Of two runs that register at the same time each gets a version: a place is taken by a conditional write.
func Register(ctx context.Context, st Store, d Draft) (Registered, error) {
	if err := d.check(); err != nil {
		return Registered{}, err
	}
	arm := swap.Baseline
	if d.Source.Promoted {
		arm = swap.Candidate
	}
	if mine, found, err := d.find(ctx, st, arm); found || err != nil {
		return mine, err
	}
	if !d.Source.Promoted {
		return d.add(ctx, st, arm, d.replaced)
	}
	before, err := d.ensureReplaced(ctx, st)
	if err != nil {
		return Registered{}, err
	}
	return d.add(ctx, st, arm, func(*Registered) Entry { return d.promoted(before) })
}

// ensureReplaced is the entry of the model that the candidate took over from.
func (d Draft) ensureReplaced(ctx context.Context, st Store) (Registered, error) {
	latest, err := d.latest(ctx, st)
	if err != nil {
		return Registered{}, err
	}
	if latest != nil && latest.serves(d.Arms.Baseline.Serving) {
		return *latest, nil
	}
	return d.add(ctx, st, swap.Baseline, d.replaced)
}

// latest is the newest entry that the run's numbers can be compared with, or nil.
func (d Draft) latest(ctx context.Context, st Store) (*Registered, error) {
	latest, err := Latest(ctx, st, d.Target, Query{WorkSHA256: d.Source.WorkSHA256})
	if errors.Is(err, ErrNone) {
		return nil, nil
	}
	return &latest, err
}

// add gives the arm's entry the next free place, unless the run has one.
func (d Draft) add(ctx context.Context, st Store, arm swap.Arm, build func(latest *Registered) Entry) (Registered, error) {
	for range places {
		if mine, found, err := d.find(ctx, st, arm); found || err != nil {
			return mine, err
		}
		latest, err := d.latest(ctx, st)
		if err != nil {
			return Registered{}, err
		}
		if r, placed, err := place(ctx, st, build(latest)); placed || err != nil {
			return r, err
		}
	}
	return Registered{}, fmt.Errorf("%w: %s", ErrBusy, d.Target)
}

// find is the entry that the run has already. It looks back until before the run began.
func (d Draft) find(ctx context.Context, st Store, arm swap.Arm) (r Registered, found bool, err error) {
	versions, err := versionsOf(ctx, st, d.Target)
	if err != nil {
		return Registered{}, false, err
	}
	for _, v := range slices.Backward(versions) {
		r, err := Get(ctx, st, d.Target, v)
		switch {
		case err != nil:
			return Registered{}, false, err
		case r.Source.RunID == d.Source.RunID && r.Source.Arm == arm:
			return r, true, nil
		case r.Source.Recorded.Before(d.Source.Started.Add(-clockSkew)):
			return Registered{}, false, nil
		}
	}
	return Registered{}, false, nil
}

// place writes the entry behind the newest one. It is not placed where another writer was faster.
func place(ctx context.Context, st Store, e Entry) (r Registered, placed bool, err error) {
	newest, err := Latest(ctx, st, e.Target, Query{})
	switch {
	case errors.Is(err, ErrNone):
		e.Version = 1
	case err != nil:
		return Registered{}, false, err
	default:
		parent := newest.Link()
		e.Version, e.Parent = newest.Version+1, &parent
	}
	if e.Version > mostVersions {
		return Registered{}, false, fmt.Errorf("%w: %s has %d versions already; start a new target", ErrInvalid, e.Target, mostVersions)
	}
	data, err := json.Marshal(e)
	if err != nil {
		return Registered{}, false, fmt.Errorf("%w of %s: %w", ErrInvalid, e.Target, err)
	}
	ref, created, err := st.PutOnce(ctx, key(e.Target, e.Version), contentType, data, Schema)
	if err != nil {
		return Registered{}, false, fmt.Errorf("register version %d of the baseline of %s: %w", e.Version, e.Target, err)
	}
	return Registered{Entry: e, Ref: ref}, created, nil
}
