package load

import (
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

func generator(t require.TestingT) *workload.Generator {
	g, err := workload.New(swap.Workload{
		API: swap.APIChat, Seed: 1, PromptCache: swap.CacheSalted,
		InputTokens: swap.Lengths{Median: 20}, OutputTokens: swap.Lengths{Median: 10, Sigma: 0.2},
	})
	require.NoError(t, err)
	return g
}

func TestPlansAreDeterministic(t *testing.T) {
	g, again := generator(t), generator(t)
	rapid.Check(t, func(t *rapid.T) {
		step := swap.Step{Rate: rapid.Float64Range(0.5, 50).Draw(t, "rate")}
		if rapid.Bool().Draw(t, "closed") {
			step = swap.Step{Concurrency: rapid.IntRange(1, 9).Draw(t, "concurrency")}
		}
		seed, stream := rapid.Uint64().Draw(t, "seed"), rapid.Uint64().Draw(t, "stream")
		p := PlanBlock(g, step, time.Second, 4*time.Second, seed, stream, nil)
		q := PlanBlock(again, step, time.Second, 4*time.Second, seed, stream, nil)
		require.Equal(t, p.SHA256, q.SHA256)
		require.Equal(t, p.Arrivals, q.Arrivals)
		require.True(t, slices.IsSorted(p.Arrivals))
		for _, at := range p.Arrivals {
			require.True(t, at >= 0 && at < p.Length())
		}
		require.NotEqual(t, p.SHA256, PlanBlock(g, step, time.Second, 4*time.Second, seed, stream+1, nil).SHA256)
		require.NotEqual(t, p.SHA256, PlanBlock(g, step, time.Second, 5*time.Second, seed, stream, nil).SHA256)
	})
}

// A block with millions of requests is laid out in little memory.
func TestAPlanTakesFewBytesARequest(t *testing.T) {
	const requests = 200_000
	g := generator(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p := PlanBlock(g, swap.Step{Rate: requests}, 0, time.Second, 1, 7, nil)
	require.InDelta(t, requests, p.sends(Shard{}).len(), 3000)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(24*requests))
}

func TestPlanLabelAndPeak(t *testing.T) {
	g := generator(t)
	open := PlanBlock(g, swap.Step{Rate: 32}, 0, time.Minute, 1, 1, nil)
	require.Equal(t, "32 req/s", open.Step.Label())
	require.Equal(t, "0.5 req/s", swap.Step{Rate: 0.5}.Label())
	require.Equal(t, len(open.Arrivals), open.Peak(time.Hour))
	require.InDelta(t, 320, open.Peak(10*time.Second), 80)
	require.InDelta(t, 10, open.Peak(0), 9, "connections are opened ahead")
	capped := PlanBlock(g, swap.Step{Rate: 32, MaxInFlight: 5}, 0, time.Minute, 1, 1, nil)
	require.Equal(t, 5, capped.Peak(time.Hour))
	closed := PlanBlock(g, swap.Step{Concurrency: 8}, 0, time.Minute, 1, 1, nil)
	require.Equal(t, "concurrency 8", closed.Step.Label())
	require.Equal(t, 8, closed.Peak(time.Hour))
	require.Empty(t, closed.Arrivals)
}

// blockOrder is the first blocks of a step.
func blockOrder(step, pairs int) []swap.BlockPlan {
	blocks := make([]swap.BlockPlan, 2*pairs)
	for n := range blocks {
		blocks[n] = BlockAt(step, n)
	}
	return blocks
}

func TestBlockOrder(t *testing.T) {
	got := blockOrder(2, 4)
	b, c := swap.Baseline, swap.Candidate
	arms := []swap.Arm{b, c, c, b, c, b, b, c}
	require.Len(t, got, len(arms))
	for i, plan := range got {
		require.Equal(t, swap.BlockPlan{Step: 2, Block: i + 1, Arm: arms[i], Pair: i/2 + 1}, plan)
	}
}

// Every pair has both arms, shares a stream with nobody else, and over four pairs the mean position of both arms is equal.
func TestBlockOrderIsBalanced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quads := rapid.IntRange(1, 10).Draw(t, "quads")
		blocks := blockOrder(3, 4*quads)
		position := map[swap.Arm]int{}
		streams := map[uint64]int{}
		for i, b := range blocks {
			position[b.Arm] += i
			streams[StreamOf(b)]++
			if i%2 == 1 {
				require.Equal(t, blocks[i-1].Arm.Other(), b.Arm)
			}
		}
		require.Equal(t, position[swap.Baseline], position[swap.Candidate])
		require.Len(t, streams, 4*quads)
	})
}

// T48: too few sockets are refused before the load, with the way out.
func TestLimits(t *testing.T) {
	require.NoError(t, limits{}.check(1e6))
	require.NoError(t, limits{files: 1024, ports: 28232}.check(1024-reserved))
	var limit *LimitError
	require.ErrorAs(t, limits{files: 1024, ports: 28232}.check(1000), &limit)
	require.Equal(t, LimitError{Resource: "open files", Need: 1000 + reserved, Have: 1024}, *limit)
	require.ErrorContains(t, limit, "ulimit -n")
	require.ErrorContains(t, limits{files: 1e6, ports: 28232}.check(30000), "ip_local_port_range")
	require.NoError(t, CheckLimits(1))
	require.Error(t, CheckLimits(math.MaxInt32-reserved))
}

func TestParsePortRange(t *testing.T) {
	for in, want := range map[string]int{"32768\t60999\n": 28232, "": 0, "9 8": 0, "a b": 0, "1 2 3": 0, "0 65536": 0} {
		require.Equal(t, want, parsePortRange(in), "%q", in)
	}
}

func FuzzParsePortRange(f *testing.F) {
	f.Add("32768\t60999\n")
	f.Add("-1 5")
	f.Fuzz(func(t *testing.T, in string) {
		n := parsePortRange(in)
		require.True(t, n >= 0 && n <= 65536)
	})
}
