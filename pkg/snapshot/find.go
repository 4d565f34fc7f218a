package snapshot

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Entry is one snapshot of a target as a person chooses among them.
type Entry struct {
	ID       string
	Ref      swap.ObjectRef
	Snapshot swap.Snapshot
	// Health is nil for a snapshot whose run did not pass, or has not ended.
	Health *swap.SnapshotHealth
	// Problem says why the snapshot, or its mark, cannot be read; empty if both can.
	Problem string
}

// List reads all snapshots of a target, the newest first. One that is corrupt is listed with its problem; a store that does not
// answer is an error.
func List(ctx context.Context, st Store, target string) ([]Entry, error) {
	l, err := list(ctx, st, target)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, 0, len(l.keys))
	for _, k := range slices.Backward(l.keys) {
		e := Entry{ID: idOf(k)}
		e.Snapshot, e.Ref, err = read(ctx, st, k)
		if err == nil && l.marked[k] {
			e.Health, err = readMark(ctx, st, k, e.Ref)
		}
		if err != nil && !errors.Is(err, ErrCorrupt) {
			return nil, err
		}
		if err != nil {
			e.Problem = err.Error()
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// idPrefix is what a person types of an id: a part of the hash, or all of it as a verdict shows it.
var idPrefix = regexp.MustCompile(`^[0-9a-f]{4,64}$`)

// IsID says whether a text can be the beginning of a snapshot's id.
func IsID(id string) bool { return idPrefix.MatchString(id) }

// Find reads the one snapshot of a target whose id begins with prefix. The whole hash of the document is an id too.
func Find(ctx context.Context, st Store, target, id string) (swap.Snapshot, swap.ObjectRef, error) {
	if !IsID(id) {
		return swap.Snapshot{}, swap.ObjectRef{}, fmt.Errorf(
			"%w: %q is not the beginning of a snapshot's id: 4 to 64 digits and letters from a to f", ErrInvalid, id)
	}
	l, err := list(ctx, st, target)
	if err != nil {
		return swap.Snapshot{}, swap.ObjectRef{}, err
	}
	matches := slices.DeleteFunc(slices.Clone(l.keys), func(k string) bool {
		return !strings.HasPrefix(idOf(k), id[:min(len(id), 16)])
	})
	switch len(matches) {
	case 0:
		return swap.Snapshot{}, swap.ObjectRef{}, fmt.Errorf("%w of target %s has an id that begins with %s; there are: %s",
			ErrNone, target, id, ids(l.keys))
	case 1:
	default:
		return swap.Snapshot{}, swap.ObjectRef{}, fmt.Errorf("%w of target %s have an id that begins with %s: %s",
			ErrAmbiguous, target, id, ids(matches))
	}
	s, ref, err := read(ctx, st, matches[0])
	if err == nil && !strings.HasPrefix(ref.SHA256, id) {
		err = fmt.Errorf("%w of target %s has the hash %s; %s has %s", ErrNone, target, id, idOf(matches[0]), ref.SHA256)
	}
	return s, ref, err
}

// ids lists the ids of keys, the newest first.
func ids(keys []string) string {
	var out []string
	for _, k := range slices.Backward(keys) {
		out = append(out, idOf(k))
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}
