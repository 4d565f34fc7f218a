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

func drawScene(t *rapid.T) scene {
	s := usual()
	s.seed, s.steps, s.pairs, s.requests = rapid.Uint64().Draw(t, "seed"), 1, 10, 30
	s.ttft = rapid.Float64Range(.8, 2).Draw(t, "ttft")
	s.tokens = rapid.Float64Range(.8, 1.2).Draw(t, "tokens")
	s.baseFail = rapid.SampledFrom([]float64{0, .01, .3}).Draw(t, "baseFail")
	s.fails = rapid.SampledFrom([]float64{0, .01, .1, .6}).Draw(t, "fails")
	return s
}

// mixedGates are of every kind: relative and absolute, quantiles that failures may reach, sums, rates and a limit.
func mixedGates() []swap.Gate {
	absolute, limit := gate(swap.MetricTTFT, swap.StatP50, 15), gate(swap.MetricTTFT, swap.StatP50, 0)
	absolute.Unit = swap.Absolute
	limit.VS, limit.Limit = swap.AgainstSLO, 150
	absoluteTail := gate(swap.MetricTTFT, swap.StatP90, 30)
	absoluteTail.Unit = swap.Absolute
	return append(usualGates(), gate(swap.MetricTTFT, swap.StatP90, .2), absolute, absoluteTail, limit)
}

func evidenceOf(s scene) Evidence {
	e := s.evidence(mixedGates()...)
	e.Settings.Resamples, e.Settings.MinTail = 99, 5
	return e
}

// Noise between runs makes no verdict more decided, moves no bound inwards, and leaves the limits alone.
func TestNoiseBetweenRunsOnlyTakesDecisionsAway(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := evidenceOf(drawScene(t))
		before := Decide(e)
		e.RunToRun = rapid.Float64Range(1e-6, 1).Draw(t, "noise")
		after := Decide(e)
		requireLessDecided(t, before.Decision, after.Decision)
		for i, a := range after.Gates {
			b := before.Gates[i]
			requireLessDecided(t, b.Decision, a.Decision)
			require.Equal(t, b.Change, a.Change)
			if a.Gate.HasLimit() {
				require.Equal(t, b.Low, a.Low)
				require.Equal(t, b.High, a.High)
				continue
			}
			require.LessOrEqual(t, a.Low.Or(math.Inf(-1)), b.Low.Or(math.Inf(-1)), a.Name)
			require.GreaterOrEqual(t, a.High.Or(math.Inf(1)), b.High.Or(math.Inf(1)), a.Name)
			if b.NeedBlocks > 0 && a.NeedBlocks > 0 && a.Decision == b.Decision {
				require.GreaterOrEqual(t, a.NeedBlocks, b.NeedBlocks)
			}
		}
		require.Len(t, after.Findings, len(before.Findings)+1)
	})
}

func requireLessDecided(t *rapid.T, before, after swap.Decision) {
	if after != before && after != swap.Inconclusive {
		t.Fatalf("%s became %s", before, after)
	}
}

func TestNoNoiseBetweenRunsChangesNothing(t *testing.T) {
	e := evidenceOf(usual())
	p := pairUp(e.Blocks)
	for _, g := range e.Gates {
		want, got := measure(g, p, e.Settings), measure(g, p, e.Settings)
		got.widen(0)
		require.Equal(t, want.interval, got.interval)
		require.Zero(t, got.noise)
	}
	require.Empty(t, runToRunFindings(e))
	for _, noise := range []float64{-.1, math.NaN(), math.Inf(1)} {
		e.RunToRun = noise
		require.Contains(t, Decide(e).Reasons[0].Message, "noise between runs")
	}
}

// The distance of a bound is √((t · se)² + (z · noise)²).
func TestNoiseAddsInQuadrature(t *testing.T) {
	narrow := studentInterval{theta: .2, se: .03, df: 19}
	wide := acrossRuns{interval: narrow, theta: .2, noise: .04}
	low, high := wide.bounds(.95)
	half := math.Hypot(1.729133*.03, 1.644854*.04)
	require.InDeltaSlice(t, []float64{.2 - half, .2 + half}, []float64{low, high}, 1e-6)
	require.InDelta(t, .05, wide.pAbove(low), 1e-9)
	require.InDelta(t, .05, wide.pBelow(high), 1e-9)
	require.Greater(t, wide.pAbove(.3), .5)

	exact := acrossRuns{interval: studentInterval{theta: .2, df: 19}, theta: .2, noise: .04}
	low, _ = exact.bounds(.95)
	require.InDelta(t, .2-.04*stats.NormalQuantile(.95), low, 1e-12)
	require.Equal(t, swap.MethodBootstrap, exact.method())

	infinite := acrossRuns{interval: newPercentileInterval([]float64{1, 2, 3, math.Inf(1)}), theta: math.Inf(1), noise: .5}
	low, high = infinite.bounds(.95)
	require.InDelta(t, 1-.5*stats.NormalQuantile(.95), low, 1e-12)
	require.True(t, math.IsInf(high, 1))
}

// Runs that differ by 3 % leave room within a margin of 5 % to bounds at 95 %, but to nothing that passes often.
func TestNoiseThatTakesTheMarginIsNamed(t *testing.T) {
	m := measured{gate: gate(swap.MetricTTFT, swap.StatP50, .05), noise: math.Log(1.03), se: .001, theta: .01}
	require.Less(t, stats.NormalQuantile(.95)*m.noise, m.gate.MarginUp())
	require.True(t, m.noRoom(.95))
	m.noise = math.Log(1.01)
	require.False(t, m.noRoom(.95))
	m.noise, m.theta = math.Log(1.03), .06
	require.False(t, m.noRoom(.95), "the difference is the cause")
	require.NotContains(t, selfComparison{recorded: true}.sentence(m), "other arm")
}

func TestNoiseOnTheScaleOfAGate(t *testing.T) {
	absolute := gate(swap.MetricTTFT, swap.StatP50, 10)
	absolute.Unit = swap.Absolute
	for _, c := range []struct {
		gate             swap.Gate
		base, cand, want float64
	}{
		{gate(swap.MetricTTFT, swap.StatP50, .1), 100, 120, .05},
		{absolute, 100, 120, 5},
		{absolute, math.Inf(1), 120, 6},
		{gate(swap.MetricErrorRate, swap.StatRate, .01), .01, .02, .05 * .02 * .98},
		{gate(swap.MetricErrorRate, swap.StatRate, .01), .5, .9, .05 * .25},
		{gate(swap.MetricErrorRate, swap.StatRate, .01), 0, 0, 0},
	} {
		m := measured{gate: c.gate, values: swap.PerArm[float64]{Baseline: c.base, Candidate: c.cand}}
		require.InDelta(t, c.want, m.noiseOf(.05), 1e-12, c.gate.Name())
	}
}

// A baseline of another run is off by a factor that no block shows. Bounds that know how large such factors are miss the truth no
// more often than they may, and others far too often.
func TestNoiseBetweenRunsIsCovered(t *testing.T) {
	const runs, noise = 200, .08
	random := rand.New(rand.NewPCG(5, 8))
	s := simulation{pairs: 12, requests: 60, phi: .5}
	missed := map[float64]int{}
	for range runs {
		base, cand := s.arms(random)
		base = scaled(base, math.Exp(noise*random.NormFloat64()))
		for _, known := range []float64{0, noise} {
			m := compareQuantiles(s.pairs, base, cand, gate(swap.MetricTTFT, swap.StatP50, .1), 99, 1)
			m.widen(known)
			if low, high := m.interval.bounds(.95); low > 0 || high < 0 {
				missed[known]++
			}
		}
	}
	t.Logf("of %d runs, bounds missed %d without and %d with the noise known", runs, missed[0], missed[noise])
	require.Greater(t, missed[0], runs*2/10)
	require.LessOrEqual(t, missed[noise], runs*12/100)
}
