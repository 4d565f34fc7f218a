package judge

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

func estimated(theta, se float64) Estimate {
	ok := swap.OutcomeCounts{swap.OK: 1000}
	return Estimate{
		Gate:      swap.Gate{Metric: swap.MetricTTFT, Stat: swap.StatP50, Margin: .1, Unit: swap.Relative, Better: swap.LowerIsBetter},
		Values:    swap.PerArm[float64]{Baseline: 100, Candidate: 100 * math.Exp(theta)},
		LogErrors: swap.PerArm[float64]{Baseline: se, Candidate: se}, Effective: swap.PerArm[float64]{Baseline: 1e6, Candidate: 1e6},
		Outcomes: swap.PerArm[swap.OutcomeCounts]{Baseline: ok, Candidate: ok},
	}
}

func decideEstimate(e Estimate, noise float64) swap.GateResult {
	return DecideEstimates([]Estimate{e}, swap.Judge{Level: .95, MinTail: 30}, noise)[0]
}

// TestEstimateBoundsByHand: errors and noise add in quadrature, and the bounds are those of Student's t.
func TestEstimateBoundsByHand(t *testing.T) {
	e := estimated(.02, .03)
	g := decideEstimate(e, .04)
	half := stats.NormalQuantile(.95) * math.Sqrt(2*.03*.03+.04*.04)
	require.InDelta(t, math.Expm1(.02+half), g.High.Or(0), 1e-5)
	require.InDelta(t, math.Expm1(.02-half), g.Low.Or(0), 1e-5)
	require.Equal(t, swap.MethodSummary, g.Method)
	require.Zero(t, g.NeedBlocks)
	e.Effective = swap.PerArm[float64]{Baseline: 5, Candidate: 5}
	g = decideEstimate(e, 0)
	require.InDelta(t, 8, g.DegreesOfFreedom.Or(0), 1e-9, "Welch and Satterthwaite of two arms with 4 each")
	require.Contains(t, g.Reason.Message, "not decided; summaries of 1000 and 1000 requests, no blocks")
}

func TestEstimatesDecideByTheMargin(t *testing.T) {
	for _, c := range []struct {
		theta float64
		shows Shows
		want  swap.Decision
	}{
		{-.1, ShowsBoth, swap.Pass},
		{.3, ShowsBoth, swap.Fail},
		{.09, ShowsBoth, swap.Inconclusive},
		{.3, ShowsPass, swap.Inconclusive},
		{-.1, ShowsPass, swap.Pass},
		{-.1, ShowsFail, swap.Inconclusive},
		{.3, ShowsFail, swap.Fail},
	} {
		e := estimated(c.theta, .02)
		e.Shows = c.shows
		require.Equal(t, c.want, decideEstimate(e, 0).Decision, c)
	}
}

// Holm's correction is over those estimates that can show a fail: one of p = 0.03 fails alone, and beside passes, but not beside another.
func TestEstimatesAreCorrectedForHowManyCanFail(t *testing.T) {
	border := estimated(math.Log1p(.1)-stats.NormalQuantile(.03)*math.Sqrt2*.02, .02)
	fine, ahead := estimated(-.1, .02), estimated(-.1, .02)
	ahead.Shows = ShowsPass
	decide := func(estimates ...Estimate) swap.Decision {
		return DecideEstimates(estimates, swap.Judge{Level: .95, MinTail: 30}, 0)[0].Decision
	}
	require.Equal(t, swap.Fail, decide(border))
	require.Equal(t, swap.Fail, decide(border, ahead, ahead))
	require.Equal(t, swap.Inconclusive, decide(border, fine))
}

func TestEstimatesThatAreRefused(t *testing.T) {
	e := estimated(.3, .02)
	e.Refusal = &swap.Reason{Code: swap.ReasonLowN, Subject: "ttft_p50", Message: "too few"}
	g := decideEstimate(e, 0)
	require.Equal(t, swap.Inconclusive, g.Decision)
	require.InDelta(t, math.Expm1(.3), g.Change.Or(0), 1e-9, "the change is shown all the same")
	require.False(t, g.High.Valid())
	e = estimated(.3, .02)
	e.Values.Baseline = 0
	require.Equal(t, swap.ReasonNoData, decideEstimate(e, 0).Reason.Code)
	e = estimated(.3, .02)
	e.Outcomes.Baseline = swap.OutcomeCounts{swap.OK: 900, swap.HTTP5xx: 100}
	require.Equal(t, swap.ReasonPartialData, decideEstimate(e, 0).Reason.Code)
	e.Gate = swap.Gate{Metric: swap.MetricErrorRate, Stat: swap.StatRate, Margin: .1, Unit: swap.Relative, Better: swap.LowerIsBetter}
	require.Equal(t, swap.ReasonNotDecided, decideEstimate(e, 0).Reason.Code)
}

// Failures are counted as if there were fewer requests by the design effect.
func TestEstimatedErrorRateIsDeflated(t *testing.T) {
	e := estimated(0, 0)
	e.Gate = swap.Gate{Metric: swap.MetricErrorRate, Stat: swap.StatRate, Margin: .01, Unit: swap.Absolute, Better: swap.LowerIsBetter}
	e.Values, e.DesignEffect = swap.PerArm[float64]{}, 10
	g := decideEstimate(e, 0)
	_, _, high := stats.NewcombeDifference(stats.Proportion{Trials: 100}, stats.Proportion{Trials: 100}, stats.NormalQuantile(.95))
	require.InDelta(t, high, g.High.Or(0), 1e-12)
	require.Equal(t, swap.MethodSummary, g.Method)
}

// More error in either arm, or more noise, never narrows the bounds.
func TestEstimateBoundsWiden(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := estimated(rapid.Float64Range(-1, 1).Draw(t, "theta"), rapid.Float64Range(.001, .2).Draw(t, "se"))
		noise := rapid.Float64Range(0, .2).Draw(t, "noise")
		g := decideEstimate(e, noise)
		wider := decideEstimate(e, noise+.1)
		require.Greater(t, wider.High.Or(0), g.High.Or(0))
		require.Less(t, wider.Low.Or(0), g.Low.Or(0))
	})
}

func TestConcludeWithholdsAPass(t *testing.T) {
	good, bad := decideEstimate(estimated(-.1, .01), 0), decideEstimate(estimated(.5, .01), 0)
	held := []swap.Reason{{Code: swap.ReasonNotHeld, Subject: "candidate", Message: "broke down"}}
	require.Equal(t, swap.Pass, Conclude([]swap.GateResult{good}, Shifts{}, nil).Decision)
	require.Equal(t, swap.Inconclusive, Conclude([]swap.GateResult{good}, Shifts{}, held).Decision)
	require.Equal(t, swap.Fail, Conclude([]swap.GateResult{good, bad}, Shifts{}, held).Decision)
}
