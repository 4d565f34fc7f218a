package load

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/load/hold"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// What shards tell of their slices is, merged, what one worker would tell of all records.
func TestMergedTalliesAreThatOfAllRecords(t *testing.T) {
	plan := swap.BlockPlan{Step: 1, Block: 2, Arm: swap.Candidate, Pair: 1}
	start := time.Unix(1, 0)
	rapid.Check(t, func(t *rapid.T) {
		whole, merged := NewBlockTally(plan, start), NewBlockTally(plan, start)
		for _, part := range rapid.SliceOfN(rapid.SliceOf(rapid.Custom(endedTallied)), 1, 4).Draw(t, "parts") {
			slice := NewBlockTally(plan, start)
			for i := range part {
				slice.Add(&part[i])
				whole.Add(&part[i])
			}
			require.NoError(t, merged.Merge(sent(t, slice)))
		}
		one, other := whole.Hold(), merged.Hold()
		requireSameFlow(t, one.Flow, other.Flow)
		one.Flow, other.Flow = hold.Flow{}, hold.Flow{}
		require.Equal(t, one, other)
		began, measured := time.Unix(1, 0), 2*time.Second
		require.Equal(t, whole.Result("5c4ed01e", began, measured), merged.Result("5c4ed01e", began, measured))
		var step, same StepTally
		step.Add(whole.Result("5c4ed01e", began, measured), whole)
		same.Add(merged.Result("5c4ed01e", began, measured), merged)
		require.Equal(t, step.Result(1, swap.Step{Rate: 1}), same.Result(1, swap.Step{Rate: 1}))
	})
}

// requireSameFlow allows for the order of additions.
func requireSameFlow(t *rapid.T, one, other hold.Flow) {
	near := func(a, b float64) { require.InDelta(t, a, b, 1e-9*(1+math.Abs(a))) }
	require.Equal(t, one.Planned.N, other.Planned.N)
	require.Equal(t, one.Answered.N, other.Answered.N)
	near(one.Planned.Squares, other.Planned.Squares)
	near(one.Answered.Sum, other.Answered.Sum)
	near(one.Took.Squares, other.Took.Squares)
	near(one.Cross, other.Cross)
}

// sent is a packed tally after its way over a network.
func sent(t *rapid.T, tally *BlockTally) (SliceTally, []float32) {
	counts, values := tally.Pack()
	data, err := json.Marshal(counts)
	require.NoError(t, err)
	var received SliceTally
	require.NoError(t, json.Unmarshal(data, &received))
	return received, slices.Clone(values)
}

func endedTallied(t *rapid.T) rawlog.Record {
	r := tallied(t)
	r.PlannedUnixNS = rapid.Int64Range(1e9, 60e9).Draw(t, "planned")
	r.EndUS = rapid.Ptr(rapid.Int64Range(0, 1e7), true).Draw(t, "end")
	return r
}

func TestTalliesThatDoNotAddUpAreRefused(t *testing.T) {
	for name, s := range map[string]SliceTally{
		"too few values":   {Lengths: [5]int{2, 1}},
		"too many values":  {Lengths: [5]int{1}},
		"negative lengths": {Lengths: [5]int{3, -1}},
		"outcomes differ":  {Planned: 2, Outcomes: swap.OutcomeCounts{swap.OK: 1}, Lengths: [5]int{2}},
	} {
		t.Run(name, func(t *testing.T) {
			tally := NewBlockTally(swap.BlockPlan{}, time.Time{})
			require.Error(t, tally.Merge(s, []float32{1, 2}))
			require.Zero(t, tally.Hold().Planned, "nothing was added")
		})
	}
}

func TestAShardsOwnShare(t *testing.T) {
	whole := swap.Step{
		Rate: 90, MaxInFlight: 10, TokenRate: &swap.TokenRate{Limit: 300}, Ramp: &swap.Ramp{From: 30}, Spike: &swap.Spike{Rate: 300},
	}
	require.Equal(t, whole, Shard{}.Step(whole))
	require.Equal(t, swap.Step{
		Rate: 30, MaxInFlight: 4, TokenRate: &swap.TokenRate{Limit: 100}, Ramp: &swap.Ramp{From: 10}, Spike: &swap.Spike{Rate: 100},
	}, Shard{Index: 0, Of: 3}.Step(whole))
	require.InDelta(t, 300, whole.TokenRate.Limit, 0, "the whole is left as it was")
	streams := 0
	for i := range 3 {
		streams += Shard{Index: i, Of: 3}.Step(swap.Step{Concurrency: 10}).Concurrency
	}
	require.Equal(t, 10, streams)
}

func TestPeakOfAShard(t *testing.T) {
	step := swap.Step{Concurrency: 10, Hold: swap.Duration(time.Second)}
	p := PlanBlock(generator(t), step, 0, time.Second, 1, 1, nil)
	require.Equal(t, 10, p.PeakOf(Shard{}, time.Second))
	require.Equal(t, 4, p.PeakOf(Shard{Index: 2, Of: 3}, time.Second))
}
