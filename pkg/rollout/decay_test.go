package rollout

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/rollout/readout"
	"github.com/swapgate/swapgate/pkg/swap"
)

// told is a window and what is known by its end.
type told struct {
	swap.Window
	feedback []swap.WindowFeedback
}

// converted is a calm window at 50 % by whose end 30 % of the baseline's requests, and so many of the candidate's, have converted.
func converted(cand float64, failed int) told {
	w := calm(50)
	w.Arms.Candidate = arm(150-failed, failed, 110)
	return told{w, []swap.WindowFeedback{conversion(cand)}}
}

func conversion(cand float64) swap.WindowFeedback {
	return swap.WindowFeedback{Conversion: swap.PerArm[swap.Tally]{
		Baseline: swap.Tally{N: 1000, Mean: swap.Of(.3)}, Candidate: swap.Tally{N: 1000, Mean: swap.Of(cand)},
	}}
}

func classicPlan(unit string) Plan {
	p := plan()
	p.MaxExtensions, p.WindowsPerWeight = 100, 100
	p.Decay = swap.Decay{Rule: swap.DecayAlpha, DeltaUnit: unit, DropSemantics: "cumulative3", ErrorRiseUnit: "relative_percent"}
	return p
}

// follow plays windows and returns the last of them.
func follow(t *testing.T, p Plan, windows ...told) swap.Window {
	t.Helper()
	state := State{Index: 2}
	var last swap.Window
	for _, w := range windows {
		last, state = Next(p, state, w.Window, Evidence{Feedback: w.feedback})
		state = overJSON(t, state)
	}
	return last
}

// A loss of 1.8 points of conversion is −0.018, −1.8, −6 % and −180; α moves by as much as the unit says.
func TestClassicAlphaMovesByItsUnit(t *testing.T) {
	for unit, delta := range map[string]float64{"fraction": -.018, "percentage_point": -1.8, "relative_percent": -6, "basis_point": -180} {
		w := follow(t, classicPlan(unit), converted(.282, 0))
		want := math.Max(.5*(1+.02*(delta-.01)), .1)
		require.InDelta(t, want, w.Decay.Coefficient, 1e-9, unit)
		require.Equal(t, "it compares 3 windows with the one before, and there are 1 in all", w.Decay.Note)
	}
}

// Eight points in each of three windows, and errors that rise: points roll back, and fractions cannot.
func TestClassicAlphaRollsBackInTheUnitsThatCan(t *testing.T) {
	windows := []told{converted(.3, 2), converted(.22, 2), converted(.22, 2), converted(.22, 3)}
	for unit, fires := range map[string]bool{"fraction": false, "percentage_point": true, "relative_percent": true, "basis_point": true} {
		w := follow(t, classicPlan(unit), windows...)
		require.Equal(t, fires, w.Decay.Alarm, unit)
		if !fires {
			require.Equal(t, swap.ActionHold, w.Decision.Action)
			require.Less(t, w.Decay.Value.Or(1), .06)
			continue
		}
		require.Equal(t, swap.ActionRollback, w.Decision.Action)
		require.Equal(t, swap.ReasonDecay, w.Decision.Reason[0].Code)
		require.Greater(t, w.Decay.Value.Or(0), .4)
	}
	steady := follow(t, classicPlan("percentage_point"), append(windows[:3:3], converted(.22, 2))...)
	require.False(t, steady.Decay.Alarm, "errors did not rise")
}

// What is remembered does not grow, and says the same as all windows would.
func TestClassicAlphaRemembersFourWindows(t *testing.T) {
	p := classicPlan("percentage_point")
	random := rand.New(rand.NewPCG(1, 2))
	var d Decay
	alpha := .5
	for range 200 {
		cand := .2 + .2*random.Float64()
		var r *swap.DecayReading
		d, r = d.observe(p.Decay, calm(50), swap.WindowStats{}, []swap.WindowFeedback{conversion(cand)})
		alpha = Classic(p.Decay).Next(alpha, 100*(cand-.3))
		require.InDelta(t, alpha, r.Coefficient, 1e-9)
		require.LessOrEqual(t, len(d.Last), alphaKept)
	}
}

func TestAWindowWithoutConversionSaysNothing(t *testing.T) {
	w := follow(t, classicPlan("basis_point"), converted(.1, 0), told{Window: calm(50)})
	require.Equal(t, "no conversion of both arms is known by now", w.Decay.Note)
	require.False(t, w.Decay.Value.Valid())
}

func ratio(r float64) told {
	w := calm(50)
	w.Arms.Candidate = arm(150, 0, 100*r)
	return told{Window: w}
}

func TestConformalAlarmsAreShownAndDecideNothing(t *testing.T) {
	p := plan()
	p.WindowsPerWeight, p.Decay = 100, swap.Decay{Rule: swap.DecayACI}
	var windows []told
	for i := range 19 {
		windows = append(windows, ratio(1+.002*float64(i)))
	}
	w := follow(t, p, windows...)
	require.Equal(t, "18 of 19 windows to compare with", w.Decay.Note)
	w = follow(t, p, append(windows, ratio(1.01))...)
	require.False(t, w.Decay.Alarm)
	require.InDelta(t, 1.036, w.Decay.Threshold.Or(0), 1e-3)
	w = follow(t, p, append(windows, ratio(1.5))...)
	require.True(t, w.Decay.Alarm)
	require.InDelta(t, 1.5, w.Decay.Value.Or(0), 1e-9)
	require.Less(t, w.Decay.Coefficient, .05, "an alarm makes it stricter about alarms")
	require.Equal(t, swap.ActionHold, w.Decision.Action)
	require.Contains(t, readout.Line(w), "ALARM: TTFT P95 over the baseline's 1.5, above 1.04")
}

// The share of alarms comes to the target for any series at all.
func TestConformalAlarmsKeepTheirBound(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var d Decay
	alarms := 0
	const windows = 1440
	for i := range windows {
		level := 1 + .2*math.Sin(float64(i)/40) + .05*random.NormFloat64()
		var r *swap.DecayReading
		d, r = d.observe(swap.Decay{Rule: swap.DecayACI}, ratio(level).Window, arm(150, 0, 100), nil)
		if r.Alarm {
			alarms++
		}
	}
	require.InDelta(t, .01, float64(alarms)/windows, aciConfig().Bound(aciStart, windows))
	text, err := json.Marshal(d)
	require.NoError(t, err)
	require.Less(t, len(text), 1000)
}
