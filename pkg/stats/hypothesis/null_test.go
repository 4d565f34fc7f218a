package hypothesis

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/stats"
)

func normals(seed uint64, n int, mean float64) []float64 {
	random := rand.New(rand.NewPCG(seed, 0x6e))
	out := make([]float64, n)
	for i := range out {
		out[i] = mean + random.NormFloat64()
	}
	return out
}

func rounded(values []float64) []float64 {
	return apply(values, func(v float64) float64 { return math.Round(2 * v) })
}

// autoregressive is a stationary AR(1) of unit innovations.
func autoregressive(random *rand.Rand, n int, phi float64) []float64 {
	out := make([]float64, n)
	level := random.NormFloat64() / math.Sqrt(1-phi*phi)
	for i := range out {
		out[i] = level
		level = phi*level + random.NormFloat64()
	}
	return out
}

// alternating is a design of k blocks on each side, in pairs.
func alternating(k int) BlockDesign {
	d := BlockDesign{Strata: stats.Strata{}}
	for i := range k {
		d.Second = append(d.Second, false, true)
		d.Strata = append(d.Strata, i, i)
	}
	return d
}

// A p-value is uniform where nothing is different: it is at most α with probability α, or a little less where it is discrete.
func TestPValuesAreUniformWhereNothingIsDifferent(t *testing.T) {
	tests := []struct {
		name string
		runs int
		// lack is by how much p may be at most α too seldom, because it has few values.
		lack float64
		p    func(seed uint64) float64
	}{
		{"Kolmogorov-Smirnov, exact", 1000, .06, func(seed uint64) float64 {
			test, _ := KolmogorovSmirnov(normals(2*seed, 30, 0), normals(2*seed+1, 37, 0))
			return test.P()
		}},
		{"Kolmogorov-Smirnov, exact with ties", 1000, .12, func(seed uint64) float64 {
			test, _ := KolmogorovSmirnov(rounded(normals(2*seed, 30, 0)), rounded(normals(2*seed+1, 37, 0)))
			return test.P()
		}},
		{"Kolmogorov-Smirnov, asymptotic", 1000, .06, func(seed uint64) float64 {
			test, _ := KolmogorovSmirnov(normals(2*seed, 450, 0), normals(2*seed+1, 550, 0))
			return test.AsymptoticP()
		}},
		{"Mann-Whitney, exact", 1000, .03, func(seed uint64) float64 {
			test, _ := MannWhitney(normals(2*seed, 12, 0), normals(2*seed+1, 15, 0))
			return test.P()
		}},
		{"Mann-Whitney, exact with ties", 1000, .04, func(seed uint64) float64 {
			test, _ := MannWhitney(rounded(normals(2*seed, 12, 0)), rounded(normals(2*seed+1, 15, 0)))
			return test.P()
		}},
		{"Mann-Whitney, asymptotic", 1000, .02, func(seed uint64) float64 {
			test, _ := MannWhitney(rounded(normals(2*seed, 200, 0)), rounded(normals(2*seed+1, 300, 0)))
			return test.AsymptoticP()
		}},
		{"Mann-Kendall, exact", 1000, .04, func(seed uint64) float64 {
			test, _ := MannKendall(normals(seed, 20, 0))
			return test.P()
		}},
		{"Mann-Kendall, asymptotic with ties", 1000, .02, func(seed uint64) float64 {
			test, _ := MannKendall(rounded(normals(seed, 200, 0)))
			return test.AsymptoticP()
		}},
		{"permutation of blocks of a correlated series, energy", 1000, .01, func(seed uint64) float64 {
			return permuted(seed, EnergyOfBlocks, BlockDesign{Second: alternating(7).Second})
		}},
		{"permutation of pairs of a correlated series, Smirnov", 1000, .03, func(seed uint64) float64 {
			return permuted(seed, KolmogorovSmirnovOfBlocks, alternating(7))
		}},
		{"variance ratio", 1000, .01, func(seed uint64) float64 {
			var first, second [][]float64
			for i := range uint64(15) {
				first = append(first, normals(64*seed+2*i, 5, 0))
				second = append(second, normals(64*seed+2*i+1, 5, float64(i)))
			}
			result, _ := PairedVarianceRatio(first, second, 99, seed)
			return result.P
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := make([]float64, tt.runs)
			for seed := range uint64(tt.runs) {
				p[seed] = tt.p(seed)
			}
			slices.Sort(p)
			for _, level := range []float64{.01, .05, .1, .25, .5, .75, .9} {
				atMost, _ := slices.BinarySearch(p, math.Nextafter(level+1e-12, 1))
				share, chance := float64(atMost)/float64(tt.runs), 3.5*math.Sqrt(level*(1-level)/float64(tt.runs))
				require.Less(t, share, level+chance, "too many at level %v", level)
				require.Greater(t, share, level-chance-tt.lack, "too few at level %v", level)
			}
		})
	}
}

// permuted splits one correlated series into blocks, far enough from each other to be exchangeable, and tests them.
func permuted(seed uint64, statistic func([][]float64) (Statistic, bool), design BlockDesign) float64 {
	random := rand.New(rand.NewPCG(seed, 0xb10c))
	var blocks [][]float64
	for range design.Second {
		blocks = append(blocks, autoregressive(random, 10, .9))
	}
	s, _ := statistic(blocks)
	result, _ := design.Permute(s, 99, seed)
	return result.P
}

// The error that the permutation of blocks is for: at a level of 5 %, a test of dependent values is wrong half of the time.
func TestTestsOfDependentValuesCryWolf(t *testing.T) {
	const runs = 400
	alarms := 0
	for seed := range uint64(runs) {
		random := rand.New(rand.NewPCG(seed, 0x3011f))
		test, _ := KolmogorovSmirnov(autoregressive(random, 1000, .9), autoregressive(random, 1000, .9))
		if test.AsymptoticP() <= .05 {
			alarms++
		}
	}
	require.Greater(t, alarms, runs/2)
}

func TestRatesHoldTheirLevel(t *testing.T) {
	const runs = 4000
	rejected, covered := 0, 0
	for seed := range uint64(runs) {
		random := rand.New(rand.NewPCG(seed, 0x90155))
		c, _ := CompareRates(Rate{arrivals(random, 40), 40}, Rate{arrivals(random, 30), 10}, 3)
		if c.P() <= .05 {
			rejected++
		}
		if low, high := c.Interval(.95); low <= 3 && 3 <= high {
			covered++
		}
	}
	require.Less(t, rejected, runs/20+50)
	require.Greater(t, rejected, runs/50)
	require.Equal(t, runs, rejected+covered, "the interval is the ratios that the test does not reject")
}

func arrivals(random *rand.Rand, duration float64) int {
	count := 0
	for at := random.ExpFloat64(); at < duration; at += random.ExpFloat64() {
		count++
	}
	return count
}

func TestIntervalOfShiftCovers(t *testing.T) {
	for name, size := range map[string]int{"counted": 15, "approximated": 90} {
		const runs = 1000
		covered := 0
		for seed := range uint64(runs) {
			low, high := mustShift(t, normals(2*seed, size, 0), normals(2*seed+1, size+3, 1)).Interval(.9)
			if low <= 1 && 1 <= high {
				covered++
			}
		}
		require.InDelta(t, .9*runs+10, covered, 3.5*math.Sqrt(.1*.9*runs)+10, name)
	}
}
