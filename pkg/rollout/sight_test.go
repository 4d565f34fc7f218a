package rollout

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestNeededAndSeesAreInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weight := rapid.IntRange(1, 99).Draw(t, "weight")
		rise := rapid.Float64Range(.02, 3).Draw(t, "rise")
		cand, ok := Needed(weight, rise)
		require.True(t, ok)
		base := cand * (100 - weight) / weight
		if base < 1000 || cand < 1000 {
			return // rounding to whole requests counts
		}
		require.InEpsilon(t, rise, Sees(swap.PerArm[int]{Baseline: base, Candidate: cand}).Or(0), .02)
	})
}

func TestDefaultsAskForSimilarTotals(t *testing.T) {
	for weight, want := range map[int]int{1: 93, 5: 282, 20: 1104, 50: 4500} {
		n, ok := Needed(weight, DefaultSees(weight))
		require.True(t, ok)
		require.InDelta(t, want, n, 3, "at %d %%", weight)
	}
	_, ok := Needed(100, .5)
	require.False(t, ok)
	_, ok = Needed(50, DefaultSees(100))
	require.False(t, ok)
	require.False(t, Sees(swap.PerArm[int]{Candidate: 9}).Valid())
}
