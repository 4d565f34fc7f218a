package arrival

// sliceStream keeps the choice of a shard independent of everything else that is drawn from the same seed and stream.
const sliceStream = 0xe7037ed1a0b428db

// Slice returns, ascending, the indices of a schedule of n requests that belong to one of several shards, counted from 0.
// Every request belongs to exactly one shard, chosen by a hash of its index: independent of its time and of all other
// requests, so that a shard of a Poisson process is a Poisson process too. With one shard, or none, everything is its.
func Slice(n, shards, shard int, seed, stream uint64) []int {
	shards = max(shards, 1)
	key := mix(seed ^ mix(stream^sliceStream))
	out := make([]int, 0, n/shards+1)
	for i := range n {
		if mix(key^uint64(i))%uint64(shards) == uint64(shard) { //nolint:gosec // not negative
			out = append(out, i)
		}
	}
	return out
}

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood 2014): neighbouring inputs give unrelated outputs.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}
