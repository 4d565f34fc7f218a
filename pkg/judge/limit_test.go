package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// slo is a gate that holds the candidate to a limit.
func slo(metric swap.Metric, stat swap.Stat, limit float64) swap.Gate {
	g := gate(metric, stat, 0)
	g.VS, g.Unit, g.Limit = swap.AgainstSLO, swap.Absolute, limit
	return g
}

// A model eight times as large is slower by far, and may keep its limits all the same.
func TestALimitJudgesTheCandidateAlone(t *testing.T) {
	s := usual()
	s.ttft, s.tpot, s.fails = 3, 4, .01
	longest := slo(swap.MetricOutputTokens, swap.StatMean, 110)
	longest.Better = swap.LowerIsBetter
	for _, c := range []struct {
		gate swap.Gate
		want swap.Decision
		says string
	}{
		{slo(swap.MetricTTFT, swap.StatP50, 400), swap.Pass, "limit 400 ms: pass (one-sided 95 % bounds 29"},
		{slo(swap.MetricTTFT, swap.StatP50, 300), swap.Inconclusive, "limit 300 ms: not decided, "},
		{slo(swap.MetricTTFT, swap.StatP50, 250), swap.Fail, ", above the limit of 250 ms (one-sided 95 % bounds 2"},
		{slo(swap.MetricTPOT, swap.StatMean, 50), swap.Pass, "TPOT mean 4"},
		{slo(swap.MetricThroughput, swap.StatRate, 1000), swap.Pass, "limit 1000 tok/s: pass"},
		{slo(swap.MetricThroughput, swap.StatRate, 2000), swap.Fail, "below the limit of 2000 tok/s"},
		{slo(swap.MetricErrorRate, swap.StatRate, .02), swap.Pass, "limit 2.00 %: pass"},
		{slo(swap.MetricErrorRate, swap.StatRate, .002), swap.Fail, "above the limit of 0.20 %"},
		{longest, swap.Pass, "limit 110 tokens: pass"},
	} {
		got := Decide(s.evidence(c.gate))
		require.Equal(t, c.want, got.Decision, got.Reasons)
		g := got.Gates[0]
		require.Contains(t, g.Reason.Message, c.says)
		require.True(t, g.Baseline.Valid(), "the baseline is shown")
		require.Contains(t, g.Reason.Message, "baseline ")
		require.Equal(t, c.gate.Name(), g.Name)
		require.InDelta(t, g.Candidate.Or(0)-c.gate.Limit, g.Change.Or(math.NaN()), 1e-9)
		require.Less(t, g.Low.Or(math.NaN()), g.Change.Or(math.NaN()))
		require.Greater(t, g.High.Or(math.NaN()), g.Change.Or(math.NaN()))
	}
}

func TestAFailedLimitIsTheCauseByItself(t *testing.T) {
	s := usual()
	got := Decide(s.evidence(slo(swap.MetricTTFT, swap.StatP95, 90), gate(swap.MetricTTFT, swap.StatP95, .2)))
	require.Equal(t, swap.Fail, got.Decision)
	require.Equal(t, "the candidate does not keep the limit of TTFT P95", got.Reasons[0].Message, "the baseline is no faster")
	require.Equal(t, swap.Pass, got.Gates[1].Decision)
}

func TestALimitNeedsNoBaseline(t *testing.T) {
	s := usual()
	s.baseFail = 1
	gates := []swap.Gate{slo(swap.MetricTTFT, swap.StatP50, 200), slo(swap.MetricErrorRate, swap.StatRate, .01)}
	got := Decide(s.evidence(gates...))
	require.Equal(t, swap.Pass, got.Decision, got.Reasons)
	got = Decide(s.evidence(append(gates, gate(swap.MetricErrorRate, swap.StatRate, .01))...))
	require.Equal(t, swap.Inconclusive, got.Decision, "another gate needs one")
}

func TestACandidateThatFailsEverythingKeepsNoLimit(t *testing.T) {
	s := usual()
	s.fails = 1
	for _, g := range []swap.Gate{
		slo(swap.MetricTTFT, swap.StatP50, 1e6), slo(swap.MetricThroughput, swap.StatRate, 1), slo(swap.MetricErrorRate, swap.StatRate, .9),
	} {
		got := Decide(s.evidence(g))
		require.Equal(t, swap.Fail, got.Decision, got.Gates[0].Reason.Message)
	}
}

func TestALimitWithAMarginOrWithoutADirectionIsIncomplete(t *testing.T) {
	for _, spoil := range []func(*swap.Gate){
		func(g *swap.Gate) { g.Margin = .1 }, func(g *swap.Gate) { g.Limit = 0 }, func(g *swap.Gate) { g.Better = swap.Either },
	} {
		g := slo(swap.MetricTTFT, swap.StatP50, 200)
		spoil(&g)
		require.Contains(t, Decide(usual().evidence(g)).Reasons[0].Message, "ttft_p50_slo is incomplete")
	}
}

// A limit decides as the bounds of the candidate's own value lie, whatever the baseline is.
func TestALimitAndItsBoundsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, cand := drawArms(t)
		g := slo(swap.MetricTTFT, drawStat(t), rapid.Float64Range(.3, 3).Draw(t, "limit"))
		g.Better = rapid.SampledFrom([]swap.Direction{swap.LowerIsBetter, swap.HigherIsBetter}).Draw(t, "better")
		r, other := decision(base, cand, g), decision(scaled(base, 10), cand, g)
		below, above := r.High.Or(math.NaN()) < 0, r.Low.Or(math.NaN()) > 0
		if g.Better == swap.HigherIsBetter {
			below, above = above, below
		}
		want := map[bool]swap.Decision{true: swap.Pass, false: swap.Inconclusive}[below]
		if above {
			want = swap.Fail
		}
		if r.Decision != want || other.Decision != want || other.Low != r.Low || other.High != r.High {
			t.Fatalf("%s with a change in [%v %v], and %s beside a slower baseline", r.Decision, r.Low, r.High, other.Decision)
		}
	})
}

// At the limit itself a candidate passes and fails at most as often as the level allows.
func TestCharacteristicsOfALimit(t *testing.T) {
	for _, stat := range []swap.Stat{swap.StatP50, swap.StatP99} {
		t.Run(string(stat), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(11, 12))
			s := simulation{pairs: 20, requests: 200, phi: .9}
			q, _ := stat.Quantile()
			g := slo(swap.MetricTTFT, stat, math.Exp(sigma*stats.NormalQuantile(q)))
			passes, fails := 0., 0.
			for range repetitions {
				base, cand := s.arms(random)
				m := compareQuantiles(s.pairs, base, cand, g, resamples, 1)
				switch m.settle(m.failP(), 1, settings()).Decision {
				case swap.Pass:
					passes++
				case swap.Fail:
					fails++
				}
			}
			t.Logf("pass %.3f, fail %.3f", passes/repetitions, fails/repetitions)
			nominal(t, passes/repetitions)
			nominal(t, fails/repetitions)
		})
	}
}

// The bounds of a quantile reach as far as its shares are not known, and no further than values are there.
func TestASmallTailBoundsAQuantileOnOneSideOnly(t *testing.T) {
	values := make([]float64, 1000)
	for i := range values {
		values[i] = float64(i + 1)
	}
	i := quantileInterval{sorted: values, limit: 1, q: .99, se: .005, df: 1e9}
	low, high := i.bounds(.9)
	require.InDelta(t, math.Log(984), low, 1e-12) // 1000·(.99 − 1.2816·.005) = 983.6
	require.InDelta(t, math.Log(997), high, 1e-12)
	low, high = i.bounds(.99)
	require.InDelta(t, math.Log(979), low, 1e-12)
	require.True(t, math.IsInf(high, 1), "nobody knows what lies above the largest value")
	require.Less(t, i.pAbove(math.Log(983.9)), .1)
	require.Greater(t, i.pAbove(math.Log(984.1)), .1)
	require.Greater(t, i.pBelow(math.Log(996.9)), .1)
	require.Less(t, i.pBelow(math.Log(997.1)), .1)
}
