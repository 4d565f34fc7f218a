package knee

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/diff/fd"
	"pgregory.net/rapid"
)

var (
	doubling = []float64{1, 2, 4, 8, 16, 32, 64, 128}
	batching = []float64{20, 39.5, 78, 150, 281, 480, 640, 655}
)

func along(x []float64, f func(float64) float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = f(v)
	}
	return y
}

func ranks(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	return x
}

func TestKneedle(t *testing.T) {
	unequal := []float64{1, 2, 10, 32, 33, 128}
	tests := []struct {
		name  string
		x, y  []float64
		want  int
		found bool
	}{
		{"a batching server, as high at 64", doubling, batching, 5, true},
		// The example of Satopää et al.: 5 − 1/(x+0.1), with its knee at 0.22.
		{"the paper's curve", ranks(10), along(ranks(10), func(x float64) float64 { return 5 - 1/(x/9+.1) }), 2, true},
		{"a corner", doubling, along(doubling, func(x float64) float64 { return min(x, 32) }), 5, true},
		{"a corner on unequal steps", unequal, along(unequal, func(x float64) float64 { return min(x, 32) }), 3, true},
		{"a fall beyond the peak", []float64{8, 16, 32, 64}, []float64{100, 190, 350, 250}, 2, true},
		{"straight", doubling, doubling, 0, false},
		{"bent up", doubling, along(doubling, func(x float64) float64 { return x * x }), 0, false},
		{"bent a little", doubling, along(doubling, func(x float64) float64 { return math.Pow(x, .8) }), 0, false},
		{"flat", doubling, make([]float64, 8), 0, false},
		{"falling", doubling, along(doubling, func(x float64) float64 { return -x }), 0, false},
		{"two points", []float64{1, 2}, []float64{1, 2}, 0, false},
		{"nothing", nil, nil, 0, false},
		{"not as many", []float64{1, 2, 3}, []float64{1, 2}, 0, false},
		{"x stands still", []float64{1, 1, 3}, []float64{1, 5, 6}, 0, false},
		{"not a number", []float64{1, 2, 3}, []float64{1, math.NaN(), 6}, 0, false},
		{"infinite", []float64{1, 2, math.Inf(1)}, []float64{1, 5, 6}, 0, false},
		{"too wide", []float64{-1.7e308, 0, 1.7e308}, []float64{1, 5, 6}, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, found := Kneedle(tt.x, tt.y, Sensitivity)
			require.Equal(t, tt.found, found)
			require.Equal(t, tt.want, got)
		})
	}
	at, found := Kneedle(doubling, along(doubling, func(x float64) float64 { return math.Pow(x, .8) }), 0)
	require.True(t, found, "sensitivity 0 takes any bend")
	require.Equal(t, 5, at)
	_, found = Kneedle(ranks(3), []float64{0, 6, 10}, 1)
	require.False(t, found, "three points must bend sharply")
}

func TestElbow(t *testing.T) {
	at, found := Elbow(ranks(10), []float64{1, 1, 1, 1, 1, 1, 1, 2, 5, 10}, Sensitivity)
	require.True(t, found)
	require.Equal(t, 6, at)
	_, found = Elbow(ranks(10), ranks(10), Sensitivity)
	require.False(t, found)
	_, found = Elbow(nil, nil, Sensitivity)
	require.False(t, found)
}

func TestKneedleProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := rapid.SliceOfN(rapid.Map(rapid.IntRange(-99, 99), func(i int) float64 { return float64(i) / 4 }), 1, 30).Draw(t, "y")
		x := make([]float64, len(y))
		at := 0.
		for i := range x {
			at += float64(rapid.IntRange(1, 50).Draw(t, "step")) / 4
			x[i] = at
		}
		i, found := Kneedle(x, y, Sensitivity)
		if found {
			require.True(t, i > 0 && i < len(x)-1, "a knee at an end")
		}
		scaled := func(v []float64) []float64 { return along(v, func(v float64) float64 { return 64*v + 1024 }) }
		j, again := Kneedle(scaled(x), scaled(y), Sensitivity)
		if found != again || i != j {
			d := func(k int) float64 {
				return increasing(y)[k]/(increasing(y)[len(y)-1]-increasing(y)[0]) - x[k]/(x[len(x)-1]-x[0])
			}
			require.InDelta(t, d(i), d(j), 1e-6, "units do not matter, but for ties")
		}
		smooth := increasing(y)
		require.True(t, slices.IsSorted(smooth))
		require.Len(t, smooth, len(y))
		mean := func(v []float64) (sum float64) {
			for _, u := range v {
				sum += u / float64(len(v))
			}
			return sum
		}
		require.InDelta(t, mean(y), mean(smooth), 1e-9)
		require.InDeltaSlice(t, smooth, increasing(smooth), 1e-12)
	})
}

func TestClassicSecondDifference(t *testing.T) {
	tests := []struct {
		name  string
		y     []float64
		want  int
		found bool
	}{
		{"a batching server", batching, 5, true},
		{"three steps, whose knee it sees at the first", []float64{142, 416, 489}, 0, true},
		{"the same in thousands, where it sees none", []float64{.142, .416, .489}, 0, false},
		{"straight", doubling[:3], 0, false},
		{"one value", []float64{1}, 0, false},
		{"nothing", nil, 0, false},
		{"not a number", []float64{1, 9, math.NaN()}, 0, false},
		{"infinite", []float64{1, 9, math.Inf(-1)}, 0, false},
	}
	for _, tt := range tests {
		got, found := ClassicSecondDifference(tt.y)
		require.Equal(t, tt.found, found, tt.name)
		require.Equal(t, tt.want, got, tt.name)
	}
}

func levels(x, y []float64, e float64) []Level {
	out := make([]Level, len(x))
	for i := range x {
		out[i] = Level{Load: x[i], Throughput: y[i], RelativeError: e}
	}
	return out
}

func TestGrowthFall(t *testing.T) {
	fall, found := GrowthFall(levels(doubling, batching, .02), .4)
	require.True(t, found)
	require.Equal(t, []int{5, 6}, []int{fall.At, fall.Next})
	require.InDelta(t, .917, fall.Before.Value, 1e-3)
	require.InDelta(t, .415, fall.After.Value, 1e-3)
	_, found = GrowthFall(levels(doubling, batching, .5), .4)
	require.False(t, found, "noise hides it")
	_, found = GrowthFall(levels(doubling, along(doubling, math.Sqrt), .01), .4)
	require.False(t, found, "growth is the same everywhere")
	for _, bad := range []Level{{0, 1, 0}, {200, 0, 0}, {200, math.NaN(), 0}, {math.Inf(1), 1, 0}, {128, 1, 0}, {200, math.Inf(1), 0}} {
		_, found = GrowthFall(append(levels(doubling, batching, 0), bad), .4)
		require.False(t, found, "%+v", bad)
	}
	_, found = GrowthFall(nil, .4)
	require.False(t, found)
}

// The expected values are those of SciPy's least_squares with bounds.
func TestFitUSL(t *testing.T) {
	power := func(p float64) func(float64) float64 { return func(x float64) float64 { return math.Pow(x, p) } }
	corner := func(x float64) float64 { return 20 * min(x, 32) }
	tests := []struct {
		name  string
		x, y  []float64
		want  USL
		peak  float64
		error float64
	}{
		{"a batching server", doubling, batching, USL{20.6466676, .00926256, 1.149515e-4}, 92.8372, .014004779},
		{"a corner", doubling, along(doubling, corner), USL{25.3073438, .00808279, 1.988363e-4}, 70.6301, .126174214},
		{"the corner near the end", doubling[:7], along(doubling[:7], corner), USL{24.1691099, 0, 3.336539e-4}, 54.7459, .112613118},
		{"three points", []float64{8, 32, 64}, []float64{142, 416, 489}, USL{18.6761609, .00524376, 2.762815e-4}, 60.0043, 0},
		{"straight", doubling, along(doubling, func(x float64) float64 { return 20 * x }), USL{20, 0, 0}, 0, 0},
		{"a power", doubling, along(doubling, power(.6)), USL{.3678302, .01286609, 0}, 0, .10480995},
		{"Amdahl's law", doubling, along(doubling, USL{20, .05, 0}.At), USL{20, .05, 0}, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := FitUSL(tt.x, tt.y)
			require.True(t, ok)
			require.InEpsilon(t, tt.want.Lambda, got.Lambda, 1e-6)
			require.InDelta(t, tt.want.Sigma, got.Sigma, 1e-7)
			require.InDelta(t, tt.want.Kappa, got.Kappa, 1e-9)
			require.InDelta(t, tt.error, got.RelativeError(tt.x, tt.y), 1e-7)
			peak, ok := got.Peak()
			if tt.peak == 0 {
				require.True(t, !ok || peak > 1e4, "%g", peak)
				return
			}
			require.True(t, ok)
			require.InDelta(t, tt.peak, peak, 1e-3)
		})
	}
}

func TestFitUSLRefuses(t *testing.T) {
	good := []float64{1, 2, 3}
	for name, bad := range map[string][]float64{
		"zero": {0, 1, 2}, "negative": {-1, 1, 2}, "not a number": {1, math.NaN(), 3}, "infinite": {1, 2, math.Inf(1)}, "few": {1, 2},
		"none": nil,
	} {
		_, ok := FitUSL(bad, good)
		require.False(t, ok, name)
		_, ok = FitUSL(good, bad)
		require.False(t, ok, name)
	}
	_, ok := USL{1, 1, .1}.Peak()
	require.False(t, ok)
	_, ok = FitUSL([]float64{.1, .5, 100}, []float64{5, 1, .001})
	require.True(t, ok, "it never grew")
}

func TestFitUSLFindsTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		truth := USL{
			rapid.Float64Range(.1, 1e4).Draw(t, "lambda"), rapid.Float64Range(0, .3).Draw(t, "sigma"),
			rapid.Float64Range(1e-5, .01).Draw(t, "kappa"),
		}
		got, ok := FitUSL(doubling, along(doubling, truth.At))
		require.True(t, ok)
		require.Less(t, got.RelativeError(doubling, along(doubling, truth.At)), 1e-4)
		want, _ := truth.Peak()
		peak, ok := got.Peak()
		require.True(t, ok)
		require.InEpsilon(t, want, peak, .01)
	})
}

func TestGradientOfTheLoss(t *testing.T) {
	f, ok := newFitting(doubling, batching)
	require.True(t, ok)
	for _, x := range [][]float64{{1, 1}, {.2, 3}, {2, .1}} {
		got := make([]float64, 2)
		f.gradient(got, x)
		require.InDeltaSlice(t, fd.Gradient(nil, f.loss, x, &fd.Settings{Formula: fd.Central}), got, 1e-7)
	}
}

func noisyBlocks(seed uint64, n int, noise float64, f func(float64) float64) [][]float64 {
	random := rand.New(rand.NewPCG(seed, 3))
	out := make([][]float64, len(doubling))
	for k, x := range doubling {
		for range n {
			out[k] = append(out[k], f(x)*math.Exp(noise*random.NormFloat64()))
		}
	}
	return out
}

func TestBootstrap(t *testing.T) {
	truth := USL{20, .01, 1e-4}
	want, _ := truth.Peak()
	covered := 0
	const rounds = 40
	for seed := range uint64(rounds) {
		u, ok := Bootstrap(doubling, noisyBlocks(seed, 10, .03, truth.At), 199, seed)
		require.True(t, ok)
		require.InDelta(t, 1, u.PeakReached, .1)
		require.LessOrEqual(t, u.Knee.Low, u.Knee.High)
		if u.Peak.Low <= want && want <= u.Peak.High {
			covered++
		}
	}
	t.Logf("%d of %d intervals hold the truth", covered, rounds)
	require.GreaterOrEqual(t, covered, rounds*85/100)

	u, ok := Bootstrap(doubling, noisyBlocks(1, 10, .03, func(x float64) float64 { return 20 * x }), 199, 1)
	require.True(t, ok)
	require.True(t, math.IsInf(u.Knee.High, 1))
	require.InDelta(t, 0, u.PeakReached, 0)
	require.Greater(t, u.Peak.Low, 1000., "it grows for ever")
	same, _ := Bootstrap(doubling, noisyBlocks(1, 10, .03, func(x float64) float64 { return 20 * x }), 199, 1)
	require.Equal(t, u, same, "the seed decides")
}

func TestBootstrapRefuses(t *testing.T) {
	good := noisyBlocks(1, 2, .01, func(x float64) float64 { return x })
	bad := slices.Clone(good)
	bad[3] = []float64{1}
	_, ok := Bootstrap(doubling, bad, 10, 1)
	require.False(t, ok)
	_, ok = Bootstrap(doubling[:4], good, 10, 1)
	require.False(t, ok)
	_, ok = Bootstrap(doubling, good, 0, 1)
	require.False(t, ok)
	bad[3] = []float64{1, math.NaN()}
	_, ok = Bootstrap(doubling, bad, 10, 1)
	require.False(t, ok)
	_, ok = Bootstrap(nil, nil, 10, 1)
	require.False(t, ok)
}

func BenchmarkBootstrap(b *testing.B) {
	blocks := noisyBlocks(1, 10, .03, USL{20, .01, 1e-4}.At)
	for b.Loop() {
		_, ok := Bootstrap(doubling, blocks, 999, 1)
		require.True(b, ok)
	}
}
