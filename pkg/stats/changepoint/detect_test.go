package changepoint

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func indices(points []Point) []int {
	at := make([]int, len(points))
	for i, p := range points {
		at[i] = p.Index
	}
	return at
}

func detect(t require.TestingT, series []float64, o Options) []Point {
	points, err := Detect(series, o)
	require.NoError(t, err)
	return points
}

// otava and hunter are series from the tests of Apache Otava.
var (
	otava  = []float64{.3, 2.4, 1.5, -.9, -.5, 99.7, 98.3, 99.1, 149.0, 149.7, 149.5, 149.1, 148.8, 150.0}
	hunter = []float64{
		1.02, .95, .99, 1, 1.12, 1, 1.01, .98, 1.01, .96, .5, .51, .48, .48, .55, .5, .49, .51, .5, .49,
	}
)

func repeat(parts ...[]float64) []float64 { return slices.Concat(parts...) }

func level(v float64, n int) []float64 { return slices.Repeat([]float64{v}, n) }

func TestDetect(t *testing.T) {
	tests := []struct {
		name   string
		series []float64
		change func(*Options)
		want   []int
	}{
		{"Otava's series", otava, nil, []int{5, 8}},
		{"Hunter's series", hunter, func(o *Options) { o.Window, o.MaxP = 10, 1e-4 }, []int{10}},
		{"exact levels", repeat(level(1, 10), level(2, 10), level(1, 10)), nil, []int{10, 20}},
		{"a change of a third of the windows", repeat(level(1, 100), level(2, 100)), nil, []int{100}},
		{"a small change is significant", repeat(level(1, 10), level(1.01, 10)), nil, []int{10}},
		{"and does not count", repeat(level(1, 10), level(1.01, 10)), func(o *Options) { o.MinMagnitude = .05 }, []int{}},
		{"a spike", repeat(level(1, 20), level(9, 1), level(1, 20)), nil, []int{}},
		{"a spike among many", repeat(level(1, 500), level(900, 1), level(1, 500)), nil, []int{}},
		{"two values", repeat(level(1, 20), level(9, 2)), nil, []int{}},
		{"two values in between", repeat(level(1, 20), level(9, 2), level(1, 20)), nil, []int{}},
		{"three values in between", repeat(level(1, 20), level(9, 3), level(1, 20)), nil, []int{20, 23}},
		{"three values", repeat(level(1, 20), level(9, 3)), nil, []int{20}},
		{"a spike and a change", repeat(level(1, 10), level(9, 1), level(1, 10), level(7, 10)), nil, []int{21}},
		{"constant", level(.1, 77), nil, []int{}},
		{"one value", level(1, 1), nil, []int{}},
		{"nothing", nil, nil, []int{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := Defaults()
			if tt.change != nil {
				tt.change(&o)
			}
			require.Equal(t, tt.want, indices(detect(t, tt.series, o)))
		})
	}
}

func TestPoint(t *testing.T) {
	points := detect(t, otava, Defaults())
	require.InDelta(t, .56, points[0].Before, 1e-12)
	require.InDelta(t, 99.0333333333, points[0].After, 1e-9)
	require.InDelta(t, 1.3776792079, points[0].DeviationBefore, 1e-9, "it divides by n-1")
	require.InDelta(t, .4593473631, points[1].DeviationAfter, 1e-9)
	change, ok := points[1].Relative()
	require.True(t, ok)
	require.InDelta(t, .50808, change, 1e-5)
	require.InDelta(t, change, points[1].Magnitude(), 0)
	down := Point{Before: 2, After: 1}
	require.InDelta(t, 1, down.Magnitude(), 0, "back to 2 is twice as much")
	from := Point{After: 3}
	_, ok = from.Relative()
	require.False(t, ok)
	require.InDelta(t, 1, from.Magnitude(), 0)
}

// The benchmark results of TigerBeetle in the tests of Apache Otava (licensed under Apache 2.0). Otava finds 15 and 71 too; the
// value at 10 is a single failed run.
func TestTigerBeetle(t *testing.T) {
	data, err := os.ReadFile("testdata/tigerbeetle.json")
	require.NoError(t, err)
	var series []float64
	require.NoError(t, json.Unmarshal(data, &series))
	for _, p := range []float64{.01, .05, .1} {
		require.Equal(t, []int{15, 71}, indices(detect(t, series, Options{MaxP: p, MinMagnitude: .05, MinSegment: 3, Window: 30})))
	}
	all := indices(detect(t, series, Options{MaxP: 1e-5, MinSegment: 3, Window: 30}))
	require.Equal(t, []int{71, 95, 131, 192}, all, "Otava finds 212 too, because it divides by n")
}

func TestDetectRefuses(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, err := Detect([]float64{1, 2, v}, Defaults())
		require.ErrorContains(t, err, "value 2 of the series")
	}
	bad := []struct {
		change func(*Options)
		says   string
	}{
		{func(o *Options) { o.MinSegment = 1 }, "min segment must be at least 2"},
		{func(o *Options) { o.Window = 5 }, "the window must be at least 6"},
		{func(o *Options) { o.MinMagnitude = math.NaN() }, "min magnitude must not be negative"},
		{func(o *Options) { o.MaxP = 1 }, "max p is 1: it must be between 0 and 1"},
		{func(o *Options) { o.MaxP = math.NaN() }, "max p is NaN"},
	}
	for _, tt := range bad {
		o := Defaults()
		tt.change(&o)
		_, err := Detect(nil, o)
		require.ErrorContains(t, err, tt.says)
	}
}

func TestEqualMeans(t *testing.T) {
	// SciPy's ttest_ind.
	a := []float64{1.00, 1.02, 1.05, .95, .98}
	require.InDelta(t, 0.1696916076, equalMeans(sideOf(a), sideOf([]float64{.97, .99, 1.01, .93, .91})), 1e-9)
	require.InDelta(t, 0.19500844, equalMeans(sideOf([]float64{1, 2, 3, 4, 9}), sideOf([]float64{5, 7, 8})), 1e-7)
	// t = 3 of five and five values: with n instead of n−1 it would be 0.0100.
	scale := 3 * math.Sqrt(2./5)
	side := func(mean float64) side { return side{n: 5, mean: mean, squares: 4} }
	require.InDelta(t, 0.0171, equalMeans(side(1), side(1+scale)), 5e-5)
	require.InDelta(t, 1, equalMeans(sideOf(level(.1, 7)), sideOf(level(.1, 13))), 0)
	require.InDelta(t, 0, equalMeans(sideOf(level(1, 3)), sideOf(level(2, 3))), 0)
	require.InDelta(t, 1, withoutFew([]float64{1, 1, 1, 1}, []float64{7, 1, 1}, 1), 0)
	require.InDelta(t, 1, withoutFew([]float64{1, 1, 1, 1}, []float64{7, 7, 1}, 2), 0)
	require.InDelta(t, 1, withoutFew([]float64{1}, []float64{7, 7}, 1), 0)
}

func noise(seed uint64, n int) []float64 {
	random := rand.New(rand.NewPCG(seed, 7))
	series := make([]float64, n)
	for i := range series {
		series[i] = 100 + random.NormFloat64()
	}
	return series
}

// How often a change is found where there is none, with and without one spike; and how often one of three standard deviations is
// found, to within one value.
func TestOperatingCharacteristics(t *testing.T) {
	alarms, spikes, found := 0, 0, 0
	const rounds = 400
	for seed := range uint64(rounds) {
		series := noise(seed, 60)
		if len(detect(t, series, Defaults())) > 0 {
			alarms++
		}
		changed := slices.Clone(series)
		for i := 40; i < len(changed); i++ {
			changed[i] += 3
		}
		at := indices(detect(t, changed, Defaults()))
		if len(at) == 1 && at[0] >= 39 && at[0] <= 41 {
			found++
		}
		series[30] += 50
		if len(detect(t, series, Defaults())) > 0 {
			spikes++
		}
	}
	t.Logf("of %d: %d alarms, %d with a spike, %d changes found", rounds, alarms, spikes, found)
	require.Less(t, alarms, rounds*3/100)
	require.Less(t, spikes, rounds*3/100)
	require.Greater(t, found, rounds*9/10)
}

func TestDetectProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		series := rapid.SliceOfN(rapid.Float64Range(-5, 5), 0, 90).Draw(t, "series")
		for from := 0; from < len(series); {
			lift := rapid.SampledFrom([]float64{0, 30, 100, 1e6}).Draw(t, "lift")
			n := rapid.IntRange(1, 30).Draw(t, "length")
			for i := from; i < min(from+n, len(series)); i++ {
				series[i] += lift
			}
			from += n
		}
		o := Options{
			MaxP: rapid.Float64Range(1e-6, .4).Draw(t, "p"), MinMagnitude: rapid.Float64Range(0, .5).Draw(t, "magnitude"),
			MinSegment: rapid.IntRange(2, 5).Draw(t, "segment"), Window: rapid.IntRange(10, 40).Draw(t, "window"),
		}
		points := detect(t, series, o)
		last := 0
		for _, p := range append(slices.Clone(points), Point{Index: len(series), P: 0, Before: 1}) {
			require.True(t, len(points) == 0 || p.Index-last >= o.MinSegment, "a segment is too short")
			require.LessOrEqual(t, p.P, o.MaxP)
			require.GreaterOrEqual(t, p.Magnitude(), o.MinMagnitude)
			last = p.Index
		}
		scaled := make([]float64, len(series))
		for i, v := range series {
			scaled[i] = -1024 * v
		}
		require.Equal(t, indices(points), indices(detect(t, scaled, o)), "the unit does not matter")
	})
}

func TestASpikeIsNoChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		series := level(rapid.Float64Range(-1e6, 1e6).Draw(t, "level"), rapid.IntRange(1, 150).Draw(t, "n"))
		series[rapid.IntRange(0, len(series)-1).Draw(t, "at")] += rapid.Float64Range(-1e9, 1e9).Draw(t, "spike")
		require.Empty(t, detect(t, series, Defaults()))
	})
}

// slow is q by its definition.
func slow(window []float64, fewest int) (highest float64) {
	for tau := fewest; tau < len(window); tau++ {
		for kappa := tau + fewest; kappa <= len(window); kappa++ {
			x, y := window[:tau], window[tau:kappa]
			between, within := 0., [2]float64{}
			for i, a := range window[:kappa] {
				for j, b := range window[:i] {
					switch {
					case i >= tau && j < tau:
						between += math.Abs(a - b)
					case i < tau:
						within[0] += math.Abs(a - b)
					default:
						within[1] += math.Abs(a - b)
					}
				}
			}
			n, m := float64(len(x)), float64(len(y))
			q := 2 * between / (n * m)
			if n > 1 {
				q -= within[0] / (n * (n - 1) / 2)
			}
			if m > 1 {
				q -= within[1] / (m * (m - 1) / 2)
			}
			highest = max(highest, q*n*m/(n+m))
		}
	}
	return highest
}

func TestCandidateIsByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		window := rapid.SliceOfN(rapid.Float64Range(-10, 10), 0, 20).Draw(t, "window")
		fewest := rapid.IntRange(1, 4).Draw(t, "fewest")
		require.InDelta(t, slow(window, fewest), best(window, fewest).q, 1e-9)
	})
	require.Equal(t, 5, best(otava, 1).at)
}
