package classic

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/load/hold"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/stats/power"
	"github.com/swapgate/swapgate/pkg/swap"
)

var all = []Rule{
	Filter{},
	Hybrid{},
	CVWindow{},
	KSAdaptive{},
	ZScore{},
	SecondDiff{},
	Weights{},
	AlphaDecay{},
	FivePercent{},
	ThreeEight{},
	Var5{},
	Glitch{},
	ErrorsThreefold{},
	CoverageRatio{},
}

func TestEveryRuleHasANameOfItsOwnAndAWeakness(t *testing.T) {
	seen := map[swap.RuleName]bool{}
	for _, r := range all {
		require.Regexp(t, `^[a-z0-9_]+$`, r.Name())
		require.False(t, seen[r.Name()], r.Name())
		seen[r.Name()] = true
		require.Regexp(t, `[0-9]`, r.Weakness(), "%s: a weakness has its number", r.Name())
	}
}

func TestFilterOfTheStatedExample(t *testing.T) {
	values := []float64{100, 102, 104, 105, 107, 108, 110, 111, 113, 115, 117, 119, 121, 124, 128, 133, 140, 160, 210, 900}
	kept, ok := Filter{}.Clean(values)
	require.True(t, ok)
	require.Equal(t, values[1:18], kept, "100, 210 and 900 are deleted")
	for _, bad := range [][]float64{nil, {1, math.NaN()}, {1, math.Inf(1)}} {
		_, ok := Filter{}.Clean(bad)
		require.False(t, ok)
	}
}

func TestFilterDeletesWhatP99IsAbout(t *testing.T) {
	for _, c := range []struct{ sigma, top, level, ratio float64 }{
		{.3, .022, .969, .87}, {.5, .038, .953, .72}, {.8, .062, .928, .50}, {1, .078, .913, .38},
	} {
		l := Filter{}.LossOfLogNormal(c.sigma)
		require.InDelta(t, c.top, l.Top, .001, c.sigma)
		require.InDelta(t, .005, l.Bottom, 1e-9, "at least as much at the other end")
		require.InDelta(t, c.level, l.RawLevel, .0005, c.sigma)
		require.InDelta(t, c.ratio, l.Ratio, .005, c.sigma)
	}
	require.InDelta(t, .005, Filter{}.LossOfLogNormal(.01).Top, .0001, "even of nearly perfect values")
}

func TestHybridHasNoCoverage(t *testing.T) {
	require.InDelta(t, .745, 1-Hybrid{}.NoiseShare(), .001, "the 74.5th percentile")
	random := rand.New(rand.NewPCG(1, 2))
	normal := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = 100 + random.NormFloat64()
		}
		return v
	}
	r := Hybrid{}.Read(normal(100), normal(20_000))
	require.True(t, r.Fires)
	require.Equal(t, 20_000, r.Judged)
	require.InDelta(t, .25, r.Value, .04)
}

func TestHybridNeedsAFullWindow(t *testing.T) {
	r := Hybrid{}.Read(slices.Repeat([]float64{1}, 15), slices.Repeat([]float64{2}, 14))
	require.Equal(t, "the level needs 30 values in a row, and there are 15 of the baseline and 14 of the candidate", r.Refusal)
	r = Hybrid{}.Read(slices.Repeat([]float64{1}, 15), slices.Repeat([]float64{1}, 15))
	require.Empty(t, r.Refusal)
	require.Equal(t, 1, r.Judged)
	require.False(t, r.Fires)
	require.NotEmpty(t, Hybrid{}.Read(slices.Repeat([]float64{1}, 40), nil).Refusal)
	require.NotEmpty(t, Hybrid{}.Read(slices.Repeat([]float64{1}, 40), []float64{math.NaN()}).Refusal)
	require.Contains(t, Hybrid{}.Reach(14).Never, "its level needs 30 blocks of one step, both arms together, and the longest step has 28: "+
		"hold a step for 15 blocks")
	require.Empty(t, Hybrid{}.Reach(15).Never)
	require.InDelta(t, 1-math.Pow(.745, 11), Hybrid{}.Reach(20).ByChance, .01, "the last 11 of 40 have a level")
}

func TestCVIsThatOfNoise(t *testing.T) {
	for sigma, need := range map[float64]int{.3: 56, .5: 155, .8: 397, 1: 620} {
		require.Equal(t, need, hold.CVRequests(.15, sigma))
	}
	rule := CVWindow{Limit: .15}
	few, many := rule.Reach(29, 10, swap.Of(30)), rule.Reach(29, 10, swap.Of(2000))
	require.Greater(t, few.ByChance, .3, "at low traffic it seldom ends")
	require.Contains(t, few.Noise, "needs 155 to be below 0.15")
	require.Zero(t, many.ByChance)
	require.Empty(t, many.Noise)
	require.True(t, math.IsNaN(rule.Reach(29, 10, swap.Absent()).ByChance))
}

func TestCVWindowTakesTheFirstSuccess(t *testing.T) {
	rule := CVWindow{Limit: .15}
	r := rule.Read([]float64{100, 101, 99, 500, 1, 1000}, 10)
	require.Equal(t, WindowReading{Reading: Reading{Value: r.Value, Threshold: .15}, Seconds: 30, Converged: true}, r)
	require.InDelta(t, math.Sqrt(2./3)/100, r.Value, 1e-9, "the population standard deviation")

	r = rule.Read([]float64{100, 300, 100, 300, 100, 300}, 10)
	require.True(t, r.Fires)
	require.False(t, r.Converged)
	require.Equal(t, 300, r.Seconds)
	require.InDelta(t, math.Sqrt(3*8./9/4)*100/(500./3), r.Value, .1)

	require.Equal(t, "sub-window 2 has no P99", rule.Read([]float64{1, math.NaN()}, 10).Refusal)
	require.NotEmpty(t, rule.Read([]float64{1}, 10).Refusal)
	require.NotEmpty(t, rule.Read([]float64{1, 1, 1}, 200).Refusal, "290 s hold one block of 200 s")
	require.Contains(t, rule.Reach(1, 30, swap.Absent()).Never, "a step has 1 blocks of 30 s")
	require.Equal(t, "the P99 of the first 3 sub-windows is 0, and nothing is relative to 0", rule.Read([]float64{0, 0, 0}, 10).Refusal)
	require.NotEmpty(t, rule.Reach(9, 200, swap.Absent()).Never)
}

func TestCVWindowThatNothingFills(t *testing.T) {
	rule := CVWindow{Limit: .15}
	r := rule.Read([]float64{1, 2, 1, 2, 1, 2}, 2)
	require.False(t, r.Fires)
	require.Equal(t, "its windows are from 30 to 290 s long and hold 2 sub-windows or more, and there are 6 of 2 s", r.Refusal)
	require.Contains(t, rule.Reach(6, 2, swap.Of(600)).Never,
		"within windows of 30 to 290 s, and a step has 6 blocks of 2 s on each arm: use a longer hold")
	require.Empty(t, rule.Reach(15, 2, swap.Of(600)).Never)
	rapid.Check(t, func(t *rapid.T) {
		n, seconds := rapid.IntRange(0, 40).Draw(t, "n"), rapid.Float64Range(0, 400).Draw(t, "seconds")
		p99 := rapid.SliceOfN(rapid.Float64Range(1, 100), n, n).Draw(t, "p99")
		r := rule.Read(p99, seconds)
		require.Equal(t, r.Refusal == "", rule.Reach(n, seconds, swap.Absent()).Never == "", "a plan and a run agree")
		require.Equal(t, r.Refusal == "", !math.IsNaN(r.Value) && !math.IsInf(r.Value, 0))
	})
}

func TestAdaptiveThresholdIsAConstant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(1, 100_000).Draw(t, "n"), rapid.Float64Range(0, 1).Draw(t, "d")
		require.Equal(t, d > KSAdaptive{}.Limit(n), d > KSAdaptive{}.Threshold(n, d))
	})
	require.InDelta(t, 1.632, KSAdaptive{}.Limit(1), 1e-9)
}

func TestAdaptiveThresholdOfTheStatedTable(t *testing.T) {
	require.InDelta(t, .131, KSAdaptive{}.Threshold(155, .124), .0005)
	require.Less(t, ksConstant/math.Sqrt(155), .124, "it is a drift at the stated level of 5 %")
	require.InDelta(t, .142, KSAdaptive{}.Threshold(132, .158), .0005)
	require.Greater(t, .158, KSAdaptive{}.Threshold(132, .158))
}

func TestKSFalseAlarmsAndBlindness(t *testing.T) {
	require.InDelta(t, .139, KSAdaptive{}.FalseAlarms(4000, 4000), .0005)
	require.InDelta(t, .00972, KSAdaptive{}.FalseAlarms(1e12, 1), .00001, "against a baseline that is known")
	require.Equal(t, 26_635, KSAdaptive{}.FewestForTail(.01))
	require.Equal(t, 18_496, int(math.Round(ksConstant*ksConstant/1e-4)), "at the stated level")
	require.Contains(t, KSAdaptive{}.Reach().Noise, "13.9 % of runs")
	require.Equal(t, "an arm has no answered request", KSAdaptive{}.Read(nil, []float64{1}).Refusal)
}

func TestZScore(t *testing.T) {
	_, refusal := ZScore{}.Normalise(make([]float64, 7))
	require.Equal(t, "the group has 7 models; 8 or more have a standard deviation to speak of", refusal)
	z, refusal := ZScore{}.Normalise([]float64{2, 4, 4, 4, 5, 5, 7, 9})
	require.Empty(t, refusal)
	require.InDeltaSlice(t, []float64{-1.5, -.5, -.5, -.5, 0, 0, 1, 2}, z, 1e-12)
	z, _ = ZScore{}.Normalise([]float64{1, 1, 1, 1, 1, 1, 1, 1e6})
	require.InDelta(t, math.Sqrt(7), slices.Max(z), 1e-9, "no value of eight is further off")
	for _, bad := range [][]float64{make([]float64, 8), {1, 2, 3, 4, 5, 6, 7, math.Inf(1)}} {
		_, refusal = ZScore{}.Normalise(bad)
		require.NotEmpty(t, refusal)
	}
}

func TestSecondDiffOfTheStatedTable(t *testing.T) {
	stated := []float64{142, 416, 489}
	r := SecondDiff{}.Read(stated)
	require.Equal(t, KneeReading{Reading: Reading{Fires: true, Value: -100.5, Threshold: -.3}, Found: true}, r)
	thousands := []float64{.142, .416, .489}
	r = SecondDiff{}.Read(thousands)
	require.Equal(t, 0, r.Level, "argmax of nothing is 0 too")
	require.False(t, r.Found || r.Fires)

	r = SecondDiff{}.Read([]float64{20, 39.5, 78, 150, 281, 480, 640, 655})
	require.Equal(t, 5, r.Level)
	require.NotEmpty(t, SecondDiff{}.Read([]float64{1, 2}).Refusal)
	require.Equal(t, "level 2 has no throughput", SecondDiff{}.Read([]float64{1, math.NaN(), 2}).Refusal)
	require.Contains(t, SecondDiff{}.Reach(2).Never, "the load has 2: add steps")
	require.Empty(t, SecondDiff{}.Reach(3).Never)
}

func TestWeights(t *testing.T) {
	finance, content := FinanceWeights(), ContentWeights()
	require.True(t, finance.Read(Signals{Sensitivity: true}).Fires)
	require.False(t, finance.Read(Signals{Knee: true, Cost: true}).Fires)
	require.Equal(t, "the signal knee never decides; the signal cost never decides; ", finance.Reach().Noise)
	require.True(t, content.Read(Signals{Knee: true}).Fires)
	require.True(t, content.Read(Signals{Sensitivity: true, Cost: true}).Fires, "0.5 blocks")
	require.False(t, content.Read(Signals{Cost: true}).Fires)
	require.Empty(t, content.Reach().Noise)
	require.NotEmpty(t, Weights{.1, .1, .1}.Reach().Never)
}

func TestUtilisationDecidesOnTheWorst(t *testing.T) {
	u := Utilisation{Sensitivity: .9, Knee: 1.01, Cost: 0}
	require.True(t, u.Blocks())
	require.False(t, Utilisation{.99, .99, .99}.Blocks())
	require.InDelta(t, .55*.9+.3*1.01, u.Rank(FinanceWeights()), 1e-12)
}

func TestResponses(t *testing.T) {
	for change, want := range map[float64]Response{
		0: Silent, .0299: Silent, .03: Mail, .08: Mail, .0801: Block, -.0299: Silent, -.05: Mail, -.2: Block,
	} {
		require.Equal(t, want, ThreeEight{}.Respond(change), change)
		require.Equal(t, want != Silent, ThreeEight{}.Read(change).Fires)
	}
	require.Equal(t, Reading{Fires: true, Value: .2, Threshold: .08}, ThreeEight{}.Read(-.2))
	require.Equal(t, Reading{Fires: false, Value: .05, Threshold: .05}, FivePercent{}.Read(.05))
	require.Equal(t, Reading{Fires: true, Value: .06, Threshold: .05}, FivePercent{}.Read(.06))
	require.False(t, FivePercent{}.Read(-.5).Fires, "an improvement")
	require.NotEmpty(t, FivePercent{}.Read(math.NaN()).Refusal)
	require.NotEmpty(t, ThreeEight{}.Read(math.Inf(1)).Refusal)
}

func TestTheGateGoesFirst(t *testing.T) {
	response, by := Precedence(.06)
	require.Equal(t, Block, response, "which alone would be a mail")
	require.Equal(t, swap.RuleFivePercent, by)
	response, by = Precedence(.04)
	require.Equal(t, Mail, response)
	require.Equal(t, swap.RuleThreeEight, by)
}

func TestResponsesByChance(t *testing.T) {
	heard, _ := ThreeEight{}.ByChance(.02)
	require.InDelta(t, .13, heard, .005)
	se := StandardError(swap.StatP99, 4000, .5)
	require.InDelta(t, .042, se, .0005)
	heard, blocks := ThreeEight{}.ByChance(.042)
	require.InDelta(t, .47, heard, .006)
	require.InDelta(t, .057, blocks, .002)
	require.InDelta(t, .123, FivePercent{}.ByChance(se), .01, "as simulated")
	// The number of requests at which a true change by δ is seen with a power of 80 %.
	for delta, n := range map[float64]float64{.03: 49_311, .05: 18_099, .08: 7274, .1: 4743, .15: 2206, .2: 1297} {
		require.InEpsilon(t, math.Log1p(delta)/(stats.NormalQuantile(.95)+stats.NormalQuantile(.8)), StandardError(swap.StatP99, n, .5), .001)
	}
	require.InDelta(t, math.Sqrt(2*math.Expm1(.25)/100), StandardError(swap.StatMean, 100, .5), 1e-12)
	require.Contains(t, FivePercent{}.Reach(swap.StatP99, swap.Of(4000)).Noise, "it blocks in 12.1 % of runs with equal arms")
	require.Empty(t, FivePercent{}.Reach(swap.StatP99, swap.Of(40_000)).Noise)
	require.True(t, math.IsNaN(FivePercent{}.Reach(swap.StatP99, swap.Absent()).ByChance))
}

// The differences that stages of 1, 5 and 20 % of 50 requests a second see in half an hour, where requests depend on each other: the
// variance of a P99 is 2.04 times that of independent ones.
func TestSmallStagesSeeLargeDifferencesOnly(t *testing.T) {
	const all, inflation = 50 * 1800., 2.04
	for weight, want := range map[float64]float64{.01: .25, .05: .11, .2: .057} {
		spread := power.QuantileSpread(.99, .5) * math.Sqrt(inflation*(1/(all*weight)+1/(all*(1-weight))))
		seen := math.Expm1(spread * (stats.NormalQuantile(.95) + stats.NormalQuantile(.8)))
		require.InDelta(t, want, seen, .005, weight)
		sameSize := StandardError(swap.StatP99, 2/(1/(all*weight)+1/(all*(1-weight))), .5) * math.Sqrt(inflation)
		require.InDelta(t, spread, sameSize, 1e-12)
	}
}

func TestThreeRoundsAreFewBlocks(t *testing.T) {
	require.InDelta(t, 2.92, stats.TQuantile(.95, 2), .005)
	require.Less(t, stats.TQuantile(.95, 19), 1.73)
}

func TestResponseGrowsWithTheChange(t *testing.T) {
	rank := map[Response]int{Silent: 0, Mail: 1, Block: 2}
	rapid.Check(t, func(t *rapid.T) {
		small, more := rapid.Float64Range(-.5, .5).Draw(t, "change"), rapid.Float64Range(1, 3).Draw(t, "factor")
		require.LessOrEqual(t, rank[ThreeEight{}.Respond(small)], rank[ThreeEight{}.Respond(small*more)])
		require.Equal(t, ThreeEight{}.Respond(small), ThreeEight{}.Respond(-small))
	})
}

func TestFilterAndWindowDoNotDependOnTheUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(1, 1000), 4, 40).Draw(t, "values")
		scaled := slices.Clone(values)
		for i := range scaled {
			scaled[i] *= 1024
		}
		kept, _ := Filter{}.Clean(values)
		keptScaled, _ := Filter{}.Clean(scaled)
		require.Len(t, keptScaled, len(kept))
		a, b := CVWindow{Limit: .15}.Read(values, 10), CVWindow{Limit: .15}.Read(scaled, 10)
		require.Equal(t, a.Seconds, b.Seconds)
		require.InDelta(t, a.Value, b.Value, 1e-9)
		require.Equal(t, a.Converged, !a.Fires)
	})
}

func TestVar5(t *testing.T) {
	r := Var5{}.Read([]float64{1, 2, 3, 4, 5})
	require.InDelta(t, 2, r.Value, 1e-12)
	require.False(t, r.Fires)
	require.InDelta(t, .71, Var5{}.RelativeError(5), .005)
	require.NotEmpty(t, Var5{}.Read([]float64{1, 2, 3, 4}).Refusal)
	require.NotEmpty(t, Var5{}.Read([]float64{1, 2, 3, 4, math.NaN()}).Refusal)
}

func TestGlitch(t *testing.T) {
	series := slices.Concat(slices.Repeat([]float64{1, 2}, 15), []float64{90}, slices.Repeat([]float64{1, 2}, 5))
	r := Glitch{Window: 12, Limit: 3}.Read(series)
	require.True(t, r.Fires)
	require.Equal(t, []int{30}, r.At)
	require.Greater(t, r.Value, 3.)
	masked := slices.Concat(series[:10], []float64{90, 90, 90, 90}, series[:10])
	require.Empty(t, Glitch{Window: 14, Limit: 3}.Read(masked[1:]).At, "glitches hide each other")
	require.NotEmpty(t, Glitch{Window: 10, Limit: 3}.Read(series).Refusal)
	require.NotEmpty(t, Glitch{Window: 12, Limit: 3}.Read(series[:11]).Refusal)
	require.Contains(t, Glitch{Window: 10, Limit: 3}.Reach().Never, "of 10 values none is further than 2.85 standard deviations")
	require.Empty(t, Glitch{Window: 11, Limit: 3}.Reach().Never)
	require.NotEmpty(t, Glitch{}.Reach().Never)
	require.InDelta(t, 1, Glitch{Window: 2, Limit: .5}.Reach().ByChance, 0)
	require.InDelta(t, .0027, Glitch{Window: 100_000, Limit: 3}.Reach().ByChance, .0001, "as for normal values")
}

func TestGlitchByChanceIsThatOfNormalSeries(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 5))
	series := make([]float64, 100_000)
	for i := range series {
		series[i] = random.NormFloat64()
	}
	g := Glitch{Window: 31, Limit: 2.5}
	require.InEpsilon(t, g.Reach().ByChance, float64(len(g.Read(series).At))/float64(len(series)), .1)
}

func TestErrorsThreefold(t *testing.T) {
	rule := ErrorsThreefold{}
	require.True(t, rule.Read(0, []float64{0, .001}).Fires, "the first error")
	require.False(t, rule.Read(0, []float64{0}).Fires)
	require.Equal(t, Reading{Fires: false, Value: .03, Threshold: .03}, rule.Read(.01, []float64{.01, .03}))
	require.NotEmpty(t, rule.Read(.1, nil).Refusal)
	require.NotEmpty(t, rule.Read(math.NaN(), []float64{1}).Refusal)
	require.InDelta(t, 1-math.Exp(-.3), rule.ByChance(.3), 1e-9)
	require.InDelta(t, .01899, rule.ByChance(1), .00001)
	require.InDelta(t, .0011, rule.ByChance(3), .0001)
	require.Zero(t, rule.ByChance(0))
	require.False(t, rule.CanExceed(.34, 0))
	require.False(t, rule.CanExceed(.001, 3), "a mean of three windows holds a third of each")
	require.True(t, rule.CanExceed(.001, 4))
	r := rule.Reach(10, swap.Of(300))
	require.InDelta(t, 1-math.Exp(-3), r.ByChance, 1e-9)
	require.Contains(t, r.Noise, "in 95 % of runs")
	require.True(t, math.IsNaN(rule.Reach(10, swap.Absent()).ByChance))
}

func TestCoverageRatioCannotReachOne(t *testing.T) {
	variants := make([]int, 80)
	for i := range variants {
		variants[i] = i % 20
	}
	r := CoverageRatio{}.Read(variants, append(slices.Clone(variants), 99))
	require.InDelta(t, .25, r.Value, 0)
	require.InDelta(t, .25, r.Ceiling, 0)
	require.InDelta(t, 1, r.OfClusters, 0)
	require.False(t, r.Fires)
	require.Empty(t, r.Refusal)
	r = CoverageRatio{}.Read([]int{1, 2, 3, 4}, []int{2, 2, 4})
	require.InDelta(t, .5, r.Value, 0)
	require.NotEmpty(t, CoverageRatio{}.Read(nil, nil).Refusal)
}
