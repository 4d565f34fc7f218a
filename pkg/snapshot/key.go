package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// targetName is the form of a target in a specification; anything else could reach the keys of another target.
var targetName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,60}[a-z0-9])?$`)

// keyName is the last part of a key: the time and the beginning of the hash, which is the snapshot's id.
var keyName = regexp.MustCompile(`^\d{8}T\d{6}\.\d{9}Z-([0-9a-f]{16})(\.healthy)?\.json$`)

// keyTime has a fixed width, so that the order of keys is the order of time.
const keyTime = "20060102T150405.000000000Z"

func prefix(target string) string { return "snapshots/" + target + "/" }

func key(s swap.Snapshot, data []byte) string {
	sum := sha256.Sum256(data)
	return prefix(s.Target) + s.Taken.UTC().Format(keyTime) + "-" + hex.EncodeToString(sum[:8]) + ".json"
}

// markKey is the key of the mark beside a snapshot.
func markKey(key string) string { return strings.TrimSuffix(key, ".json") + ".healthy.json" }

// listing is what stands under the prefix of a target.
type listing struct {
	// keys of the snapshots, oldest first.
	keys []string
	// marked says which of them have a mark.
	marked map[string]bool
}

// list reads the keys of a target's snapshots. Other objects beside them are left alone.
func list(ctx context.Context, st Store, target string) (listing, error) {
	if !targetName.MatchString(target) {
		return listing{}, fmt.Errorf("%w: %q is not the name of a target", ErrInvalid, target)
	}
	all, err := st.List(ctx, prefix(target))
	if err != nil {
		return listing{}, fmt.Errorf("list snapshots of %s: %w", target, err)
	}
	out := listing{marked: map[string]bool{}}
	for _, k := range all {
		m := keyName.FindStringSubmatch(strings.TrimPrefix(k, prefix(target)))
		switch {
		case m == nil:
		case m[2] != "":
			out.marked[strings.TrimSuffix(k, ".healthy.json")+".json"] = true
		default:
			out.keys = append(out.keys, k)
		}
	}
	slices.Sort(out.keys)
	return out, nil
}

// idOf is the id in a key: the beginning of the hash of the document.
func idOf(key string) string {
	m := keyName.FindStringSubmatch(key[strings.LastIndexByte(key, '/')+1:])
	if m == nil {
		return ""
	}
	return m[1]
}
