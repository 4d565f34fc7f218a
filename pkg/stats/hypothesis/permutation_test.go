package hypothesis

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/stats"
)

func meanDifference(first, second []float64) float64 {
	return math.Abs(stats.Mean(second) - stats.Mean(first))
}

func TestPermutationApproachesTheShareOfAllDeals(t *testing.T) {
	blocks := [][]float64{{1}, {2}, {3}, {4}, {10}, {11}, {12}, {13}}
	design := BlockDesign{Second: []bool{false, false, false, false, true, true, true, true}}
	result, ok := design.Permute(OfValues(blocks, meanDifference), 20_000, 1)
	require.True(t, ok)
	require.InDelta(t, 9, result.Observed, 1e-12)
	require.InDelta(t, 70, result.Relabellings, 0)
	require.InDelta(t, 2./70, result.P, .004)
	again, _ := design.Permute(OfValues(blocks, meanDifference), 20_000, 1)
	require.Equal(t, result, again)
	other, _ := design.Permute(OfValues(blocks, meanDifference), 20_000, 2)
	require.NotEqual(t, result, other)
}

func TestPermutationOfPairsKeepsThem(t *testing.T) {
	design := BlockDesign{
		Second: []bool{false, true, true, false, false, true},
		Strata: stats.Strata{7, 7, 2, 2, 5, 5},
	}
	seen := map[string]int{}
	result, ok := design.Permute(func(second []bool) float64 {
		key := ""
		for k := 0; k < len(second); k += 2 {
			if second[k] == second[k+1] {
				t.Fatalf("a pair has two blocks of one sample: %v", second)
			}
			key += map[bool]string{true: "b", false: "a"}[second[k]]
		}
		seen[key]++
		return 0
	}, 8000, 3)
	require.True(t, ok)
	require.InDelta(t, 8, result.Relabellings, 0)
	require.InDelta(t, 1, result.P, 0)
	require.Len(t, seen, 8)
	for key, times := range seen {
		require.InDelta(t, 1000, times, 150, key)
	}
}

func TestPermutationIsNeverZeroAndCountsWhatIsNaN(t *testing.T) {
	design := BlockDesign{Second: append(make([]bool, 20), slices.Repeat([]bool{true}, 20)...)}
	first := true
	once := func(rest float64) Statistic {
		first = true
		return func([]bool) float64 {
			if first {
				first = false
				return 1
			}
			return rest
		}
	}
	for rest, want := range map[float64]float64{0: .01, 1 - 1e-15: 1, math.Inf(1): 1, math.Inf(-1): .01} {
		result, ok := design.Permute(once(rest), 99, 1)
		require.True(t, ok)
		require.InDelta(t, want, result.P, 1e-12, "%v", rest)
	}
	result, _ := design.Permute(once(math.NaN()), 99, 1)
	require.InDelta(t, 1, result.P, 0)
}

func TestPermutationRefusesWhatCannotBeExchanged(t *testing.T) {
	zero := func([]bool) float64 { return 0 }
	for name, d := range map[string]BlockDesign{
		"no blocks":         {},
		"one sample":        {Second: []bool{true, true}},
		"strata of one":     {Second: []bool{true, false}, Strata: stats.Strata{1, 2}},
		"strata of another": {Second: []bool{true, false}, Strata: stats.Strata{1}},
	} {
		_, ok := d.Permute(zero, 99, 1)
		require.False(t, ok, name)
	}
	fine := BlockDesign{Second: []bool{true, false}}
	_, ok := fine.Permute(zero, 0, 1)
	require.False(t, ok)
	_, ok = fine.Permute(func([]bool) float64 { return math.NaN() }, 9, 1)
	require.False(t, ok)
	for _, bad := range [][][]float64{nil, {{1}, {}}, {{1}, {math.NaN()}}} {
		_, ok = KolmogorovSmirnovOfBlocks(bad)
		require.False(t, ok)
		_, ok = EnergyOfBlocks(bad)
		require.False(t, ok)
	}
	_, ok = EnergyOfBlocks([][]float64{{1}, {math.Inf(1)}})
	require.False(t, ok)
}

func TestStatisticsOfBlocksAreThoseOfTheirValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks, second := [][]float64{drawFew(t, "first", 9), drawFew(t, "second", 9)}, []bool{false, true}
		for range rapid.IntRange(0, 5).Draw(t, "more") {
			blocks = append(blocks, drawFew(t, "block", 9))
			second = append(second, rapid.Bool().Draw(t, "label"))
		}
		energy, _ := EnergyOfBlocks(blocks)
		smirnov, _ := KolmogorovSmirnovOfBlocks(blocks)
		swapped := make([]bool, len(second))
		for k := range second {
			swapped[k] = !second[k]
		}
		for _, labels := range [][]bool{second, swapped} {
			wantEnergy := OfValues(blocks, func(a, b []float64) float64 {
				e, _ := Energy(a, b)
				return e.Statistic
			})(labels)
			wantSmirnov := OfValues(blocks, func(a, b []float64) float64 {
				test, _ := KolmogorovSmirnov(a, b)
				m, n := float64(len(a)), float64(len(b))
				return test.D * math.Sqrt(m*n/(m+n))
			})(labels)
			closeTo(t, "energy, Smirnov", []float64{energy(labels), smirnov(labels)}, []float64{wantEnergy, wantSmirnov})
		}
	})
}

func TestVarianceRatioByHand(t *testing.T) {
	first, second := [][]float64{{1, 2, 3}, {10, 12}}, [][]float64{{5, 5}, {0, 8, 4}}
	// Squares 2+2 over 3 degrees of freedom against 0+32 over 3.
	result, ok := PairedVarianceRatio(first, second, 999, 1)
	require.True(t, ok)
	require.InDelta(t, 8, result.Ratio, 1e-12)
	require.InDelta(t, 1, result.P, .6)
	swapped, _ := PairedVarianceRatio(second, first, 999, 1)
	require.InDelta(t, 1./8, swapped.Ratio, 1e-12)
	require.InDelta(t, result.P, swapped.P, 1e-12)
}

func TestVarianceRatioOfWhatDoesNotVary(t *testing.T) {
	still := [][]float64{{.1, .1, .1}, {.2, .2, .2}, {3, 3}, {4, 4}}
	moving := [][]float64{{1, 2}, {1, 3}, {2, 1}, {1, 5}}
	result, ok := PairedVarianceRatio(still, still, 99, 1)
	require.True(t, ok)
	require.True(t, math.IsNaN(result.Ratio))
	require.InDelta(t, 1, result.P, 0)
	result, ok = PairedVarianceRatio(still, moving, 4000, 1)
	require.True(t, ok)
	require.True(t, math.IsInf(result.Ratio, 1))
	require.InDelta(t, 2./16, result.P, .02)
	for name, bad := range map[string][][]float64{
		"another number of items": {{1, 2}},
		"a single draw":           {{1, 2}, {1}, {1, 2}, {1, 2}},
		"not a number":            {{1, 2}, {1, math.NaN()}, {1, 2}, {1, 2}},
		"infinite":                {{1, 2}, {math.Inf(1), math.Inf(1)}, {1, 2}, {1, 2}},
	} {
		_, ok = PairedVarianceRatio(bad, moving, 99, 1)
		require.False(t, ok, name)
		_, ok = PairedVarianceRatio(moving, bad, 99, 1)
		require.False(t, ok, name)
	}
	_, ok = PairedVarianceRatio(nil, nil, 99, 1)
	require.False(t, ok)
}
