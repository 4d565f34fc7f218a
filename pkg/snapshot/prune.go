package snapshot

import (
	"context"
	"fmt"
	"slices"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Prune removes the oldest snapshots of a target and returns how many it removed. It keeps the newest keep healthy ones, as many
// of the newest others (of runs that did not pass, or have not ended), and those in use.
func Prune(ctx context.Context, st Store, target string, keep int, inUse ...swap.ObjectRef) (removed int, err error) {
	if keep < 1 {
		return 0, fmt.Errorf("%w: at least one snapshot of %s must be kept, not %d", ErrInvalid, target, keep)
	}
	l, err := list(ctx, st, target)
	if err != nil {
		return 0, err
	}
	var used []string
	for _, ref := range inUse {
		used = append(used, ref.SHA256[:min(len(ref.SHA256), 16)])
	}
	for _, k := range l.expired(keep, used) {
		// The mark goes first: what is left if this is cut short is a snapshot that goes with the next others.
		for _, object := range []string{markKey(k), k} {
			if err := st.Delete(ctx, object); err != nil {
				return removed, fmt.Errorf("remove snapshot %s: %w", object, err)
			}
		}
		removed++
	}
	return removed, nil
}

// expired are the keys that are not kept, oldest first. The newest of either kind always stay, so the last healthy one does and so
// does that of a run in progress.
func (l listing) expired(keep int, used []string) []string {
	var out []string
	left := map[bool]int{true: keep, false: keep}
	for _, k := range slices.Backward(l.keys) {
		healthy := l.marked[k]
		left[healthy]--
		if left[healthy] < 0 && !slices.Contains(used, idOf(k)) {
			out = append(out, k)
		}
	}
	slices.Reverse(out)
	return out
}
