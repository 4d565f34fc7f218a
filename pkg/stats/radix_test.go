package stats

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// anyFloat draws from all bit patterns, and often from those that are special or close together.
func anyFloat() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Map(rapid.Uint64(), math.Float64frombits),
		rapid.Float64Range(-3, 3),
		rapid.Map(rapid.IntRange(-3, 300_000), func(us int) float64 { return float64(us) / 1e3 }),
		rapid.SampledFrom([]float64{
			0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, -math.MaxFloat64,
			math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64,
		}),
	)
}

func TestRadixSortIsAStableSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(anyFloat(), 0, 400).Draw(t, "values")
		keys, tags := make([]uint64, len(values)), make([]int32, len(values))
		for i, v := range values {
			keys[i], tags[i] = orderKey(v), int32(i)
		}
		gotKeys, gotTags := radixSort(slices.Clone(keys), slices.Clone(tags))
		slices.SortStableFunc(tags, func(a, b int32) int {
			if keys[a] == keys[b] {
				return 0
			}
			if keys[a] < keys[b] {
				return -1
			}
			return 1
		})
		require.Equal(t, tags, gotTags)
		slices.Sort(keys)
		require.Equal(t, keys, gotKeys)
		sorted := slices.Clone(values)
		slices.Sort(sorted)
		for i, key := range gotKeys {
			if v := keyValue(key); v != sorted[i] && !(math.IsNaN(v) && math.IsNaN(sorted[i])) {
				t.Fatalf("%v at %d, slices.Sort has %v", v, i, sorted[i])
			}
		}
	})
}

// Every bit of a value that is a number survives.
func TestKeysKeepTheBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if v := anyFloat().Draw(t, "value"); !math.IsNaN(v) {
			require.Equal(t, math.Float64bits(v), math.Float64bits(keyValue(orderKey(v))))
		}
	})
}

func TestAboveCountsByBlock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := rapid.SliceOfN(rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 20), func(n int) float64 {
			if n == 20 {
				return math.Inf(1)
			}
			return float64(n)
		}), 0, 30), 1, 5).Draw(t, "blocks")
		x := float64(rapid.IntRange(-1, 21).Draw(t, "x"))
		above, all := Pool(blocks).Above(x)
		for k, values := range blocks {
			n := 0.0
			for _, v := range values {
				if v > x {
					n++
				}
			}
			require.InDelta(t, n, above[k], 0)
			require.Len(t, values, int(all[k]))
		}
	})
}
