package traffic

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestSharesOf(t *testing.T) {
	for _, tc := range []struct {
		baseline, candidate int64
		want                swap.Weights
		exact               bool
	}{
		{95, 5, swap.Weights{Baseline: 95, Candidate: 5}, true},
		{1, 0, swap.AllBaseline, true},
		{0, 1, swap.Weights{Candidate: 100}, true},
		{3, 1, swap.Weights{Baseline: 75, Candidate: 25}, true},
		{100, 5, swap.Weights{Baseline: 95, Candidate: 5}, false},
		{1_000_000, 1, swap.Weights{Baseline: 99, Candidate: 1}, false},
		{1, 1_000_000, swap.Weights{Baseline: 1, Candidate: 99}, false},
		{0, 0, swap.Weights{}, false},
		{-1, 2, swap.Weights{}, false},
		{1 << 62, 1 << 62, swap.Weights{}, false},
	} {
		got, exact := SharesOf(swap.PerArm[int64]{Baseline: tc.baseline, Candidate: tc.candidate})
		require.Equal(t, tc.want, got, "%d:%d", tc.baseline, tc.candidate)
		require.Equal(t, tc.exact, exact, "%d:%d", tc.baseline, tc.candidate)
	}
}

func TestSharesAreTheNearestPercentages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.Int64Range(0, 1_000_000).Draw(t, "baseline")
		c := rapid.Int64Range(1, 1_000_000).Draw(t, "candidate")
		got, _ := SharesOf(swap.PerArm[int64]{Baseline: b, Candidate: c})
		require.Equal(t, 100, got.Baseline+got.Candidate)
		require.InDelta(t, 100*float64(c)/float64(b+c), float64(got.Candidate), 1)
		require.Positive(t, got.Candidate)
		require.Equal(t, b > 0, got.Baseline > 0)
	})
}
