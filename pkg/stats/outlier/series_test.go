package outlier

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func noise(seed uint64, n int) []float64 {
	random := rand.New(rand.NewPCG(seed, 11))
	series := make([]float64, n)
	for i := range series {
		series[i] = 100 + random.NormFloat64()
	}
	return series
}

func TestHampel(t *testing.T) {
	series := noise(1, 400)
	series[0], series[200], series[201], series[399] = 150, 150, 50, 150
	got, err := Hampel(series, HampelDefaults())
	require.NoError(t, err)
	require.Subset(t, got, []int{0, 200, 201, 399})
	require.Less(t, len(got), 4+8, "few others")

	masked := slices.Concat(slices.Repeat([]float64{1, 2}, 5), []float64{90, 90, 90, 90}, slices.Repeat([]float64{1, 2}, 5))
	got, err = Hampel(masked, HampelDefaults())
	require.NoError(t, err)
	require.Equal(t, []int{10, 11, 12, 13}, got)
	z, err := SlidingZScore(masked, 14, 3)
	require.NoError(t, err)
	require.Empty(t, z, "the deviation is hidden by the glitch itself")

	got, err = Hampel([]float64{1, 1, 1, 1.1, 1, 1}, HampelOptions{5, 3})
	require.NoError(t, err)
	require.Equal(t, []int{3}, got, "MAD is 0")
	got, err = Hampel(nil, HampelDefaults())
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestHampelRefuses(t *testing.T) {
	for _, o := range []HampelOptions{{}, {30, 3}, {1, 3}, {-3, 3}, {31, -1}, {31, math.NaN()}} {
		_, err := Hampel([]float64{1}, o)
		require.Error(t, err, "%+v", o)
	}
	_, err := Hampel([]float64{1, math.Inf(1)}, HampelDefaults())
	require.ErrorContains(t, err, "value 1 is +Inf")
	_, err = Hampel([]float64{-1.7e308, 1.7e308, 1}, HampelDefaults())
	require.NoError(t, err)
}

func TestHampelOfNormalValues(t *testing.T) {
	got, err := Hampel(noise(2, 5000), HampelOptions{Window: 101, Deviations: 3})
	require.NoError(t, err)
	require.InDelta(t, .0027, float64(len(got))/5000, .002)
}

func TestSlidingZScore(t *testing.T) {
	// As pandas has it: the outlier is 3.157 deviations off.
	series := []float64{5, 6, 5, 7, 6, 5, 6, 5, 7, 6, 5, 30, 6, 5, 7, 6, 5, 4}
	for limit, want := range map[float64][]int{3: {11}, 3.1574: {11}, 3.1575: nil, .5: {11, 17}} {
		got, err := SlidingZScore(series, 12, limit)
		require.NoError(t, err)
		require.Equal(t, want, got, "%g", limit)
	}
	got, err := SlidingZScore(slices.Repeat([]float64{.1}, 20), 11, 0)
	require.NoError(t, err)
	require.Empty(t, got, "constant")
	_, err = SlidingZScore(series, 10, 3)
	require.ErrorContains(t, err, "can never be passed: of 10 values none is further than 2.85 deviations")
	for _, bad := range []struct {
		window int
		limit  float64
	}{{1, 3}, {0, 0}, {-1, 1}, {20, -1}, {20, math.NaN()}} {
		_, err = SlidingZScore(series, bad.window, bad.limit)
		require.Error(t, err)
	}
	_, err = SlidingZScore([]float64{math.NaN()}, 12, 3)
	require.ErrorContains(t, err, "value 0 is NaN")
}

func TestClassicFences(t *testing.T) {
	values := []float64{100, 102, 104, 105, 107, 108, 110, 111, 113, 115, 117, 119, 121, 124, 128, 133, 140, 160, 210, 900}
	low, high, ok := ClassicFences(values)
	require.True(t, ok)
	require.InDelta(t, 100.19, low, 1e-9)
	require.InDelta(t, 161.5, high, 1e-9)
	require.Equal(t, []int{0, 18, 19}, Outside(values, low, high))
	require.Empty(t, Outside([]float64{low, high}, low, high), "the fences are inside")
	for _, bad := range [][]float64{nil, {1, math.NaN()}, {math.Inf(-1)}} {
		_, _, ok = ClassicFences(bad)
		require.False(t, ok)
	}
	require.Empty(t, Outside(nil, 0, 1))
}

// Of log-normal values with σ = 1 the rule takes 7.8 % away at the top.
func TestClassicFencesTakeATail(t *testing.T) {
	values := noise(3, 50000)
	for i, v := range values {
		values[i] = math.Exp(v - 100)
	}
	_, high, ok := ClassicFences(values)
	require.True(t, ok)
	require.InDelta(t, .078, float64(len(Outside(values, 0, high)))/50000, .004)
}

func TestGTest(t *testing.T) {
	series := noise(4, 300)
	for i := range series {
		series[i] += math.Sin(2 * math.Pi * float64(i) / 12)
	}
	got, ok := GTest(series)
	require.True(t, ok)
	require.Equal(t, 25, got.Cycles)
	require.InDelta(t, 12, got.Period, 1e-12)
	require.Less(t, got.P, 1e-9)

	spiky := noise(5, 240)
	for i := 3; i < 240; i += 8 {
		spiky[i] += 6
	}
	got, ok = GTest(spiky)
	require.True(t, ok)
	require.Less(t, got.P, 1e-6, "a spike every 8 values")
	require.Zero(t, 240/8*int(math.Round(float64(got.Cycles)/30))-got.Cycles, "8 or an overtone: %g", got.Period)

	got, ok = GTest([]float64{1, 0, 1, 0, 5, 0, 1})
	require.True(t, ok)
	require.Greater(t, got.P, .05)
	for _, bad := range [][]float64{nil, {1, 2, 3, 4}, slices.Repeat([]float64{.1}, 30), {1, 2, 3, 4, math.NaN()}, {1, 2, 3, 4, math.Inf(1)}} {
		_, ok = GTest(bad)
		require.False(t, ok)
	}
	_, ok = GTest([]float64{1.7e308, 1.7e308, 1.7e308, -1.7e308, 1})
	require.False(t, ok)
	_, ok = GTest([]float64{1, -1, 1, -1, 1, -1})
	require.False(t, ok, "the fastest period is not tested")
}

// P is uniform for white noise.
func TestGTestOfWhiteNoise(t *testing.T) {
	const rounds = 2000
	for _, n := range []int{20, 101} {
		small := 0
		for seed := range uint64(rounds) {
			got, ok := GTest(noise(seed, n))
			require.True(t, ok)
			if got.P < .1 {
				small++
			}
		}
		require.InDelta(t, .1*rounds, small, 3.5*math.Sqrt(.09*rounds), "%d", n)
	}
}

// exact is Fisher's sum without rounding.
func exact(g float64, m int) float64 {
	sum := new(big.Rat)
	for j := 1; j <= m; j++ {
		left := new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).Mul(big.NewRat(int64(j), 1), new(big.Rat).SetFloat64(g)))
		if left.Sign() <= 0 {
			break
		}
		term := new(big.Rat).SetInt(new(big.Int).Binomial(int64(m), int64(j)))
		for range m - 1 {
			term.Mul(term, left)
		}
		if j%2 == 0 {
			term.Neg(term)
		}
		sum.Add(sum, term)
	}
	p, _ := sum.Float64()
	return p
}

func TestGSurvivalIsExact(t *testing.T) {
	// Table 1a of Fisher (1929): the 5 % points.
	for m, g := range map[int]float64{5: .68377, 10: .44495, 25: .22805, 50: .13135} {
		require.InDelta(t, .05, gSurvival(g, m), 5e-5)
	}
	for _, m := range []int{2, 3, 7, 25} {
		for _, times := range []float64{1.01, 1.5, 2, 3, 5, 8} {
			if g := times / float64(m); g < 1 {
				require.InDelta(t, exact(g, m), gSurvival(g, m), 1e-7, "%d %g", m, g)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 100000).Draw(t, "m")
		g := rapid.Float64Range(1/float64(m), 1).Draw(t, "g")
		p := gSurvival(g, m)
		require.True(t, p >= 0 && p <= 1)
		require.LessOrEqual(t, gSurvival(min(1, g*1.01), m), p+1e-6, "it falls")
	})
}
