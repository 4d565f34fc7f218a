package trace

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/load/arrival"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

// sentOf is the longest request of the units that a block asks which begins at gap first of a recording.
func sentOf(t require.TestingT, r *Recording, topology *swap.Topology, first int) (longest int) {
	g, err := workload.New(swap.Workload{
		API: swap.APIChat, Topology: topology,
		InputTokens: swap.Lengths{Median: 1, Max: 1}, OutputTokens: swap.Lengths{Median: 1, Max: 1},
	})
	require.NoError(t, err)
	gaps := arrival.Gaps(r.Circle(nil))
	g = g.WithLengths(r.SHA256(), func(i uint64) (input, output int) {
		q := r.Requests[gaps.Request(first, int(i))]
		return q.Input, q.Output
	})
	for _, turn := range g.Unit(1, 0).Turns {
		longest = max(longest, turn.InputTokens+turn.MaxTokens)
	}
	return longest
}

func TestTheLongestRequestOfARecordingIsSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.IntRange(0, 60)
		r := &Recording{Requests: make([]Request, rapid.IntRange(2, 9).Draw(t, "requests"))}
		for i := range r.Requests {
			r.Requests[i] = Request{Input: length.Draw(t, "input"), Output: length.Draw(t, "output")}
		}
		var topology *swap.Topology
		shapes := []swap.Shape{"", swap.ShapeSession, swap.ShapeStar, swap.ShapeRing}
		if shape := rapid.SampledFrom(shapes).Draw(t, "shape"); shape != "" {
			topology = &swap.Topology{Shape: shape, Size: rapid.IntRange(2, 5).Draw(t, "size")}
		}
		longest := 0
		for first := range r.Requests {
			longest = max(longest, sentOf(t, r, topology, first))
		}
		require.Equal(t, longest, r.LongestRequest(topology))
	})
}
