package snapshot

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Schema names the layout of a kept snapshot.
const Schema = "snapshot/v1"

var (
	// ErrNone means that a target has no snapshot.
	ErrNone = errors.New("no snapshot")
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

// targetName is the form of a target in a specification; anything else could reach the keys of another target.
var targetName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,60}[a-z0-9])?$`)

// keyName is the last part of a key: the time and the beginning of the hash.
var keyName = regexp.MustCompile(`^\d{8}T\d{6}\.\d{9}Z-[0-9a-f]{16}\.json$`)

// keyTime has a fixed width, so that the order of keys is the order of time.
const keyTime = "20060102T150405.000000000Z"

func prefix(target string) string { return "snapshots/" + target + "/" }

func key(s swap.Snapshot, data []byte) string {
	sum := sha256.Sum256(data)
	return prefix(s.Target) + s.Taken.UTC().Format(keyTime) + "-" + hex.EncodeToString(sum[:8]) + ".json"
}

// Save keeps a snapshot. Saving the same snapshot again changes nothing and returns the same reference.
func Save(ctx context.Context, st Store, s swap.Snapshot) (swap.ObjectRef, error) {
	if !targetName.MatchString(s.Target) || s.Taken.IsZero() {
		return swap.ObjectRef{}, fmt.Errorf("%w: it needs a target's name and the time at which it was taken", ErrInvalid)
	}
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

// Latest reads the newest snapshot of a target.
func Latest(ctx context.Context, st Store, target string) (swap.Snapshot, swap.ObjectRef, error) {
	keys, err := list(ctx, st, target)
	if err != nil {
		return swap.Snapshot{}, swap.ObjectRef{}, err
	}
	if len(keys) == 0 {
		return swap.Snapshot{}, swap.ObjectRef{}, fmt.Errorf("%w of target %s", ErrNone, target)
	}
	newest := keys[len(keys)-1]
	data, ref, err := st.GetKey(ctx, newest)
	if err != nil {
		return swap.Snapshot{}, swap.ObjectRef{}, fmt.Errorf("load snapshot %s: %w", newest, err)
	}
	s, err := decode(data)
	if err == nil && key(s, data) != newest {
		err = errors.New("its content does not match its key")
	}
	if err != nil {
		return swap.Snapshot{}, swap.ObjectRef{}, fmt.Errorf("%w: %s: %w", ErrCorrupt, newest, err)
	}
	return s, ref, nil
}

// Prune removes all but the newest keep snapshots of a target and returns how many it removed.
func Prune(ctx context.Context, st Store, target string, keep int) (removed int, err error) {
	if keep < 1 {
		return 0, fmt.Errorf("%w: at least one snapshot of %s must be kept, not %d", ErrInvalid, target, keep)
	}
	keys, err := list(ctx, st, target)
	if err != nil {
		return 0, err
	}
	for _, k := range keys[:max(0, len(keys)-keep)] {
		if err := st.Delete(ctx, k); err != nil {
			return removed, fmt.Errorf("remove snapshot %s: %w", k, err)
		}
		removed++
	}
	return removed, nil
}

// list returns the keys of a target's snapshots, oldest first. Other objects beside them are left alone.
func list(ctx context.Context, st Store, target string) ([]string, error) {
	if !targetName.MatchString(target) {
		return nil, fmt.Errorf("%w: %q is not the name of a target", ErrInvalid, target)
	}
	keys, err := st.List(ctx, prefix(target))
	if err != nil {
		return nil, fmt.Errorf("list snapshots of %s: %w", target, err)
	}
	keys = slices.DeleteFunc(slices.Clone(keys), func(k string) bool {
		return len(k) <= len(prefix(target)) || !keyName.MatchString(k[len(prefix(target)):])
	})
	slices.Sort(keys)
	return keys, nil
}

// decode reads a snapshot. A field that this version does not know is refused: what it does not know it cannot restore.
func decode(data []byte) (swap.Snapshot, error) {
	var s swap.Snapshot
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return swap.Snapshot{}, err
	}
	if !targetName.MatchString(s.Target) || s.Taken.IsZero() {
		return swap.Snapshot{}, errors.New("it names no target or no time")
	}
	return s, nil
}
