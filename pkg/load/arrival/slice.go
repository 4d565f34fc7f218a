package arrival

import "github.com/swapgate/swapgate/pkg/splitmix"

// sliceStream keeps the choice of a shard independent of everything else that is drawn from the same seed and stream.
const sliceStream = 0xe7037ed1a0b428db

// Slice returns, ascending, the indices of a schedule of n requests that belong to one of several shards, counted from 0.
// Every request belongs to exactly one shard, chosen by a hash of its index: independent of its time and of all other
// requests, so that a shard of a Poisson process is a Poisson process too. With one shard, or none, everything is its.
func Slice(n, shards, shard int, seed, stream uint64) []int {
	shards = max(shards, 1)
	key := splitmix.Mix(seed ^ splitmix.Mix(stream^sliceStream))
	out := make([]int, 0, n/shards+1)
	for i := range n {
		if splitmix.Mix(key^uint64(i))%uint64(shards) == uint64(shard) { //nolint:gosec // not negative
			out = append(out, i)
		}
	}
	return out
}
