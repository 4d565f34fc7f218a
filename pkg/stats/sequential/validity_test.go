package sequential

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/stats"
)

const (
	aaRepetitions = 2000
	aaLevel       = .05
)

// falseAlarms is the share of simulated runs without any effect that alarm.
func falseAlarms(alarms func(*rand.Rand) bool) float64 {
	count := 0
	for i := range aaRepetitions {
		if alarms(rand.New(rand.NewPCG(uint64(i), 11))) {
			count++
		}
	}
	return float64(count) / aaRepetitions
}

// requireValid allows three standard errors above the level that is promised.
func requireValid(t *testing.T, rate float64) {
	t.Helper()
	t.Logf("%.4f false alarms", rate)
	require.LessOrEqual(t, rate, aaLevel+3*math.Sqrt(aaLevel*(1-aaLevel)/aaRepetitions))
	require.Positive(t, rate, "a bound that never alarms tests nothing")
}

func TestLookingAlwaysKeepsTheLevelOfNormalBounds(t *testing.T) {
	const most = 200
	sprt := MixtureSPRT{Variance: 2, Tau2: .05}
	var critical, one, two, poly [most + 1]float64
	for n := 1; n <= most; n++ {
		v := float64(n)
		critical[n] = sprt.Critical(n, aaLevel)
		one[n] = NewNormalMixture(OneSided, 50, aaLevel).Bound(v, aaLevel)
		two[n] = NewNormalMixture(TwoSided, 50, aaLevel).Bound(v, aaLevel)
		poly[n] = PolyStitching(v, aaLevel, 10, 0)
	}
	for name, alarm := range map[string]func(n int, sum, difference float64) bool{
		"mSPRT":             func(n int, _, difference float64) bool { return math.Abs(difference) >= critical[n] },
		"one-sided mixture": func(n int, sum, _ float64) bool { return sum >= one[n] },
		"two-sided mixture": func(n int, sum, _ float64) bool { return math.Abs(sum) >= two[n] },
	} {
		t.Run(name, func(t *testing.T) {
			requireValid(t, falseAlarms(func(random *rand.Rand) bool {
				return walks(random, most, alarm)
			}))
		})
	}
	stitched := falseAlarms(func(random *rand.Rand) bool {
		return walks(random, most, func(n int, sum, _ float64) bool { return sum >= poly[n] })
	})
	require.LessOrEqual(t, stitched, aaLevel, "the stitched bound is loose")
}

// walks looks after each of the observations.
func walks(random *rand.Rand, most int, alarm func(n int, sum, difference float64) bool) bool {
	sum := 0.0
	for n := 1; n <= most; n++ {
		sum += random.NormFloat64()
		if alarm(n, sum, sum*math.Sqrt2/float64(n)) {
			return true
		}
	}
	return false
}

func TestLookingAlwaysKeepsTheLevelOfCounts(t *testing.T) {
	const most, p = 300, .1
	var one, two [most + 1]float64
	for n := 1; n <= most; n++ {
		v := p * (1 - p) * float64(n)
		one[n] = NewBetaBinomial(OneSided, p, 1-p, 100*p*(1-p), aaLevel).Bound(v, aaLevel)
		two[n] = NewBetaBinomial(TwoSided, p, 1-p, 100*p*(1-p), aaLevel).Bound(v, aaLevel)
	}
	for name, bound := range map[string]*[most + 1]float64{"one-sided": &one, "two-sided": &two} {
		t.Run(name, func(t *testing.T) {
			requireValid(t, falseAlarms(func(random *rand.Rand) bool {
				return slices.ContainsFunc(counts(random, most, p), func(c count) bool {
					return float64(c.hits)-p*float64(c.of) >= bound[c.of]
				})
			}))
		})
	}
}

type count struct{ hits, of int }

func counts(random *rand.Rand, most int, p float64) []count {
	all := make([]count, most)
	hits := 0
	for i := range all {
		if random.Float64() < p {
			hits++
		}
		all[i] = count{hits, i + 1}
	}
	return all
}

// The quantile p of a uniform distribution is p: the interval misses it where too few or too many values are below it.
func TestQuantileSequenceCoversAtEverySize(t *testing.T) {
	const most, p = 300, .9
	q := Quantile{P: p, Alpha: aaLevel, Horizon: 150}
	var low, high [most + 1]int
	for n := 1; n <= most; n++ {
		low[n], high[n] = q.Ranks(n)
	}
	requireValid(t, falseAlarms(func(random *rand.Rand) bool {
		return slices.ContainsFunc(counts(random, most, p), func(c count) bool { return c.hits < low[c.of] || c.hits >= high[c.of] })
	}))
}

func TestComparingQuantilesWhileTheyGrowKeepsTheLevel(t *testing.T) {
	q := Quantile{P: .5, Alpha: aaLevel, Horizon: 40}
	rate := falseAlarms(func(random *rand.Rand) bool {
		var a, b []float64
		for range 3 {
			for range 20 {
				a, b = append(a, random.ExpFloat64()), append(b, random.ExpFloat64())
			}
			slices.Sort(a)
			slices.Sort(b)
			if q.CompareP(a, b) <= aaLevel {
				return true
			}
		}
		return false
	})
	require.LessOrEqual(t, rate, aaLevel)
}

// It is asymptotic, and begins with eight blocks of estimated variance: a little over its level is what it promises.
func TestConfidenceSequenceOfBlocksNearlyKeepsItsLevel(t *testing.T) {
	sequence := stats.ConfidenceSequence{Alpha: aaLevel, Horizon: 30}
	rate := falseAlarms(func(random *rand.Rand) bool {
		sum, squares := 0.0, 0.0
		for n := 1; n <= 60; n++ {
			x := random.NormFloat64()
			sum, squares = sum+x, squares+x*x
			mean := sum / float64(n)
			if n >= 8 && mean >= sequence.OneSided((squares-sum*mean)/float64(n-1), n) {
				return true
			}
		}
		return false
	})
	t.Logf("%.4f false alarms", rate)
	require.InDelta(t, aaLevel, rate, .02)
}

func TestCrossingMatchesSimulation(t *testing.T) {
	b, err := SpendAlpha(.2, []float64{.1, .3, .6, 1}, PocockSpending)
	require.NoError(t, err)
	upper, _, err := b.Crossing(1)
	require.NoError(t, err)
	stops := make([]float64, len(b.Fractions))
	random := rand.New(rand.NewPCG(5, 6))
	const runs = 20000
	for range runs {
		at, before := 0.0, 0.0
		for k, t := range b.Fractions {
			at += (t - before) + math.Sqrt(t-before)*random.NormFloat64()
			before = t
			if at >= b.Upper[k]*math.Sqrt(t) {
				stops[k] += 1. / runs
				break
			}
		}
	}
	for k := range stops {
		require.InDelta(t, upper[k], stops[k], 4*math.Sqrt(upper[k]/runs), "look %d", k+1)
	}
}
