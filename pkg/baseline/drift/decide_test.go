package drift

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

var usual = Limits{Notify: .03, Fail: .05, Block: .08}

func TestDecideByBounds(t *testing.T) {
	for _, c := range []struct {
		name             string
		theta, low, high float64
		want             swap.DriftResponse
	}{
		{"unchanged and known well", 0, -.02, .02, swap.DriftSilent},
		{"better", -.2, -.25, -.15, swap.DriftSilent},
		{"unchanged and known badly", 0, -.05, .05, swap.DriftInconclusive},
		{"slightly worse, not certain", .04, .02, .06, swap.DriftInconclusive},
		{"at the limit from below", .02, .01, .03, swap.DriftInconclusive},
		{"surely more than notify", .04, .031, .05, swap.DriftNotify},
		{"at the limit of notify", .035, .03, .04, swap.DriftInconclusive},
		{"may be a block, and looks worse", .05, .01, .09, swap.DriftNotify},
		{"may be a block, and does not look worse", .02, -.05, .09, swap.DriftInconclusive},
		{"surely more than fail", .065, .051, .079, swap.DriftFail},
		{"at the limit of fail", .06, .05, .07, swap.DriftNotify},
		{"surely more than block", .12, .081, .16, swap.DriftBlock},
		{"at the limit of block", .1, .08, .12, swap.DriftFail},
		{"exact", .08, .08, .08, swap.DriftFail},
		{"exactly nothing", 0, 0, 0, swap.DriftSilent},
		{"not known", math.NaN(), math.NaN(), math.NaN(), swap.DriftInconclusive},
		{"without bounds", 0, math.Inf(-1), math.Inf(1), swap.DriftInconclusive},
		{"worse without bounds", .04, math.Inf(-1), math.Inf(1), swap.DriftNotify},
	} {
		require.Equal(t, c.want, usual.Decide(Estimate{c.theta, c.low, c.high}), c.name)
	}
}

func TestPointActsOnTheEstimateAlone(t *testing.T) {
	for theta, want := range map[float64]swap.DriftResponse{
		-.5: swap.DriftSilent, .0299: swap.DriftSilent, .03: swap.DriftNotify, .05: swap.DriftNotify, .051: swap.DriftFail,
		.08: swap.DriftFail, .081: swap.DriftBlock,
	} {
		require.Equal(t, want, usual.Point(theta), "%v", theta)
	}
	require.Equal(t, swap.DriftInconclusive, usual.Point(math.NaN()))
}

func TestLimitsOfAnAbsoluteMarginHaveTheSameProportions(t *testing.T) {
	w := swap.Watch{Notify: .03, Fail: .05, Block: .08}
	require.Equal(t, usual, LimitsFor(swap.Gate{Margin: .1, Unit: swap.Relative}, w))
	got := LimitsFor(swap.Gate{Metric: swap.MetricErrorRate, Margin: .005, Unit: swap.Absolute}, w)
	require.InDelta(t, .003, got.Notify, 1e-12)
	require.InDelta(t, .005, got.Fail, 1e-12)
	require.InDelta(t, .008, got.Block, 1e-12)
}

func TestWorst(t *testing.T) {
	require.Equal(t, swap.DriftInconclusive, Worst())
	require.Equal(t, swap.DriftSilent, Worst(swap.DriftSilent, swap.DriftSilent))
	require.Equal(t, swap.DriftInconclusive, Worst(swap.DriftSilent, swap.DriftInconclusive))
	require.Equal(t, swap.DriftNotify, Worst(swap.DriftNotify, swap.DriftInconclusive))
	require.Equal(t, swap.DriftBlock, Worst(swap.DriftFail, swap.DriftBlock, swap.DriftSilent))
}

func TestNeedBlocks(t *testing.T) {
	// Half a standard error from 2.4865 of them away, with 20 blocks: (2.4865/1.5)² = 2.75 times as many.
	need := usual.NeedBlocks(0, .02*math.Sqrt(20), 0, .95)
	require.Equal(t, 55, need)
	require.Zero(t, usual.NeedBlocks(.03, .02, 0, .95), "at the limit nothing is enough")
	require.Zero(t, usual.NeedBlocks(0, .02, .013, .95), "the baseline itself is not known well enough")
	require.Greater(t, usual.NeedBlocks(0, .09, .01, .95), need)
	require.Zero(t, usual.NeedBlocks(math.NaN(), .02, 0, .95))
	require.Equal(t, 1, usual.NeedBlocks(0, 0, 0, .95))
}

func drawLimits(t *rapid.T) Limits {
	notify := rapid.Float64Range(1e-4, .5).Draw(t, "notify")
	fail := notify * rapid.Float64Range(1, 4).Draw(t, "fail")
	return Limits{Notify: notify, Fail: fail, Block: fail * rapid.Float64Range(1, 4).Draw(t, "block")}
}

func drawEstimate(t *rapid.T) Estimate {
	theta := rapid.Float64Range(-1, 1).Draw(t, "theta")
	return Estimate{
		Theta: theta, Low: theta - rapid.Float64Range(0, .5).Draw(t, "below"), High: theta + rapid.Float64Range(0, .5).Draw(t, "above"),
	}
}

func TestResponseNeverFallsAsTheEstimateRises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, e, by := drawLimits(t), drawEstimate(t), rapid.Float64Range(0, 1).Draw(t, "by")
		worse := Estimate{e.Theta + by, e.Low + by, e.High + by}
		require.GreaterOrEqual(t, l.Decide(worse).Severity(), l.Decide(e).Severity())
		require.GreaterOrEqual(t, l.Point(e.Theta+by).Severity(), l.Point(e.Theta).Severity())
	})
}

func TestEveryBlockWouldBeNotifiedToo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, e := drawLimits(t), drawEstimate(t)
		if l.Decide(e).Severity() < swap.DriftFail.Severity() {
			return
		}
		require.Greater(t, e.Low, l.Notify)
		require.NotEqual(t, swap.DriftSilent, l.Point(e.Theta))
		require.GreaterOrEqual(t, Limits{Notify: l.Notify, Fail: 2, Block: 2}.Decide(e).Severity(), swap.DriftNotify.Severity())
	})
}

func TestResponseHasNoScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, e := drawLimits(t), drawEstimate(t)
		k := math.Ldexp(1, rapid.IntRange(-20, 20).Draw(t, "power")) // exact in floating point
		scaled := Limits{l.Notify * k, l.Fail * k, l.Block * k}
		require.Equal(t, l.Decide(e), scaled.Decide(Estimate{e.Theta * k, e.Low * k, e.High * k}))
		require.Equal(t, l.Point(e.Theta), scaled.Point(e.Theta*k))
	})
}

func TestNarrowerBoundsNeverMakeADecisionUncertain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, e := drawLimits(t), drawEstimate(t)
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		narrow := Estimate{e.Theta, e.Theta - share*(e.Theta-e.Low), e.Theta + share*(e.High-e.Theta)}
		if l.Decide(e) == swap.DriftSilent {
			require.Equal(t, swap.DriftSilent, l.Decide(narrow))
		}
		if e.Low > l.Notify {
			require.GreaterOrEqual(t, l.Decide(narrow).Severity(), l.Decide(e).Severity())
		}
	})
}
