package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/swapgate/swapgate/pkg/rollout"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/snapshot"
	"github.com/swapgate/swapgate/pkg/swap"
)

// snapshotPatience is how long a rollback waits for the store before it does without.
const snapshotPatience = 3 * time.Second

// TakeSnapshot records what must be restored to go back, and drops the oldest snapshots of the target.
func (a *Activities) TakeSnapshot(ctx context.Context, in swap.TakeSnapshotInput) (swap.ObjectRef, error) {
	store, err := a.OpenStore(in.Spec.Store)
	if err != nil {
		return swap.ObjectRef{}, err
	}
	defer store.Close()
	snap := swap.Snapshot{
		Target: in.Spec.Target, Taken: a.Now().UTC(), Arms: in.Arms, SpecSHA256: in.SpecSHA256,
		RunID: runKey(ctx, in.Spec.Target).RunID, RequestedBy: in.RequestedBy, Proofs: weightsProofs(in.Arms),
	}
	if in.Spec.Rollout != nil {
		route, err := a.OpenRoute(in.Spec.Rollout.Route)
		if err != nil {
			return swap.ObjectRef{}, err
		}
		state, err := route.Read(ctx)
		if err != nil {
			return swap.ObjectRef{}, err
		}
		snap.Route, snap.Weights, snap.RouteVersion = &in.Spec.Rollout.Route, &state.Weights, state.Version
		snap.Decay = rollout.StartOfDecay(in.Spec.Rollout.Decay)
	}
	if in.Engine != nil {
		snap.InPlace = restoreInput(in.Spec, in.Arms.Baseline, *in.Engine)
	}
	if snap.ServiceSHA256, err = serviceHash(snap); err != nil {
		return swap.ObjectRef{}, err
	}
	ref, err := snapshot.Save(ctx, store, snap)
	if err != nil {
		return swap.ObjectRef{}, err
	}
	return ref, a.pruneSnapshots(ctx, store, in.Spec.Target, in.Spec.Snapshots.Keep, ref)
}

// RestoreSnapshot puts traffic back to a snapshot and proves it by reading back. Restoring what is already so changes
// nothing. With a fallback it gives all traffic to the baseline when the snapshot cannot be read, and it then fails only
// with errors that are worth retrying.
func (a *Activities) RestoreSnapshot(ctx context.Context, in swap.RestoreSnapshotInput) (swap.Restored, error) {
	snap, ref, err := a.loadSnapshot(ctx, in)
	if err != nil {
		if in.Fallback == nil {
			return swap.Restored{}, err
		}
		activity.GetLogger(ctx).Warn("snapshot cannot be read; all traffic goes to the baseline", "error", err)
		all := swap.AllBaseline
		snap, ref = swap.Snapshot{Target: in.Target, Route: in.Fallback, Weights: &all}, nil
	}
	if snap.Route == nil {
		return swap.Restored{Snapshot: ref, InPlace: snap.InPlace, At: a.Now()}, nil
	}
	restored, err := a.restore(ctx, snap)
	if err != nil && in.Fallback != nil {
		return restored, insist(err)
	}
	restored.Snapshot = ref
	return restored, err
}

func (a *Activities) restore(ctx context.Context, snap swap.Snapshot) (swap.Restored, error) {
	route, err := a.OpenRoute(*snap.Route)
	if err != nil {
		return swap.Restored{}, err
	}
	return snapshot.Restore(ctx, route, snap)
}

func (a *Activities) loadSnapshot(ctx context.Context, in swap.RestoreSnapshotInput) (swap.Snapshot, *swap.ObjectRef, error) {
	ctx, done := context.WithTimeout(ctx, snapshotPatience)
	defer done()
	store, err := a.OpenStore(in.Store)
	if err != nil {
		return swap.Snapshot{}, nil, err
	}
	defer store.Close()
	if in.Snapshot == nil && in.SnapshotID != "" {
		snap, ref, err := snapshot.Find(ctx, store, in.Target, in.SnapshotID)
		return snap, &ref, orAnother(err, in.Target)
	}
	if in.Snapshot == nil {
		snap, ref, err := snapshot.Latest(ctx, store, in.Target)
		return snap, &ref, orAnother(err, in.Target)
	}
	ref, err := fullRef(ctx, store, *in.Snapshot)
	if err != nil {
		return swap.Snapshot{}, nil, err
	}
	snap, err := snapshot.Load(ctx, store, ref)
	if err == nil && snap.Target != in.Target {
		err = invalidRequest("snapshot %s is of target %q, not of %q; name one of the target's own", ref.URI, snap.Target, in.Target)
	}
	return snap, &ref, err
}

// orAnother says what a person can do about a snapshot that cannot be used.
func orAnother(err error, target string) error {
	if !errors.Is(err, snapshot.ErrCorrupt) {
		return err
	}
	return fmt.Errorf("%w; choose another of those that swapgate rollback %s --list shows", err, target)
}

// fullRef fills in what a person leaves out who names a snapshot by its address alone.
func fullRef(ctx context.Context, store *runstore.Store, ref swap.ObjectRef) (swap.ObjectRef, error) {
	key, err := store.KeyOf(ref)
	if err != nil {
		return swap.ObjectRef{}, invalidRequest("snapshot: %w", err)
	}
	if ref.SHA256 != "" {
		return ref, nil
	}
	_, full, err := store.GetKey(ctx, key)
	return full, err
}
