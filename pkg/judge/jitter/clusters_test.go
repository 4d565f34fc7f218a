package jitter

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// outliersOf are two kinds of slowness: long prompts that wait 2 s for their first token and are quick then, and short ones that wait
// 1 s and are slow in every token. Nothing else tells them apart.
func outliersOf(random *rand.Rand, each int) (found []slow) {
	near := func(v, spread float64) float64 { return v * math.Exp(spread*random.NormFloat64()) }
	for i := range 2 * each {
		s := slow{gap: near(1, .5), in: 300 * random.Float64()}
		if i%2 == 0 {
			s.ttft, s.tpot, s.prompt = near(2000, .1), float32(near(10, .1)), float32(near(8000, .1))
		} else {
			s.ttft, s.tpot, s.prompt = near(1000, .1), float32(near(40, .1)), float32(near(300, .1))
		}
		s.e2e = float32(s.ttft) + 100*s.tpot
		s.queue, s.late, s.seq = 0, float32(near(.1, .3)), int32(i)
		found = append(found, s)
	}
	return found
}

func TestClustersUseEveryAxisThatTellsOutliersApart(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 10 {
		used, groups, message := clusters(outliersOf(random, 60))
		require.Equal(t, []swap.JitterAxis{
			swap.AxisTTFT, swap.AxisGap, swap.AxisTPOT, swap.AxisE2E, swap.AxisPromptTokens, swap.AxisTimeInStep,
		}, used, "no queue, and all sent in time")
		t.Log(message)
		long, short := 0, 0
		for _, g := range groups {
			if g.PromptTokens.Or(0) > 4000 {
				require.Less(t, g.TPOTms.Or(0), 20.)
				long += g.Count
			} else {
				require.Greater(t, g.TPOTms.Or(0), 20.)
				short += g.Count
			}
			require.InDelta(t, 150, g.StepSeconds.Or(0), 150)
			require.True(t, g.QueueMS.Valid())
		}
		require.Greater(t, long, 30)
		require.Greater(t, short, 30)
	}
}

func TestAnAxisThatIsKnownOfFewIsLeftOut(t *testing.T) {
	found := outliersOf(rand.New(rand.NewPCG(1, 1)), 40)
	nan := float32(math.NaN())
	for i := range found {
		found[i].prompt = nan
		if i < 10 {
			found[i].tpot, found[i].e2e = nan, nan
		}
	}
	used, groups, _ := clusters(found)
	require.Equal(t, []swap.JitterAxis{swap.AxisTTFT, swap.AxisGap, swap.AxisTPOT, swap.AxisE2E, swap.AxisTimeInStep}, used)
	require.NotEmpty(t, groups)
	for _, g := range groups {
		require.False(t, g.PromptTokens.Valid())
	}
	used, groups, message := clusters(found[:5])
	require.Empty(t, used)
	require.Empty(t, groups)
	require.Equal(t, "5 outliers are insufficient for clusters", message)
	_, _, message = clusters(nil)
	require.Equal(t, "0 outliers are insufficient for clusters", message)
}
