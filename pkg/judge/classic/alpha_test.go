package classic

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func in(unit DeltaUnit) AlphaDecay {
	return AlphaDecay{DeltaUnit: unit, DropSemantics: DropCumulative, ErrorRiseUnit: RelativePercent}
}

func each(unit DeltaUnit) AlphaDecay {
	a := in(unit)
	a.DropSemantics = DropEach
	return a
}

// day is 24 hours of one minute each, with a conversion of 30 %.
func day(requests float64) AlphaPlan {
	return AlphaPlan{Requests: requests, Conversion: .3, Windows: 1440}
}

func TestAlphaNeedsSevenPointEight(t *testing.T) {
	require.InDelta(t, -7.8183667, in(Fraction).Needed(), 1e-6)
	require.InDelta(t, -19.99, each(Fraction).Needed(), 1e-9)
	require.InDelta(t, -.078183667, in(BasisPoint).Needed()/100, 1e-6, "in points, of a rule in basis points")
}

func TestAlphaInFractionsNeverFalls(t *testing.T) {
	one, three := in(Fraction).MostFall()
	require.InDelta(t, .0202, one, 1e-9)
	require.InDelta(t, .059, three, .0005)
	require.InDelta(t, 108, math.Ceil(in(Fraction).WindowsTo(.9, .1, -1)), 0)
	for _, a := range []AlphaDecay{in(Fraction), each(Fraction)} {
		reach := a.Reach(day(600))
		require.Contains(t, reach.Never, "δ as fraction lets α fall by at most ")
		require.True(t, math.IsNaN(reach.ByChance))
	}
	require.Zero(t, in(Fraction).byChance(day(60)))
	require.Contains(t, in(Fraction).Reach(day(600)).Never, "at most 5.94 % over three windows, and the rollback asks for more than 40 %")
	for _, unit := range []DeltaUnit{PercentagePoint, RelativePercent, BasisPoint} {
		require.Empty(t, in(unit).Reach(day(600)).Never)
		require.Empty(t, each(unit).Reach(day(600)).Never)
		_, three = in(unit).MostFall()
		require.InDelta(t, 8./9, three, 1e-9, "from the ceiling to the floor")
	}
}

func TestAlphaMovesByTheStatedDeltas(t *testing.T) {
	a := AlphaDecay{}
	require.InDelta(t, .00016, a.Next(.5, .018)/.5-1, 1e-9)
	require.InDelta(t, .00028, a.Next(.5, .024)/.5-1, 1e-9)
	require.InDelta(t, .0358, a.Next(.5, 1.8)/.5-1, 1e-9)
	require.InDelta(t, .0478, a.Next(.5, 2.4)/.5-1, 1e-9)
}

func TestAlphaIsNotCentred(t *testing.T) {
	a := AlphaDecay{}
	require.InDelta(t, 2e-4, 1-a.Next(.5, 0)/.5, 1e-9)
	require.InDelta(t, 3465, a.WindowsTo(1, .5, 0), .5, "half-life")
	require.InDelta(t, 5.6, a.WindowsTo(.5, .1, 0)/1440, .05, "days of windows of a minute")
	require.True(t, math.IsInf(a.WindowsTo(.5, .1, .01), 1))
	require.InDelta(t, 1, a.WindowsTo(.5, .1, -100), 0)
}

func TestAlphaIsDisarmedAtItsFloor(t *testing.T) {
	require.InDelta(t, .1667, in(PercentagePoint).Disarmed(), .0001)
	require.InDelta(t, .463, each(PercentagePoint).Disarmed(), .0001)
	worst := []AlphaWindow{{-100, .1}, {-100, .2}, {-100, .3}, {-100, .4}}
	a := in(PercentagePoint)
	a.Start = .16
	require.False(t, a.Read(worst).Fires)
	a.Start = .9
	require.False(t, a.Read(worst).Fires, "the first window is before the three, and there it is at the floor already")
	require.True(t, a.Read(append([]AlphaWindow{{1, .1}}, worst[:3]...)).Fires)
}

func TestAlphaByChance(t *testing.T) {
	for _, c := range []struct {
		unit     DeltaUnit
		requests float64
		want     float64
	}{
		{PercentagePoint, 60, 1},
		{PercentagePoint, 600, 0},
		{RelativePercent, 60, 1},
		{RelativePercent, 600, 1},
		{RelativePercent, 6000, 0},
		{BasisPoint, 60, 1},
		{BasisPoint, 6000, 1},
	} {
		reach := in(c.unit).Reach(day(c.requests))
		require.InDelta(t, c.want, reach.ByChance, .011, "%s with %.0f requests", c.unit, c.requests)
		require.Equal(t, c.want > 0, reach.Noise != "")
	}
	require.Contains(t, in(PercentagePoint).Reach(day(60)).Noise, "with 60 requests a window and a conversion of 30 %, noise alone makes α "+
		"fall by more than 40 % within 1440 windows of 100 % of rollouts")
	require.True(t, math.IsNaN(in(PercentagePoint).Reach(AlphaPlan{}).ByChance))
	require.InDelta(t, .35, AlphaDecay{}.RiseByChance(3), .005)
}

func TestAlphaTrigger(t *testing.T) {
	a := in(PercentagePoint)
	windows := []AlphaWindow{{0, .01}, {-9, .01}, {-9, .01}, {-9, .0116}}
	r := a.Read(windows)
	require.True(t, r.Fires)
	require.InDelta(t, 1-.8198*.8198*.8198, r.Value, 1e-9)
	require.InDelta(t, .16, r.Rise, 1e-9)
	require.InDelta(t, a.Next(a.Next(a.Next(a.Next(.5, 0), -9), -9), -9), r.Alpha, 1e-12)

	points := a
	points.ErrorRiseUnit = PercentagePoint
	require.False(t, points.Read(windows).Fires, "0.16 points are not 15")
	every := a
	every.DropSemantics = DropEach
	require.False(t, every.Read(windows).Fires, "18 % in each window")
	every.Start = .9
	deep := []AlphaWindow{{0, .01}, {-21, .01}, {-21, .01}, {-21, .02}}
	require.True(t, every.Read(deep).Fires)

	windows[3].ErrorRate = .0114
	require.False(t, a.Read(windows).Fires, "errors did not rise enough")
	windows[0].ErrorRate = 0
	require.True(t, a.Read(windows).Fires, "errors from nothing")
	windows[3].ErrorRate = 0
	require.False(t, a.Read(windows).Fires)
	require.NotEmpty(t, a.Read(windows[1:]).Refusal)
	windows[2].Delta = math.NaN()
	require.Equal(t, "window 3 has no conversion or error rate", a.Read(windows).Refusal)
}

func TestAlphaStaysBetweenFloorAndCeiling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		alpha := rapid.Float64Range(.1, .9).Draw(t, "alpha")
		next := AlphaDecay{}.Next(alpha, rapid.Float64().Draw(t, "delta"))
		require.True(t, next >= .1 && next <= .9, next)
	})
}

func TestDeltaUnits(t *testing.T) {
	for unit, want := range map[DeltaUnit]float64{Fraction: -.03, PercentagePoint: -3, RelativePercent: -10, BasisPoint: -300} {
		require.InDelta(t, want, unit.Delta(.3, .27), 1e-9, unit)
	}
	require.True(t, math.IsNaN(DeltaUnit("percent").Delta(.3, .27)))
}

func TestAlphaCheck(t *testing.T) {
	fields := func(faults []Fault) []string {
		var names []string
		for _, f := range faults {
			require.NotEmpty(t, f.Message)
			names = append(names, f.Field)
		}
		return names
	}
	require.Equal(t, []string{"delta_unit", "drop_semantics", "error_rise_unit"}, fields(AlphaDecay{}.Check(day(60))))
	a := in(PercentagePoint)
	require.Empty(t, a.Check(day(60)), "noise is a warning and no fault")
	a.Start = .95
	require.Equal(t, []string{"start"}, fields(a.Check(day(60))))
	a = in(Fraction)
	require.Equal(t, []string{"delta_unit"}, fields(a.Check(day(60))))
	require.Contains(t, a.Check(day(60))[0].Message, "allow_unreachable: true")
	a.AllowUnreachable = true
	require.Empty(t, a.Check(day(60)))
}
