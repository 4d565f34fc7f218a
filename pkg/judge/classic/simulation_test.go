package classic

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	armRequests  = 4000
	blocksPerArm = 20
	logSpread    = .5
)

// latencies are those of one arm: log-normal, with half of the variance of the logarithm in an autoregression that begins anew with
// each block.
func latencies(random *rand.Rand, phi float64) []float64 {
	values := make([]float64, armRequests)
	share := math.Sqrt(.5)
	var level float64
	for i := range values {
		if i%(armRequests/blocksPerArm) == 0 {
			level = random.NormFloat64()
		}
		level = phi*level + math.Sqrt(1-phi*phi)*random.NormFloat64()
		values[i] = 100 * math.Exp(logSpread*share*(level+random.NormFloat64()))
	}
	return values
}

// share of runs in which a rule fires.
func share(runs int, seed uint64, fires func(*rand.Rand) bool) float64 {
	random, n := rand.New(rand.NewPCG(seed, 77)), 0
	for range runs {
		if fires(random) {
			n++
		}
	}
	return float64(n) / float64(runs)
}

func TestKSOfEqualArmsFires(t *testing.T) {
	equalArms := func(phi float64) func(*rand.Rand) bool {
		return func(r *rand.Rand) bool { return KSAdaptive{}.Read(latencies(r, phi), latencies(r, phi)).Fires }
	}
	require.InDelta(t, .133, share(400, 1, equalArms(0)), .05)
	require.InDelta(t, .63, share(200, 2, equalArms(.9)), .1)
}

// A fault that makes 2 % of the requests three times as slow is what a gate on P99 is there for.
func TestFilterHidesASlowTail(t *testing.T) {
	raw := swap.OpinionRule{Stat: swap.StatP99}
	gate := func(filtered bool) func(*rand.Rand) bool {
		return func(r *rand.Rand) bool {
			baseline, candidate := latencies(r, .9), latencies(r, .9)
			for i := range candidate {
				if r.Float64() < .02 {
					candidate[i] *= 3
				}
			}
			if filtered {
				baseline, _ = Filter{}.Clean(baseline)
				candidate, _ = Filter{}.Clean(candidate)
			}
			return FivePercent{}.Read(statistic(candidate, raw.Stat)/statistic(baseline, raw.Stat) - 1).Fires
		}
	}
	require.InDelta(t, .96, share(200, 3, gate(false)), .04)
	require.InDelta(t, .33, share(200, 3, gate(true)), .1)
}
