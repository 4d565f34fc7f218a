package runstore

import (
	"path"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// WatchesPrefix holds the results of a target's watches, in the order of time.
func WatchesPrefix(target string) string { return path.Join("watches", target) + "/" }

// WatchKey is the result of one watch.
func WatchKey(run swap.RunKey, started time.Time) string {
	return WatchesPrefix(run.Target) + started.UTC().Format(sortableTime) + "-" + run.RunID + ".json"
}

// TargetBlockKey says why rollouts of a target are refused, where they are.
func TargetBlockKey(target string) string { return path.Join("blocks", target) + ".json" }
