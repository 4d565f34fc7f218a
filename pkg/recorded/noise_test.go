package recorded

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// TestNoiseBetweenRunsKeepsTheErrorRate: launches differ by 2 %, and the candidate is exactly as bad as the margin allows. Without
// the widening a pass and a fail are each wrong in a quarter of the pairs; with the default they keep to 5 % (and 3 σ of 100 pairs).
func TestNoiseBetweenRunsKeepsTheErrorRate(t *testing.T) {
	const pairs, launch, most = 100, .02, 11
	decisions := func(noise float64) map[swap.Decision]int {
		random := rand.New(rand.NewPCG(9, 9))
		o := options()
		o.Settings.Resamples, o.Noise, o.Gates = 199, noise, o.Gates[:1]
		n := map[swap.Decision]int{}
		for i := range uint64(pairs) {
			baseline := made(2*i+1, 800, math.Exp(launch*random.NormFloat64()), true)
			candidate := made(2*i+2, 800, 1.1*math.Exp(launch*random.NormFloat64()), true)
			n[judged(t, baseline, candidate, o).Gates[0].Decision]++
		}
		return n
	}
	widened, bare := decisions(DefaultNoise), decisions(0)
	require.LessOrEqual(t, widened[swap.Pass], most)
	require.LessOrEqual(t, widened[swap.Fail], most)
	require.Greater(t, bare[swap.Pass]+bare[swap.Fail], 2*most, "what the widening is for")
}
