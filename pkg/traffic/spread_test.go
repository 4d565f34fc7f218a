package traffic

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestSpread(t *testing.T) {
	type n = swap.PerArm[int]
	type w = swap.PerArm[[]int]
	tests := map[string]struct {
		candidate int
		servers   n
		want      w
	}{
		"one server each":                  {5, n{Baseline: 1, Candidate: 1}, w{Baseline: []int{95}, Candidate: []int{5}}},
		"all on the baseline":              {0, n{Baseline: 1, Candidate: 1}, w{Baseline: []int{100}, Candidate: []int{0}}},
		"more servers than percent":        {50, n{Baseline: 1, Candidate: 3}, w{Baseline: []int{150}, Candidate: []int{50, 50, 50}}},
		"shortened to fit":                 {5, n{Baseline: 2, Candidate: 3}, w{Baseline: []int{57, 57}, Candidate: []int{2, 2, 2}}},
		"too fine for the same weight":     {1, n{Baseline: 1, Candidate: 3}, w{Baseline: []int{198}, Candidate: []int{1, 1, 0}}},
		"an arm without servers and share": {0, n{Baseline: 2}, w{Baseline: []int{100, 100}, Candidate: []int{}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, Spread(swap.Weights{Baseline: 100 - tc.candidate, Candidate: tc.candidate}, tc.servers, 256))
		})
	}
}

func TestSpreadIsExactAndWithinBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		candidate := rapid.IntRange(0, 100).Draw(t, "candidate")
		servers := swap.PerArm[int]{Baseline: rapid.IntRange(1, 60).Draw(t, "b"), Candidate: rapid.IntRange(1, 60).Draw(t, "c")}
		most := rapid.IntRange(100, 1000).Draw(t, "most")
		want := swap.Weights{Baseline: 100 - candidate, Candidate: candidate}
		got := Spread(want, servers, most)
		require.Len(t, got.Baseline, servers.Baseline)
		require.Len(t, got.Candidate, servers.Candidate)
		var sums swap.PerArm[int]
		for _, arm := range swap.Arms {
			for _, w := range got.Get(arm) {
				require.LessOrEqual(t, w, most)
				require.GreaterOrEqual(t, w, 0)
				require.LessOrEqual(t, got.Get(arm)[0]-w, 1)
				*sums.Ptr(arm) += w
			}
		}
		require.Equal(t, want.Baseline*sums.Candidate, want.Candidate*sums.Baseline)
	})
}

func TestCheckWeights(t *testing.T) {
	require.NoError(t, CheckWeights(swap.AllBaseline))
	require.ErrorIs(t, CheckWeights(swap.Weights{Baseline: 95, Candidate: 4}), ErrRefused)
	require.ErrorIs(t, CheckWeights(swap.Weights{Baseline: 101, Candidate: -1}), ErrRefused)
}
