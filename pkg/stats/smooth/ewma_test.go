package smooth

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var series = []float64{10, 12, 11, 13, 50, 12, 11}

// The expected values are those of pandas.
func TestEWMA(t *testing.T) {
	got, err := EWMA(series, .2)
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{10, 11.111111, 11.065574, 11.720867, 23.108044, 20.097146, 17.794901}, got, 1e-6)
	got, err = EWMA(series, 1)
	require.NoError(t, err)
	require.Equal(t, series, got)
	got, err = EWMA(nil, .5)
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestRollingQuantile(t *testing.T) {
	got, err := RollingQuantile(series, 3, .95)
	require.NoError(t, err)
	require.True(t, math.IsNaN(got[0]) && math.IsNaN(got[1]))
	require.InDeltaSlice(t, []float64{11.9, 12.9, 46.3, 46.3, 46.2}, got[2:], 1e-9)
	got, err = RollingQuantile(series, 8, .5)
	require.NoError(t, err)
	for _, v := range got {
		require.True(t, math.IsNaN(v), "the window is never full")
	}
}

func TestHybrid(t *testing.T) {
	o := ClassicHybrid()
	o.Window = 3
	got, err := Hybrid(series, o)
	require.NoError(t, err)
	require.True(t, math.IsNaN(got[0]) && math.IsNaN(got[1]))
	require.InDeltaSlice(t, []float64{11.399344, 12.19252, 32.384826, 30.578288, 29.156941}, got[2:], 1e-6)
}

func TestRefuses(t *testing.T) {
	good := ClassicHybrid()
	tests := []struct {
		values []float64
		change func(*HybridOptions)
		says   string
	}{
		{series, func(o *HybridOptions) { o.Decay = 0 }, "the decay is 0"},
		{series, func(o *HybridOptions) { o.Decay = math.NaN() }, "the decay is NaN"},
		{series, func(o *HybridOptions) { o.Window = 0 }, "the window is 0"},
		{series, func(o *HybridOptions) { o.P = 1.1 }, "the quantile is 1.1"},
		{series, func(o *HybridOptions) { o.Share = -1 }, "the share of the average is -1"},
		{[]float64{1, math.NaN()}, func(*HybridOptions) {}, "value 1 of the series is NaN"},
	}
	for _, tt := range tests {
		o := good
		tt.change(&o)
		_, err := Hybrid(tt.values, o)
		require.ErrorContains(t, err, tt.says)
	}
	_, err := RollingQuantile([]float64{math.Inf(1)}, 1, .5)
	require.ErrorContains(t, err, "value 0 of the series is +Inf")
}

func TestPropertiesOfEWMA(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1, 40).Draw(t, "values")
		decay := rapid.Float64Range(.01, 1).Draw(t, "decay")
		got, err := EWMA(values, decay)
		require.NoError(t, err)
		sum, weights := 0., 0.
		for k := range values {
			w := math.Pow(1-decay, float64(k))
			sum, weights = sum+w*values[len(values)-1-k], weights+w
		}
		require.InDelta(t, sum/weights, got[len(got)-1], 1e-6, "it is the weighted mean")
	})
}

// It is no threshold: a steady normal series exceeds it about every fourth time.
func TestHybridHasNoCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, 20000)
	for i := range values {
		values[i] = 100 + random.NormFloat64()
	}
	got, err := Hybrid(values, ClassicHybrid())
	require.NoError(t, err)
	above := 0
	for i, v := range values {
		if v > got[i] {
			above++
		}
	}
	t.Logf("%.1f %% are above", 100*float64(above)/float64(len(values)))
	require.InDelta(t, .25, float64(above)/float64(len(values)), .06)
}
