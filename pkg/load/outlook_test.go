package load

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

func TestShardsStartAllUnitsTogether(t *testing.T) {
	p := PlanBlock(generator(t), swap.Step{Rate: 50}, time.Second, 9*time.Second, 1, 2, nil)
	require.Equal(t, p.Arrivals, p.StartsOf(Shard{}))
	var all []time.Duration
	for i := range 3 {
		of := p.StartsOf(Shard{Index: i, Of: 3})
		require.True(t, slices.IsSorted(of))
		all = append(all, of...)
	}
	slices.Sort(all)
	require.Equal(t, p.Arrivals, all)
	require.Nil(t, PlanBlock(generator(t), swap.Step{Concurrency: 5}, 0, time.Second, 1, 2, nil).StartsOf(Shard{}))
}

// A plan tells of the units that it asks, with the lengths of a recording where it repeats one.
func TestAPlanTellsItsUnits(t *testing.T) {
	w := swap.Workload{
		API: swap.APIChat, InputTokens: swap.Lengths{Median: 20}, OutputTokens: swap.Lengths{Median: 10},
		Topology: &swap.Topology{Shape: swap.ShapeStar, Size: 4},
	}
	g, err := workload.New(w)
	require.NoError(t, err)
	p := PlanBlock(g, swap.Step{Rate: 5}, 0, time.Second, 1, 2, nil)
	require.Equal(t, g.Unit(2, 3), p.Unit(3))
	require.Equal(t, 4, p.UnitSize())
	replay := &Replay{Gaps: []time.Duration{time.Second}, Lengths: func(int) (input, output int) { return 7, 99 }}
	p = PlanBlock(g, swap.Step{Rate: 5, Arrival: &swap.Arrival{Process: swap.ArrivalTrace}}, 0, time.Second, 1, 2, replay)
	require.Equal(t, 99, p.Unit(0).Turns[2].MaxTokens)
}
