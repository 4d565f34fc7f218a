package root

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestFindsZeros(t *testing.T) {
	for name, c := range map[string]struct {
		f         func(float64) float64
		low, high float64
		want, off float64
	}{
		"cosine":        {math.Cos, 0, 3, math.Pi / 2, 1e-12},
		"descending":    {func(x float64) float64 { return 2 - x*x }, 0, 10, math.Sqrt2, 1e-12},
		"at an end":     {func(x float64) float64 { return x }, 0, 1, 0, 1e-12},
		"at the other":  {func(x float64) float64 { return x - 1 }, 0, 1, 1, 1e-12},
		"a step":        {func(x float64) float64 { return math.Copysign(1, x-.3) }, 0, 1, .3, 1e-12},
		"flat":          {func(x float64) float64 { return math.Pow(x-.7, 9) }, 0, 1, .7, .01},
		"infinite ends": {func(x float64) float64 { return math.Log(x) - math.Log(1-x) }, 0, 1, .5, 1e-12},
	} {
		t.Run(name, func(t *testing.T) {
			x, ok := Find(c.f, c.low, c.high)
			require.True(t, ok)
			require.InDelta(t, c.want, x, c.off)
		})
	}
}

func TestRefusesWithoutASignChange(t *testing.T) {
	for _, f := range []func(float64) float64{
		func(x float64) float64 { return 1 + x*x },
		func(float64) float64 { return math.NaN() },
		func(float64) float64 { return math.Inf(1) },
	} {
		_, ok := Find(f, -1, 1)
		require.False(t, ok)
	}
}

func TestFindsTheZeroOfAnyCubicItBrackets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zero := rapid.Float64Range(-10, 10).Draw(t, "zero")
		slope := rapid.Float64Range(.01, 100).Draw(t, "slope")
		f := func(x float64) float64 { d := x - zero; return slope * d * (1 + d*d) }
		x, ok := Find(f, -11, 11)
		if !ok || math.Abs(x-zero) > 1e-12 {
			t.Fatalf("found %v, want %v", x, zero)
		}
	})
}
