package hypothesis

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Two samples of latency in ms with published results: one outlier each, no ties.
var (
	slower = []float64{905, 880, 931, 862, 990, 947, 870, 915, 1402, 899, 955, 921}
	faster = []float64{812, 790, 845, 901, 777, 830, 866, 798, 820, 1510}
)

// steps are n values from 1 to the highest, equally far apart, and all moved.
func steps(highest float64, n int, moved float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = 1 + (highest-1)*float64(i)/float64(n-1) + moved
	}
	return values
}

func TestKolmogorovSurvivalMatchesTable(t *testing.T) {
	for lambda, want := range map[float64]float64{
		0:      1,
		1:      .26999967,
		1.2238: .10002343,
		1.3581: .04999963,
		1.36:   .04948588,
		1.6276: .01000154,
		1.632:  .00971872,
	} {
		require.InDelta(t, want, KolmogorovSurvival(lambda), 6e-9, "λ=%v", lambda)
	}
	require.InDelta(t, 1, KolmogorovSurvival(1e-300), 0)
	require.InDelta(t, 0, KolmogorovSurvival(math.Inf(1)), 0)
	require.True(t, math.IsNaN(KolmogorovSurvival(math.NaN())))
	require.InDelta(t, KolmogorovSurvival(1), KolmogorovSurvival(math.Nextafter(1, 0)), 1e-14, "both forms agree")
}

func TestKolmogorovSmirnovMatchesReference(t *testing.T) {
	ramp := steps(100, 100, 0)
	tests := []struct {
		name          string
		first, second []float64
		d, p          float64
	}{
		{"ramps 20.1 apart", ramp, steps(100, 110, 20.1), 232. / 1100, .0157391838656},
		{"ramps 19.9 apart", ramp, steps(100, 110, 19.9), 229. / 1100, .0178038038610},
		{"nearly the same", ramp, steps(100, 100, 2.1), .03, .9999999999962},
		{"latencies", faster, slower, 43. / 60, .003918681937257789},
		{"no overlap: 2 of C(6,3) ways", []float64{1, 2, 3}, []float64{4, 5, 6}, 1, .1},
		{"the same values", []float64{1, 2, 2}, []float64{2, 1, 2}, 0, 1},
		{"one value each", []float64{1}, []float64{2}, 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			test, ok := KolmogorovSmirnov(tt.first, tt.second)
			require.True(t, ok)
			require.InDelta(t, tt.d, test.D, 1e-12)
			p, ok := test.ExactP()
			require.True(t, ok)
			require.InDelta(t, tt.p, p, 1e-12)
			require.InDelta(t, p, test.P(), 0)
		})
	}
	test, _ := KolmogorovSmirnov(faster, slower)
	require.InDelta(t, .007373349690487, test.AsymptoticP(), 1e-12)
}

func TestMannWhitneyMatchesReference(t *testing.T) {
	tests := []struct {
		name                             string
		first, second                    []float64
		u, exact, corrected, uncorrected float64
	}{
		{
			"the documentation of SciPy",
			[]float64{19, 22, 16, 29, 24},
			[]float64{20, 11, 17, 12},
			17, 14. / 126, .1113468865331, .0864107329737,
		},
		{"latencies", faster, slower, 17, .003436192290681, .005072912660238, .004577750673213232},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			test, ok := MannWhitney(tt.first, tt.second)
			require.True(t, ok)
			require.InDelta(t, tt.u, test.U, 0)
			p, ok := test.ExactP()
			require.True(t, ok)
			require.InDelta(t, tt.exact, p, 1e-12)
			require.InDelta(t, p, test.P(), 0)
			require.InDelta(t, tt.corrected, test.AsymptoticP(), 1e-12)
			require.InDelta(t, tt.uncorrected, test.AsymptoticPUncorrected(), 1e-12)
		})
	}
}

func TestHodgesLehmannMatchesReference(t *testing.T) {
	shift, ok := HodgesLehmann(faster, slower)
	require.True(t, ok)
	require.InDelta(t, 88, shift.Estimate, 1e-12)
	low, high := shift.Interval(.95)
	require.Equal(t, []float64{40, 133}, []float64{low, high})
	require.Equal(t, 30, criticalRank(10, 12, .025))
	low, high = shift.Interval(.99999999)
	require.True(t, math.IsInf(low, -1) && math.IsInf(high, 1), "so few values have no finite bound at that level")
	low, high = shift.Interval(1)
	require.True(t, math.IsNaN(low) && math.IsNaN(high))
}

func TestEnergyMatchesReference(t *testing.T) {
	e, ok := Energy(steps(99, 99, 0), steps(104, 104, 0))
	require.True(t, ok)
	require.InDelta(t, .160, e.Distance, 5e-4)
	require.InDelta(t, 8.136, e.Statistic, 5e-4)
	require.InDelta(t, .002, e.Coefficient, 5e-4)
	e, ok = Energy([]float64{7, 7}, []float64{7})
	require.True(t, ok)
	require.Equal(t, EnergyDistance{}, e)
	e, ok = Energy([]float64{0}, []float64{3})
	require.True(t, ok)
	require.Equal(t, EnergyDistance{Distance: 6, Statistic: 3, Coefficient: 1}, e)
}

// The example of R's poisson.test: 11 events in 800 against 21 in 3011.
func TestRatesMatchReference(t *testing.T) {
	c, ok := CompareRates(Rate{21, 3011}, Rate{11, 800}, 1)
	require.True(t, ok)
	require.InDelta(t, 1.971488, c.Ratio, 5e-7)
	low, high := c.Interval(.95)
	require.InDelta(t, .8584264, low, 5e-7)
	require.InDelta(t, 4.2772659, high, 5e-7)
}

func TestRatesOfFewEvents(t *testing.T) {
	tests := []struct {
		name                 string
		first, second        Rate
		ratio, greater, less float64
	}{
		{"nothing happened", Rate{0, 10}, Rate{0, 10}, 1, 1, 1},
		{"one first error is a coin toss", Rate{0, 10}, Rate{1, 10}, 1, .5, 1},
		{"five of five", Rate{0, 10}, Rate{5, 10}, 1, 1. / 32, 1},
		{"three of four in a quarter of the time", Rate{1, 30}, Rate{3, 10}, 1, 13. / 256, 1 - 1./256},
		{"not above three times", Rate{1, 10}, Rate{3, 10}, 3, 189. / 256, 1 - 81./256},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, ok := CompareRates(tt.first, tt.second, tt.ratio)
			require.True(t, ok)
			require.InDelta(t, tt.greater, c.Greater, 1e-12)
			require.InDelta(t, tt.less, c.Less, 1e-12)
			require.InDelta(t, min(1, 2*min(tt.greater, tt.less)), c.P(), 1e-12)
		})
	}
	c, _ := CompareRates(Rate{0, 10}, Rate{0, 10}, 1)
	require.True(t, math.IsNaN(c.Ratio))
	low, high := c.Interval(.95)
	require.Zero(t, low)
	require.True(t, math.IsInf(high, 1))
}

func TestMannKendallMatchesReference(t *testing.T) {
	tests := []struct {
		name                  string
		series                []float64
		tau, asymptotic, want float64
	}{
		// By hand: S = 15, variance 6·5·17/18 = 28.33, z = 14/√28.33; 2 of 720 orders are monotone.
		{"a perfect rise", []float64{1, 2, 3, 4, 5, 6}, 1, .00853492041422708, 2. / 720},
		{"a perfect fall", []float64{6, 5, 4, 3, 2, 1}, -1, .00853492041422708, 2. / 720},
		{"all equal", []float64{2, 2, 2, 2}, 0, 1, 1},
		// S = 3 in 1 of 6 orders, and −3 in 1.
		{"three values", []float64{1, 2, 3}, 1, .2962698714842864, 1. / 3},
		// The orders of 1 1 2 have S = 2, 0, −2.
		{"a tie", []float64{1, 1, 2}, 2. / 3, .5402913746074199, 2. / 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			test, ok := MannKendall(tt.series)
			require.True(t, ok)
			require.InDelta(t, tt.tau, test.Tau, 1e-12)
			p, ok := test.ExactP()
			require.True(t, ok)
			require.InDelta(t, tt.want, p, 1e-12)
			require.InDelta(t, tt.asymptotic, test.AsymptoticP(), 1e-12)
		})
	}
}
