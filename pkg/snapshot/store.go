package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Schema names the layout of a kept snapshot, and MarkSchema that of the mark beside a healthy one.
const (
	Schema     = "snapshot/v2"
	MarkSchema = "snapshot-health/v1"
)

var (
	// ErrNone means that a target has no snapshot, or none of the given id.
	ErrNone = errors.New("no snapshot")
	// ErrAmbiguous means that several snapshots begin with the given id.
	ErrAmbiguous = errors.New("several snapshots")
	// ErrCorrupt means that a stored snapshot is not what was saved.
	ErrCorrupt = errors.New("snapshot is corrupt")
	// ErrInvalid means that a snapshot cannot be saved as it is.
	ErrInvalid = errors.New("invalid snapshot")
)

// Store is the part of the run store that snapshots need. Keys are relative to the store's prefix.
type Store interface {
	// PutOnce writes an object unless the key exists, and says whether it wrote.
	PutOnce(ctx context.Context, key, contentType string, data []byte, schema string) (swap.ObjectRef, bool, error)
	// GetBytes reads the object of a reference.
	GetBytes(ctx context.Context, ref swap.ObjectRef) ([]byte, error)
	// GetKey reads an object by its key.
	GetKey(ctx context.Context, key string) ([]byte, swap.ObjectRef, error)
	// List returns the keys that begin with prefix, in any order.
	List(ctx context.Context, prefix string) ([]string, error)
	// Delete removes an object; a missing one is no error.
	Delete(ctx context.Context, key string) error
}

// Save keeps a snapshot. Saving the same snapshot again changes nothing and returns the same reference.
func Save(ctx context.Context, st Store, s swap.Snapshot) (swap.ObjectRef, error) {
	if err := check(s); err != nil {
		return swap.ObjectRef{}, fmt.Errorf("%w of %q: %w", ErrInvalid, s.Target, err)
	}
	s.SchemaVersion = swap.SnapshotVersion
	s.Taken = s.Taken.UTC().Round(0)
	data, err := json.Marshal(s)
	if err != nil {
		return swap.ObjectRef{}, fmt.Errorf("%w of %s: %w", ErrInvalid, s.Target, err)
	}
	ref, _, err := st.PutOnce(ctx, key(s, data), "application/json", data, Schema)
	if err != nil {
		return swap.ObjectRef{}, fmt.Errorf("save snapshot of %s: %w", s.Target, err)
	}
	return ref, nil
}

// Load reads a snapshot and checks that it is the one that was saved.
func Load(ctx context.Context, st Store, ref swap.ObjectRef) (swap.Snapshot, error) {
	data, err := st.GetBytes(ctx, ref)
	if err != nil {
		return swap.Snapshot{}, fmt.Errorf("load snapshot %s: %w", ref.URI, err)
	}
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); ref.SHA256 != got {
		return swap.Snapshot{}, fmt.Errorf("%w: %s has SHA-256 %s, not %s", ErrCorrupt, ref.URI, got, ref.SHA256)
	}
	s, err := decode(data)
	if err != nil {
		return swap.Snapshot{}, fmt.Errorf("%w: %s: %w", ErrCorrupt, ref.URI, err)
	}
	return s, nil
}

// Latest reads the newest snapshot of a target. It is the state before the last run, whatever became of that run: where it was
// ended half-way this is the way back, and where it promoted too.
func Latest(ctx context.Context, st Store, target string) (swap.Snapshot, swap.ObjectRef, error) {
	l, err := list(ctx, st, target)
	if err != nil {
		return swap.Snapshot{}, swap.ObjectRef{}, err
	}
	if len(l.keys) == 0 {
		return swap.Snapshot{}, swap.ObjectRef{}, fmt.Errorf("%w of target %s", ErrNone, target)
	}
	return read(ctx, st, l.keys[len(l.keys)-1])
}

// read loads the snapshot of a key, which holds the beginning of its hash.
func read(ctx context.Context, st Store, at string) (swap.Snapshot, swap.ObjectRef, error) {
	data, ref, err := st.GetKey(ctx, at)
	if err != nil {
		return swap.Snapshot{}, swap.ObjectRef{}, fmt.Errorf("load snapshot %s: %w", at, err)
	}
	s, err := decode(data)
	if err == nil && key(s, data) != at {
		err = errors.New("its content does not match its key")
	}
	if err != nil {
		return swap.Snapshot{}, ref, fmt.Errorf("%w: %s: %w", ErrCorrupt, at, err)
	}
	return s, ref, nil
}
