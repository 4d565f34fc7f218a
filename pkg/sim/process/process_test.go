package process

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/stats"
)

func marginals() map[string]Marginal {
	return map[string]Marginal{
		"log-normal": LogNormal(100, .5), "Weibull": Weibull(100, .8), "Pareto": Pareto(20, 100, 3), "bimodal": Bimodal(100, .2, .05, 5),
	}
}

func TestQuantilesAreTheTruth(t *testing.T) {
	for name, m := range marginals() {
		for _, p := range []Process{
			{Marginal: m}, {Marginal: m, Shift: 1.2, Phi: .9, Share: .5}, {Marginal: m, Faulty: .02, FaultFactor: 3},
		} {
			t.Run(name, func(t *testing.T) {
				random := rand.New(rand.NewPCG(1, 2))
				var values []float64
				for range 2000 {
					values = append(values, p.Block(random, 200, 1)...)
				}
				for _, q := range []float64{.5, .9, .97, .99} {
					x := p.Quantile(q)
					below := 0
					for _, v := range values {
						if v <= x {
							below++
						}
					}
					require.InDelta(t, q, float64(below)/float64(len(values)), .005)
				}
			})
		}
	}
}

func TestMarginalsIncrease(t *testing.T) {
	for name, m := range marginals() {
		t.Run(name, func(t *testing.T) {
			last := 0.0
			for z := -5.0; z <= 6; z += .01 {
				require.GreaterOrEqual(t, m(z), last)
				last = m(z)
			}
		})
	}
}

func TestNeighboursDependOnEachOther(t *testing.T) {
	p := Process{Marginal: LogNormal(1, 1), Phi: .9, Share: .5}
	logs := p.Block(rand.New(rand.NewPCG(1, 1)), 200_000, 1)
	sum := 0.0
	for i, v := range logs {
		logs[i] = math.Log(v)
		if i > 0 {
			sum += logs[i] * logs[i-1]
		}
	}
	require.InDelta(t, .45, sum/float64(len(logs)), .02)
}

func TestDriftRisesAndWanders(t *testing.T) {
	rising := Drift{Rise: .1}.Levels(rand.New(rand.NewPCG(1, 1)), 11)
	require.True(t, slices.IsSorted(rising))
	require.InDelta(t, 1, rising[0], 1e-12)
	require.InDelta(t, 1.1, rising[10], 1e-12)
	wander := Drift{Wander: .05, Memory: .9}.Levels(rand.New(rand.NewPCG(1, 1)), 50_000)
	for i := range wander {
		wander[i] = math.Log(wander[i])
	}
	require.InDelta(t, .05, stats.StandardDeviation(wander), .003)
}
