package chart_test

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/report/chart"
	"github.com/swapgate/swapgate/pkg/swap"
)

var (
	size  = chart.Size{Width: 360, Height: 220}
	start = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
)

// requireDrawable fails on any coordinate that is not a number or lies outside the drawing.
func requireDrawable(t require.TestingT, c chart.Chart) {
	for _, p := range c.Paths {
		require.NotContains(t, p.D, "NaN")
		require.NotContains(t, p.D, "Inf")
		require.NotContains(t, p.D, "e")
		for _, field := range strings.FieldsFunc(p.D, func(r rune) bool { return strings.ContainsRune("MLHV ", r) }) {
			if v, err := strconv.ParseFloat(field, 64); err == nil {
				require.LessOrEqual(t, v, c.Width+c.Height)
			}
		}
	}
	for _, l := range c.Labels {
		require.False(t, math.IsNaN(l.X) || math.IsNaN(l.Y))
		require.True(t, l.X >= 0 && l.X <= c.Width, "label %q at x %v", l.Text, l.X)
	}
}

func find(c chart.Chart, class string) string {
	for _, p := range c.Paths {
		if p.Class == class {
			return p.D
		}
	}
	return ""
}

func TestECDFStepsUpToTheShareThatAnswered(t *testing.T) {
	c := chart.ECDF("t", "d", size, swap.PerArm[chart.Sample]{
		Baseline:  chart.Sample{Sorted: []float64{10, 100, 1000}},
		Candidate: chart.Sample{Sorted: []float64{10, 1000}, Failed: 2},
	})
	requireDrawable(t, c)
	require.False(t, c.Empty())
	require.True(t, strings.HasSuffix(find(c, "arm-baseline line"), "H348V14"), "all answered: the curve reaches the top")
	require.True(t, strings.HasSuffix(find(c, "arm-candidate line"), "H348V105"), "half failed: the curve ends half-way")
	require.Len(t, strings.Split(find(c, "arm-candidate dot"), "z"), 2, "only the median of the candidate is known")
}

func TestEmptyChartsHaveAxesButNoMarks(t *testing.T) {
	line := chart.Timeline{}
	for name, c := range map[string]chart.Chart{
		"ecdf":    chart.ECDF("t", "d", size, swap.PerArm[chart.Sample]{}),
		"levels":  chart.Levels("t", "d", size, nil, swap.PerArm[[]swap.Value]{}),
		"dots":    line.Dots("t", "d", size, nil),
		"lines":   line.Lines("t", "d", size, []chart.Series{{Points: []chart.Point{{At: start, Value: math.NaN()}}}}),
		"weights": line.Weights("t", "d", size, nil, 0),
	} {
		t.Run(name, func(t *testing.T) {
			requireDrawable(t, c)
			require.True(t, c.Empty())
			require.NotEmpty(t, c.Labels)
		})
	}
}

func TestOnePointIsDrawn(t *testing.T) {
	line := chart.Timeline{From: start, To: start}
	for name, c := range map[string]chart.Chart{
		"ecdf":   chart.ECDF("t", "d", size, swap.PerArm[chart.Sample]{Baseline: chart.Sample{Sorted: []float64{7}}}),
		"levels": chart.Levels("t", "d", size, []string{"1"}, swap.PerArm[[]swap.Value]{Baseline: []swap.Value{swap.Of(7)}}),
		"dots":   line.Dots("t", "d", size, []chart.Series{{Arm: swap.Candidate, Points: []chart.Point{{At: start, Value: 7}}}}),
	} {
		t.Run(name, func(t *testing.T) {
			requireDrawable(t, c)
			require.False(t, c.Empty())
		})
	}
}

func TestLevelsLeaveAGapForAnAbsentValue(t *testing.T) {
	c := chart.Levels("t", "d", size, []string{"1", "2", "3", "4"}, swap.PerArm[[]swap.Value]{
		Baseline: []swap.Value{swap.Of(1), swap.Absent(), swap.Of(3), swap.Of(4)},
	})
	d := find(c, "arm-baseline line")
	require.Equal(t, 2, strings.Count(d, "M"))
	require.Equal(t, 1, strings.Count(d, "L"))
}

func TestManyStepLabelsAreThinned(t *testing.T) {
	steps := make([]string, 40)
	values := make([]swap.Value, 40)
	for i := range steps {
		steps[i], values[i] = "c="+strconv.Itoa(i), swap.Of(float64(i))
	}
	c := chart.Levels("t", "d", size, steps, swap.PerArm[[]swap.Value]{Baseline: values})
	require.Less(t, len(c.Labels), 16)
}

func TestBandsAreNamedWhereTheNameFits(t *testing.T) {
	line := chart.Timeline{From: start, To: start.Add(time.Hour), Bands: []chart.Band{
		{Label: "wide", From: start, To: start.Add(50 * time.Minute)},
		{Label: "narrow but long", From: start.Add(50 * time.Minute), To: start.Add(51 * time.Minute)},
		{Label: "concurrency 16", Short: "16", From: start.Add(51 * time.Minute), To: start.Add(55 * time.Minute)},
		{Label: "outside", From: start.Add(2 * time.Hour), To: start.Add(3 * time.Hour)},
	}}
	c := line.Dots("t", "d", size, nil)
	var names []string
	for _, l := range c.Labels {
		if strings.HasPrefix(l.Class, "band-name") {
			names = append(names, l.Text)
		}
	}
	require.Equal(t, []string{"wide", "16"}, names)
	require.NotEmpty(t, find(c, "band alternate"))
}

func TestLinesKeepThePeakOfAPixel(t *testing.T) {
	var points []chart.Point
	for i := range 10000 {
		v := 1.0
		if i == 5000 {
			v = 100
		}
		points = append(points, chart.Point{At: start.Add(time.Duration(i) * time.Second), Value: v})
	}
	line := chart.Timeline{From: start, To: start.Add(10000 * time.Second)}
	d := find(line.Lines("t", "d", size, []chart.Series{{Arm: swap.Baseline, Points: points}}), "arm-baseline line thin")
	require.Less(t, len(d), 10000)
	require.Contains(t, d, " 14L", "the one peak reaches the top")
}

func TestWeightsEndAtTheFinalSplit(t *testing.T) {
	line := chart.Timeline{From: start, To: start.Add(time.Hour)}
	c := line.Weights("t", "d", size, []chart.WeightPoint{
		{From: start, To: start.Add(20 * time.Minute), Asked: 5, Realised: swap.Of(5.2)},
		{From: start.Add(20 * time.Minute), To: start.Add(40 * time.Minute), Asked: 50},
	}, 0)
	requireDrawable(t, c)
	require.Equal(t, "M48 186.9H148V105H248V196H348", find(c, "arm-shared line"))
	require.Equal(t, 1, strings.Count(find(c, "arm-candidate dot"), "z"), "a share that is unknown is not drawn")
}

func TestForestPutsTheMarginInOnePlace(t *testing.T) {
	inside := chart.Interval{Change: swap.Of(.3), Low: swap.Of(.1), High: swap.Of(.5), Decision: swap.Pass}
	far := chart.Interval{Change: swap.Of(9), Low: swap.Of(3), High: swap.Of(12), TwoSided: true, Decision: swap.Fail}
	reach := chart.Reach([]chart.Interval{inside, far})
	require.InDelta(t, 4, reach, 0)
	a := chart.Forest("t", "d", chart.Size{Width: 160, Height: 24}, reach, inside)
	b := chart.Forest("t", "d", chart.Size{Width: 160, Height: 24}, reach, far)
	requireDrawable(t, a)
	requireDrawable(t, b)
	require.Equal(t, find(a, "margin"), find(b, "margin"))
	require.NotEmpty(t, find(a, "interval pass dot"))
	require.Empty(t, find(b, "interval fail dot"), "a change beyond the reach is an arrow, not a dot")
	require.InDelta(t, 1.6, chart.Reach(nil), 0)

	nothing := chart.Forest("t", "d", chart.Size{Width: 160, Height: 24}, reach, chart.Interval{Decision: swap.Inconclusive})
	requireDrawable(t, nothing)
	require.Empty(t, find(nothing, "interval inconclusive line"))
}

func TestNoInputGivesACoordinateThatIsNotANumber(t *testing.T) {
	value := rapid.OneOf(rapid.Float64Range(-1e6, 1e6), rapid.SampledFrom([]float64{0, math.NaN(), math.Inf(1), math.Inf(-1)}))
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOfN(value, 0, 30).Draw(t, "values")
		var values []swap.Value
		var points []chart.Point
		for i, v := range raw {
			values = append(values, swap.Of(v))
			points = append(points, chart.Point{At: start.Add(time.Duration(i) * time.Second), Value: v})
		}
		sample := chart.Sample{Sorted: chart.Finite(raw), Failed: rapid.IntRange(0, 3).Draw(t, "failed")}
		series := []chart.Series{{Arm: swap.Baseline, Points: points}}
		line := chart.Timeline{From: start, To: start.Add(time.Duration(len(raw)) * time.Second)}
		requireDrawable(t, chart.ECDF("t", "d", size, swap.PerArm[chart.Sample]{Baseline: sample}))
		requireDrawable(t, chart.Levels("t", "d", size, make([]string, len(raw)), swap.PerArm[[]swap.Value]{Candidate: values}))
		requireDrawable(t, line.Dots("t", "d", size, series))
		requireDrawable(t, line.Lines("t", "d", size, series))
	})
}
