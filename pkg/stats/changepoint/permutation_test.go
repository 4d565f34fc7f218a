package changepoint

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func span(from, to, step int) []float64 {
	var out []float64
	for v := from; v < to; v += step {
		out = append(out, float64(v))
	}
	return out
}

// The reference values are those in the tests of MongoDB's signal-processing-algorithms.
func TestEnergyStatistics(t *testing.T) {
	tests := []struct {
		x, y []float64
		want Energy
	}{
		{span(1, 100, 1), span(1, 105, 1), Energy{.160, 8.136, .002}},
		{span(1, 100, 1), span(10000, 13000, 14), Energy{21859.691, 1481794.709, .954}},
		{span(1, 300, 1), span(1000, 5000, 10), Energy{4257.009, 728381.015, .748}},
		{span(300, 500, 1), span(400, 900, 11), Energy{268.352, 10035.943, .532}},
		{span(10, 70, 1), span(12, 65, 1), Energy{.211, 5.961, .005}},
		{span(10, 70, 1), span(10, 70, 1), Energy{}},
		{[]float64{1}, []float64{3}, Energy{4, 2, 1}},
		{[]float64{2}, []float64{2}, Energy{}},
	}
	for _, tt := range tests {
		got, ok := EnergyStatistics(tt.x, tt.y)
		require.True(t, ok)
		require.InDelta(t, tt.want.E, got.E, 1e-3)
		require.InDelta(t, tt.want.T, got.T, 1e-3)
		require.InDelta(t, tt.want.H, got.H, 1e-3)
	}
	for _, bad := range [][]float64{nil, {math.NaN()}, {math.Inf(1)}} {
		_, ok := EnergyStatistics(bad, []float64{1})
		require.False(t, ok)
		_, ok = EnergyStatistics([]float64{1}, bad)
		require.False(t, ok)
	}
}

func byPermutation(t require.TestingT, series []float64, o PermutationOptions) []int {
	points, err := DetectByPermutation(series, o)
	require.NoError(t, err)
	at := make([]int, len(points))
	for i, p := range points {
		at[i] = p.Index
	}
	return at
}

func TestDetectByPermutation(t *testing.T) {
	steps := []float64{
		41, 18, 23, 3, 32, 11, 40, 13, 29, 48, 47, 35, 18, 21, 6, 2, 23, 3, 4, 7,
		120, 103, 102, 81, 71, 62, 115, 61, 108, 63, 70, 98, 65, 96, 64, 74, 70, 113, 90, 114,
		208, 196, 153, 150, 225, 179, 206, 165, 177, 151, 218, 217, 244, 245, 229, 195, 225, 229, 176, 250,
	}
	tests := []struct {
		name   string
		series []float64
		want   []int
	}{
		{"MongoDB's thousands", repeat(level(0, 1000), level(1, 1000)), []int{1000}},
		{"MongoDB's random steps", steps, []int{20, 40}},
		{"MongoDB's value ahead", repeat(level(50, 14), level(74, 1), level(100, 15)), []int{15}},
		{"MongoDB's value behind", repeat(level(50, 14), level(76, 1), level(100, 15)), []int{14}},
		{"MongoDB's spike before a change", repeat(level(50, 2), level(100, 1), level(50, 12), level(100, 15)), []int{15}},
		{
			"MongoDB's spike before two", repeat(level(50, 2), level(100, 1), level(50, 12), level(100, 15), level(150, 15)),
			[]int{15, 30},
		},
		{"Otava's series, whose last 9 values can be split in 84 ways only", otava, []int{5}},
		{"Hunter's series", hunter, []int{10}},
		{"a spike", repeat(level(1, 30), level(9, 1), level(1, 30)), []int{}},
		{"a spike at the end", repeat(level(1, 30), level(9, 1)), []int{}},
		{"constant", level(.1, 30), []int{}},
		{"one value", level(1, 1), []int{}},
		{"nothing", nil, []int{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, byPermutation(t, tt.series, DefaultPermutations(1)))
		})
	}
	points, err := DetectByPermutation(otava, PermutationOptions{MaxP: .05, Permutations: 999, MinSegment: 1, Seed: 1})
	require.NoError(t, err)
	require.Len(t, points, 2)
	require.Equal(t, []int{5, 8}, []int{points[0].Index, points[1].Index})
	require.GreaterOrEqual(t, points[0].P, .001, "it is never 0")
}

func TestDetectByPermutationRefuses(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		_, err := DetectByPermutation([]float64{v}, DefaultPermutations(1))
		require.ErrorContains(t, err, "value 0 of the series")
	}
	for _, tt := range []struct {
		o    PermutationOptions
		says string
	}{
		{PermutationOptions{MaxP: .01, Permutations: 98, MinSegment: 1}, "too few permutations"},
		{PermutationOptions{MaxP: .5, MinSegment: 1}, "too few permutations"},
		{PermutationOptions{MaxP: .5, Permutations: -5, MinSegment: 1}, "too few permutations"},
		{PermutationOptions{MaxP: .5, Permutations: 9}, "min segment must be at least 1"},
		{PermutationOptions{MaxP: 1.5, Permutations: 9, MinSegment: 1}, "max p is 1.5"},
	} {
		_, err := DetectByPermutation(nil, tt.o)
		require.ErrorContains(t, err, tt.says)
	}
}

// A series without a change raises an alarm as rarely as the level says.
func TestPermutationLevel(t *testing.T) {
	alarms := 0
	const rounds = 400
	for seed := range uint64(rounds) {
		o := PermutationOptions{MaxP: .05, Permutations: 99, MinSegment: 3, Seed: seed}
		if len(byPermutation(t, noise(seed, 40), o)) > 0 {
			alarms++
		}
	}
	t.Logf("%d alarms of %d", alarms, rounds)
	require.InDelta(t, .05*rounds, alarms, 3.3*math.Sqrt(.05*.95*rounds))
}

func TestBestSplitIsByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-9, 9), rapid.Just(2.)), 1, 25).Draw(t, "values")
		fewest := rapid.IntRange(1, 4).Draw(t, "fewest")
		r := newRanked(values)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		random.Shuffle(len(values), func(i, j int) {
			r.swap(i, j)
			values[i], values[j] = values[j], values[i]
		})
		at, got := r.bestSplit(fewest, newRankSums(len(values)))
		want := 0.
		for i := fewest; i <= len(values)-fewest; i++ {
			e, _ := EnergyStatistics(values[:i], values[i:])
			want = max(want, e.T)
			if i == at {
				require.InDelta(t, e.T, got, 1e-9)
			}
		}
		require.InDelta(t, want, got, 1e-9)
	})
}

func BenchmarkDetectByPermutation(b *testing.B) {
	series := repeat(noise(1, 1000), noise(2, 1000))
	for b.Loop() {
		_, err := DetectByPermutation(series, DefaultPermutations(1))
		require.NoError(b, err)
	}
}

func BenchmarkDetect(b *testing.B) {
	series := noise(1, 2000)
	for b.Loop() {
		_, err := Detect(series, Defaults())
		require.NoError(b, err)
	}
}
