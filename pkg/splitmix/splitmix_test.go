package splitmix

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The first values of SplitMix64 with the seed 0 (Vigna's reference implementation): it mixes multiples of the golden gamma.
func TestMixIsSplitMix64(t *testing.T) {
	const gamma = 0x9e3779b97f4a7c15
	require.Equal(t, uint64(0xe220a8397b1dcdaf), Mix(0))
	require.Equal(t, uint64(0x6e789e6aa1b965f4), Mix(gamma))
}

func TestNeighboursAreUnrelated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Uint64().Draw(t, "x")
		differ := bits.OnesCount64(Mix(x) ^ Mix(x+1))
		require.True(t, differ > 5 && differ < 59, "%d bits differ", differ)
	})
}
