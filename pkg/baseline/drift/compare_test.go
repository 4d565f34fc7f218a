package drift

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

var relative = Settings{Relative: true, Better: swap.LowerIsBetter, Level: .95}

// blocksOf are log-normal levels of 20 blocks around a median.
func blocksOf(random *rand.Rand, median, sigma float64) []float64 {
	values := make([]float64, 20)
	for i := range values {
		values[i] = median * math.Exp(sigma*random.NormFloat64())
	}
	return values
}

func TestCompareIsWelchsInterval(t *testing.T) {
	// Of logarithms 0, 2, 4 against 1, 3: means 2 and 2, variances 4/3 and 2/2, so the standard error is √(7/3) and the degrees of
	// freedom are (7/3)²/((4/3)²/2 + 1²/1) = 2.8824, for which t at .95 is 2.3943.
	then, now := [][]float64{{1, math.Exp(2), math.Exp(4)}}, [][]float64{{math.E, math.Exp(3)}}
	c, ok := Compare(then, now, relative)
	require.True(t, ok)
	require.InDelta(t, math.Exp(2), c.Baseline, 1e-9)
	require.InDelta(t, 0, c.Worsening.Theta, 1e-9)
	require.InDelta(t, 2.3943*math.Sqrt(7./3), math.Log1p(c.Worsening.High), 2e-2)
	require.InDelta(t, -math.Log1p(c.Worsening.High), math.Log1p(c.Worsening.Low), 1e-9)
	require.InDelta(t, math.Sqrt2, c.PerBlock, 1e-9)
	require.InDelta(t, math.Sqrt(4./3), c.Fixed, 1e-9)
	require.Equal(t, [2]int{2, 3}, [2]int{c.Blocks, c.BlocksThen})
}

func TestCompareCountsStepsAlike(t *testing.T) {
	then := [][]float64{{100, 100, 100, 100}, {200, 200}}
	now := [][]float64{{110, 110}, {200, 200, 200}}
	c, ok := Compare(then, now, relative)
	require.True(t, ok)
	require.InDelta(t, math.Sqrt(1.1)-1, c.Worsening.Theta, 1e-12)
	require.InDelta(t, c.Worsening.Theta, c.Worsening.Low, 1e-12, "levels without spread are compared exactly")
}

func TestCompareLeavesOutStepsThatOneSideLacks(t *testing.T) {
	c, ok := Compare([][]float64{{100, 100}, {200, 200}, {400}}, [][]float64{{100, 100}, nil, {500}}, relative)
	require.True(t, ok)
	require.Zero(t, c.Worsening.Theta)
	require.Equal(t, 2, c.Blocks)
}

func TestCompareRefusesWhatCannotBeCompared(t *testing.T) {
	fine := [][]float64{{100, 100}}
	for name, bad := range map[string][][]float64{
		"nothing": nil, "one block": {{100}}, "failures": {{100, math.Inf(1)}}, "no number": {{100, math.NaN()}}, "no ratio": {{100, 0}},
	} {
		_, ok := Compare(fine, bad, relative)
		require.False(t, ok, name)
		_, ok = Compare(bad, fine, relative)
		require.False(t, ok, name)
	}
	absolute := relative
	absolute.Relative = false
	c, ok := Compare([][]float64{{0, 0}}, [][]float64{{.5, .5}}, absolute)
	require.True(t, ok)
	require.Equal(t, Estimate{.5, .5, .5}, c.Worsening)
}

func TestWorseningHasADirection(t *testing.T) {
	then, now := [][]float64{{100, 100}}, [][]float64{{80, 80}}
	s := relative
	for better, want := range map[swap.Direction]float64{swap.LowerIsBetter: -.2, swap.HigherIsBetter: .2, swap.Either: .2} {
		s.Better = better
		c, ok := Compare(then, now, s)
		require.True(t, ok)
		require.InDelta(t, want, c.Worsening.Theta, 1e-12, better)
		require.LessOrEqual(t, c.Worsening.Low, c.Worsening.High)
	}
	s.Better = swap.Either
	c, _ := Compare(now, then, s)
	require.InDelta(t, .25, c.Worsening.Theta, 1e-12)
}

func TestNoiseBetweenRunsWidensTheBounds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	then, now := [][]float64{blocksOf(random, 100, .05)}, [][]float64{blocksOf(random, 100, .05)}
	plain, _ := Compare(then, now, relative)
	noisy := relative
	noisy.Noise = Noise{SD: .02, Runs: 30}
	wide, _ := Compare(then, now, noisy)
	require.Greater(t, wide.Worsening.High-wide.Worsening.Theta, 1.5*(plain.Worsening.High-plain.Worsening.Theta))
	require.InDelta(t, plain.Worsening.Theta, wide.Worsening.Theta, 1e-12)
	noisy.Noise.Runs = 3
	few, _ := Compare(then, now, noisy)
	require.Greater(t, few.Worsening.High, wide.Worsening.High, "a spread known from few runs is known badly")
}

func TestSharesOfFailures(t *testing.T) {
	none := Shares{Failed: make([]float64, 10), Finished: []float64{100, 100, 100, 100, 100, 100, 100, 100, 100, 100}}
	absolute := Settings{Better: swap.LowerIsBetter, Level: .95}
	c, ok := CompareShares(none, none, absolute)
	require.True(t, ok)
	require.Zero(t, c.Worsening.Theta)
	require.InDelta(t, .0027, c.Worsening.High, 1e-4, "no failure of 1,000 leaves room for some")

	some := Shares{Failed: []float64{2, 3, 1, 2, 2, 3, 2, 1, 2, 2}, Finished: none.Finished}
	c, ok = CompareShares(none, some, absolute)
	require.True(t, ok)
	require.InDelta(t, .02, c.Worsening.Theta, 1e-12)
	require.Greater(t, c.Worsening.Low, .01)
	absolute.Noise = Noise{SD: .01, Runs: 10}
	wide, _ := CompareShares(none, some, absolute)
	require.Less(t, wide.Worsening.Low, 0.)

	_, ok = CompareShares(none, Shares{}, absolute)
	require.False(t, ok)
}

// TestFalseAlarms is the reason for the bounds: days on which nothing changed. Where the standard error is below 2 %, people are
// rarely told of nothing. Above, an estimate beyond 3 % may be as bad as a block as far as anyone knows, and they are told so; the
// target fails on no more days than before.
func TestFalseAlarms(t *testing.T) {
	const days = 4000
	for _, c := range []struct {
		name                          string
		sigma, noise                  float64
		told, toldByPoint             float64
		failedAtMost, failedByPointAt float64
	}{
		{"standard error 1.4 %", .045, 0, .001, .017, .001, .0004},
		{"standard error 2 %", .0632, 0, .015, .067, .001, .006},
		{"standard error 2.8 %, half of it between runs", .0632, .014, .13, .14, .001, .04},
	} {
		random := rand.New(rand.NewPCG(7, 11))
		s := relative
		s.Noise = Noise{SD: c.noise, Runs: 20}
		var told, failed, toldByPoint, failedByPoint int
		for range days {
			run := func() [][]float64 {
				return [][]float64{blocksOf(random, 100*math.Exp(c.noise*random.NormFloat64()), c.sigma)}
			}
			r, ok := Compare(run(), run(), s)
			require.True(t, ok)
			count(usual.Decide(r.Worsening), &told, &failed)
			count(usual.Point(r.Worsening.Theta), &toldByPoint, &failedByPoint)
		}
		t.Logf("%s: told of nothing by bounds %.4f, failed %.4f; by the estimate %.4f, %.4f", c.name,
			share(told, days), share(failed, days), share(toldByPoint, days), share(failedByPoint, days))
		require.InDelta(t, c.told, share(told, days), .01, c.name)
		require.InDelta(t, c.toldByPoint, share(toldByPoint, days), .015, c.name)
		require.LessOrEqual(t, share(failed, days), c.failedAtMost, c.name)
		require.InDelta(t, c.failedByPointAt, share(failedByPoint, days), .01, c.name)
	}
}

func count(r swap.DriftResponse, told, failed *int) {
	if r.Severity() >= swap.DriftNotify.Severity() {
		*told++
	}
	if r.Severity() >= swap.DriftFail.Severity() {
		*failed++
	}
}

// TestPowerAndLevel measures real changes: at a limit its response comes in about 5 % of all runs, far beyond it nearly always.
func TestPowerAndLevel(t *testing.T) {
	const runs, sigma = 2000, .03
	for _, c := range []struct {
		change   float64
		response swap.DriftResponse
		low, up  float64
	}{
		{.05, swap.DriftFail, .035, .065},
		{.08, swap.DriftBlock, .035, .065},
		{.12, swap.DriftBlock, .95, 1},
		{0, swap.DriftSilent, .9, 1},
	} {
		random := rand.New(rand.NewPCG(3, 5))
		hit := 0
		for range runs {
			r, ok := Compare([][]float64{blocksOf(random, 100, sigma)},
				[][]float64{blocksOf(random, 100*(1+c.change), sigma)}, relative)
			require.True(t, ok)
			if got := usual.Decide(r.Worsening); got == c.response || c.change > 0 && got.Severity() > c.response.Severity() {
				hit++
			}
		}
		t.Logf("change %v: %s in %.3f", c.change, c.response, share(hit, runs))
		require.GreaterOrEqual(t, share(hit, runs), c.low, "%v", c.change)
		require.LessOrEqual(t, share(hit, runs), c.up, "%v", c.change)
	}
}

func share(n, of int) float64 { return float64(n) / float64(of) }
