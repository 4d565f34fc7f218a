package jitter

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// plant makes request i of a block, sent at so many seconds, slower by the factor that it returns.
type plant func(i int, at float64, random *rand.Rand) float64

func plain(int, float64, *rand.Rand) float64 { return 1 }

// measure is blocks of n requests of the baseline, 10 a second, lognormal with a deviation of .25 around 100 ms.
func measure(seed uint64, blocks, n int, p plant) *Collector {
	random := rand.New(rand.NewPCG(seed, 1))
	var manifest swap.StepManifest
	for b := range blocks {
		var result swap.BlockResult
		result.Step, result.Block, result.Arm = 1, b+1, swap.Baseline
		manifest.Blocks = append(manifest.Blocks, result)
	}
	c := NewCollector([]swap.StepManifest{manifest})
	for b := range blocks {
		at := 0.
		for i := range n {
			at += .1 * random.ExpFloat64()
			us := int64(1e5 * math.Exp(.25*random.NormFloat64()) * p(i, at, random))
			c.Add([]rawlog.Record{{
				Step: 1, Block: int32(b + 1), Seq: int32(i), Measured: true, SentUnixNS: 1 + int64(1e9*at), FirstUS: &us,
				Outcome: string(swap.OK),
			}})
		}
	}
	return c
}

func countOf(j swap.ArmJitter, kind swap.JitterKind) int {
	for _, l := range j.Labels {
		if l.Kind == kind {
			return l.Count
		}
	}
	return 0
}

func periodOf(j swap.ArmJitter) float64 {
	for _, l := range j.Labels {
		if p, ok := l.PeriodSeconds.Get(); ok {
			return p
		}
	}
	return 0
}

// Of 20 measurements each: how many of the outliers, nearly all of them planted, have the planted label.
func TestPlantedJitterIsRecovered(t *testing.T) {
	for kind, tt := range map[swap.JitterKind]struct {
		plant plant
		least float64
	}{
		swap.JitterColdStart: {func(i int, _ float64, _ *rand.Rand) float64 {
			if i < 8 {
				return 6
			}
			return 1
		}, .95},
		swap.JitterPeriodic: {func(i int, at float64, _ *rand.Rand) float64 {
			if math.Mod(at, 5) < .8 {
				return 4
			}
			return 1
		}, .9},
		swap.JitterGlitch: {func(i int, _ float64, r *rand.Rand) float64 {
			if i >= 20 && r.Float64() < .01 {
				return 8
			}
			return 1
		}, .85},
	} {
		right, all := 0, 0
		for seed := range uint64(20) {
			j := measure(seed, 4, 600, tt.plant).Jitter().Arms.Baseline
			right, all = right+countOf(j, kind), all+j.Outliers
			if kind == swap.JitterPeriodic {
				require.InDelta(t, 5, periodOf(j), .25)
			}
		}
		t.Logf("%s: %d of %d outliers, %.3f", kind, right, all, float64(right)/float64(all))
		require.Greater(t, float64(right)/float64(all), tt.least, kind)
	}
}

// Lognormal noise has next to no outliers, and bursts at random times are hardly ever taken for a period.
func TestNothingIsMadeUp(t *testing.T) {
	outliers, requests := 0, 0
	for seed := range uint64(20) {
		j := measure(seed, 4, 600, plain).Jitter().Arms.Baseline
		outliers, requests = outliers+j.Outliers, requests+j.Requests
		require.Zero(t, countOf(j, swap.JitterPeriodic))
	}
	t.Logf("noise: %d of %d", outliers, requests)
	require.Less(t, float64(outliers)/float64(requests), .001)

	periodic, all := 0, 0
	for seed := range uint64(20) {
		until := 0.
		j := measure(seed, 4, 600, func(_ int, at float64, r *rand.Rand) float64 {
			if at < until-2 {
				until = 0
			}
			if r.Float64() < .02 {
				until = at + .8
			}
			if at < until {
				return 4
			}
			return 1
		}).Jitter().Arms.Baseline
		periodic, all = periodic+countOf(j, swap.JitterPeriodic), all+j.Outliers
	}
	t.Logf("bursts: %d of %d called periodic", periodic, all)
	require.Less(t, float64(periodic)/float64(all), .02)
}

func TestTwoKindsOfSlownessAreTwoClusters(t *testing.T) {
	j := measure(3, 4, 600, func(i int, _ float64, _ *rand.Rand) float64 {
		switch {
		case i%60 == 59:
			return 40
		case i%20 < 3 && i >= 20:
			return 4.5
		}
		return 1
	}).Jitter().Arms.Baseline
	t.Log(j.ClustersMessage)
	require.GreaterOrEqual(t, len(j.Clusters), 2)

	few := measure(3, 1, 100, func(i int, _ float64, _ *rand.Rand) float64 {
		if i == 50 {
			return 30
		}
		return 1
	}).Jitter().Arms.Baseline
	require.Equal(t, 1, few.Outliers)
	require.Contains(t, few.ClustersMessage, "insufficient")
	require.Equal(t, 50, few.Labels[0].Examples[0].Seq)
}

func TestWithoutRequestsThereIsNoJitter(t *testing.T) {
	require.Nil(t, measure(1, 2, 0, plain).Jitter())
	require.Nil(t, NewCollector(nil).Jitter())
}

// Every outlier has one label, the share is within its interval.
func TestLabelsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		every := rapid.IntRange(2, 50).Draw(t, "every")
		factor := rapid.Float64Range(1, 50).Draw(t, "factor")
		n := rapid.IntRange(1, 200).Draw(t, "requests")
		j := measure(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 4).Draw(t, "blocks"), n, func(i int, _ float64, _ *rand.Rand) float64 {
			if i%every == 0 {
				return factor
			}
			return 1
		}).Jitter().Arms.Baseline
		sum := 0
		for _, l := range j.Labels {
			sum += l.Count
		}
		require.Equal(t, j.Outliers, sum)
		require.LessOrEqual(t, j.ShareLow.Or(1), j.OutlierShare.Or(0)+1e-12)
		require.GreaterOrEqual(t, j.ShareHigh.Or(0), j.OutlierShare.Or(1)-1e-12)
	})
}
