package judge

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

func shares(successes, trials float64) stats.Proportion {
	return stats.Proportion{Successes: successes, Trials: trials}
}

// With no failure the bound of a share falls as fast as the sample grows, not by its root.
func TestBlocksNeededWithoutAFailureGrowWithTheBound(t *testing.T) {
	i := scoreInterval{base: shares(0, 150), cand: shares(0, 150), df: 19}
	m := measured{
		gate:  swap.Gate{Metric: swap.MetricErrorRate, Stat: swap.StatRate, Margin: .005, Unit: swap.Absolute, Better: swap.LowerIsBetter},
		pairs: 20, interval: i, se: i.standardError(),
	}
	need := m.blocksToDecide(.95)
	z := stats.NormalQuantile(.95) + stats.NormalQuantile(.8)
	// Wilson's upper bound of 0 of n is z²/(n+z²).
	n := z * z * (1 - .005) / .005
	require.InEpsilon(t, n/150*20, need, .06, "a t quantile instead of z, and whole blocks")
	_, high := i.grown(float64(need) / 20).bounds(.95)
	require.Less(t, high, .005, "so many would decide")
}

func TestBlocksNeededForATailAreSoManyThatItHasAnEnd(t *testing.T) {
	sorted := make([]float64, 2000)
	for k := range sorted {
		sorted[k] = 50 + 50*float64(k)/2000
	}
	const effective = 200 // of 2,000 requests, by the design effect
	i := quantileInterval{sorted: sorted, limit: 110, q: .99, se: math.Sqrt(.99 * .01 / effective), df: 15}
	m := measured{
		gate:  swap.Gate{Metric: swap.MetricE2E, Stat: swap.StatP99, Limit: 110, VS: swap.AgainstSLO, Better: swap.LowerIsBetter},
		pairs: 16, interval: i, se: .01,
	}
	_, high := i.bounds(.95)
	require.True(t, math.IsInf(high, 1))
	need := m.blocksToDecide(.95)
	z := stats.NormalQuantile(.95) + stats.NormalQuantile(.8)
	require.InEpsilon(t, z*z*.99*.01/(.01*.01)/effective*16, need, .1)
}

func TestBlocksNeededAreNoneWhereNoNumberWouldDo(t *testing.T) {
	i := scoreInterval{base: shares(1, 1000), cand: shares(12, 1000), df: 19}
	m := measured{
		gate:  swap.Gate{Metric: swap.MetricErrorRate, Stat: swap.StatRate, Margin: .005, Unit: swap.Absolute, Better: swap.LowerIsBetter},
		pairs: 20, interval: i, se: i.standardError(),
	}
	require.Zero(t, m.blocksToDecide(.95))
}
