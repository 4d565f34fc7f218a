package hold

import (
	"math"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// alarm reports whether the tails of two arms that are equal in truth differ at the level 5 %: by the share of requests
// beyond the P99 of both together, paired by blocks, with Student's t.
func alarm(done []Block) bool {
	limit := mergeTop(ttfts(done), 0.02).quantile(tailQuantile)
	arms := byArm(done)
	differences := make([]float64, len(arms.Baseline))
	for k := range differences {
		differences[k] = beyond(arms.Candidate[k], limit) - beyond(arms.Baseline[k], limit)
	}
	se := stats.StandardDeviation(differences) / math.Sqrt(float64(len(differences)))
	return math.Abs(stats.Mean(differences)) > stats.TQuantile(0.975, float64(len(differences)-1))*se
}

func beyond(b Block, limit float64) float64 {
	return 1 - float64(sort.SearchFloat64s(b.TTFT, limit))/float64(len(b.TTFT))
}

// untilDifferent looks at the difference of the arms after each pair and stops as soon as there seems to be one.
func untilDifferent(done []Block, from int) bool {
	for k := 2 * from; k <= len(done); k += 2 {
		if alarm(done[:k]) {
			return true
		}
	}
	return false
}

// A step that ended when it was steady gives hardly more false alarms than one of fixed length. Stopping on the difference of
// the arms, which this package never looks at, would multiply them.
func TestStoppingWhenSteadyDoesNotCryWolf(t *testing.T) {
	const runs, least, most = 200, 6, 20
	steady, fixed, peeked, blocks := 0, 0, 0, 0
	for run := range uint64(runs) {
		p := extended(swap.SteadyTrend, least, most)
		done, _ := drive(p, both(typical(200)), seeded(run))
		blocks += len(done) / 2
		steady += asInt(alarm(done))
		p.Extend, p.Blocks = nil, 13
		long, _ := drive(p, both(typical(200)), seeded(run+1e6))
		fixed += asInt(alarm(long))
		peeked += asInt(untilDifferent(long, least))
	}
	t.Logf("blocks %.1f, false alarms: steady %.3f, fixed %.3f, on the difference %.3f",
		float64(blocks)/runs, float64(steady)/runs, float64(fixed)/runs, float64(peeked)/runs)
	require.Less(t, float64(steady)/runs, 0.085, "5 % and chance")
	require.Less(t, float64(steady-fixed)/runs, 0.03)
	require.Greater(t, float64(peeked)/runs, 0.10, "the simulation would show the inflation")
}

func asInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
