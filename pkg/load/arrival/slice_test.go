package arrival

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestSlicesAreDisjointAndComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, shards := rapid.IntRange(0, 500).Draw(t, "n"), rapid.IntRange(1, 256).Draw(t, "shards")
		seed, stream := rapid.Uint64().Draw(t, "seed"), rapid.Uint64().Draw(t, "stream")
		var union []int
		for shard := range shards {
			part := Slice(n, shards, shard, seed, stream)
			require.True(t, slices.IsSorted(part))
			union = append(union, part...)
		}
		slices.Sort(union)
		require.Len(t, union, n)
		for i, index := range union {
			require.Equal(t, i, index)
		}
	})
}

func TestSliceEdges(t *testing.T) {
	require.Equal(t, []int{0, 1, 2}, Slice(3, 1, 0, 1, 1))
	require.Equal(t, []int{0, 1, 2}, Slice(3, 0, 0, 1, 1))
	require.Empty(t, Slice(3, 4, 4, 1, 1))
	require.Empty(t, Slice(3, 4, -1, 1, 1))
	require.Equal(t, []int{7, 10, 11}, Slice(12, 4, 2, 1, 1), "a seed keeps its meaning")
}

// T42: over many seeds about 95 % of the intervals of the index of dispersion hold 1, for every number of shards, of each
// shard and of their union.
func TestShardsOfPoissonArePoisson(t *testing.T) {
	const seeds, rate, length = 160, 50.0, 80 * time.Second
	slack := 4 * math.Sqrt(seeds*0.95*0.05)
	for _, shards := range []int{1, 2, 4, 8} {
		union, single := 0.0, 0.0
		for seed := range uint64(seeds) {
			plan := Schedule(swap.Step{Rate: rate}, nil, 20*time.Second, length-20*time.Second, seed, 5)
			var all []time.Duration
			for shard := range shards {
				part := make([]time.Duration, 0, len(plan))
				for _, i := range Slice(len(plan), shards, shard, seed, 5) {
					part = append(part, plan[i])
				}
				single += passes(part, length) / float64(shards)
				all = append(all, part...)
			}
			slices.Sort(all)
			require.True(t, slices.Equal(plan, all), "the union is the plan")
			union += passes(all, length)
		}
		require.InDelta(t, 0.95*seeds, union, slack, "%d shards", shards)
		require.InDelta(t, 0.95*seeds, single, slack, "%d shards", shards)
	}
}

// passes is 1 when the interval of the index of dispersion holds 1, else 0.
func passes(at []time.Duration, length time.Duration) float64 {
	if _, low, high := Dispersion(at, time.Second, length); low <= 1 && 1 <= high {
		return 1
	}
	return 0
}

func TestShardsAreEquallyLoaded(t *testing.T) {
	const n, shards = 100_000, 8
	for shard := range shards {
		require.InDelta(t, n/shards, len(Slice(n, shards, shard, 3, 4)), 420, "four standard errors")
	}
}
