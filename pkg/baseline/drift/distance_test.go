package drift

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func distanceSettings(seed uint64) DistanceSettings {
	return DistanceSettings{Tolerated: .05, Level: .95, Resamples: 199, Seed: seed}
}

// day is a run of two steps of blocks of correlated requests: half of the variance of the logarithm is shared in a block.
func day(random *rand.Rand, median, sigma float64, perStep, requests int) Blocks {
	var b Blocks
	for step := 1; step <= 2; step++ {
		for range perStep {
			shared := random.NormFloat64() * .1
			values := make([]float64, requests)
			for i := range values {
				values[i] = median * float64(step) * math.Exp(shared+sigma*random.NormFloat64())
			}
			b.Values, b.Steps = append(b.Values, values), append(b.Steps, step)
		}
	}
	return b
}

func TestDistanceOfEqualDistributions(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	const days = 100
	flagged := 0
	for i := range days {
		settings := distanceSettings(uint64(i))
		settings.Resamples = 99
		d, ok := CompareDistributions(day(random, 100, .5, 8, 40), day(random, 100, .5, 8, 40), settings)
		require.True(t, ok)
		require.LessOrEqual(t, d.Low, d.D)
		require.GreaterOrEqual(t, d.High, d.D)
		if d.Drifted {
			flagged++
		}
	}
	t.Logf("flagged %d of %d equal days", flagged, days)
	require.LessOrEqual(t, flagged, 6)
}

func TestDistanceOfARealDrift(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	then := day(random, 100, .5, 10, 100)
	d, ok := CompareDistributions(then, day(random, 140, .5, 10, 100), distanceSettings(1))
	require.True(t, ok)
	require.True(t, d.Drifted)
	require.True(t, d.Larger)
	require.Greater(t, d.Low, .05)
	require.InDelta(t, .005, d.P, 1e-9, "the least that 199 permutations can say")
	require.InDelta(t, .005, d.EnergyP, 1e-9)
	require.Less(t, d.D, .4)

	faster, ok := CompareDistributions(then, day(random, 70, .5, 10, 100), distanceSettings(1))
	require.True(t, ok)
	require.True(t, faster.Drifted)
	require.False(t, faster.Larger)

	// Far smaller than the tolerated distance, whatever the number of requests says.
	small, ok := CompareDistributions(then, day(random, 101, .5, 10, 100), distanceSettings(1))
	require.True(t, ok)
	require.False(t, small.Drifted)
}

func TestDistanceKnowsTheSpreadToo(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	d, ok := CompareDistributions(day(random, 100, .2, 12, 100), day(random, 100, .8, 12, 100), distanceSettings(4))
	require.True(t, ok)
	require.True(t, d.Drifted)
}

func TestDistanceIsTheKolmogorovSmirnovStatistic(t *testing.T) {
	b := Blocks{Values: [][]float64{{1, 2}, {3, 4}}, Steps: []int{1, 1}}
	same, ok := CompareDistributions(b, b, distanceSettings(1))
	require.True(t, ok)
	require.Zero(t, same.D)
	require.Zero(t, same.Low)
	far, ok := CompareDistributions(b, Blocks{Values: [][]float64{{5, 6}, {3, 7}}, Steps: []int{1, 1}}, distanceSettings(1))
	require.True(t, ok)
	require.InDelta(t, .75, far.D, 1e-12)
}

func TestDistanceRefusesWhatCannotBeCompared(t *testing.T) {
	fine := Blocks{Values: [][]float64{{1, 2}, {3, 4}}, Steps: []int{1, 1}}
	for name, bad := range map[string]Blocks{
		"nothing": {}, "one block": {Values: [][]float64{{1}}, Steps: []int{1}},
		"an empty block": {Values: [][]float64{{1}, {}}, Steps: []int{1, 1}},
		"failures":       {Values: [][]float64{{1}, {math.Inf(1)}}, Steps: []int{1, 1}},
		"other steps":    {Values: [][]float64{{1}, {2}}, Steps: []int{2, 2}}, "no steps": {Values: [][]float64{{1}, {2}}},
	} {
		_, ok := CompareDistributions(fine, bad, distanceSettings(1))
		require.False(t, ok, name)
	}
}
