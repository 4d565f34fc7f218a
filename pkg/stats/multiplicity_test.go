package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestBenjaminiHochbergMatchesReference(t *testing.T) {
	got := BenjaminiHochberg([]float64{.001, .008, .039, .041, .042, .06, .074, .205})
	require.InDeltaSlice(t, []float64{.008, .032, .0672, .0672, .0672, .08, .592 / 7, .205}, got, 1e-12)
	require.InDeltaSlice(t, []float64{.04, .03, .04}, BenjaminiHochberg([]float64{.04, .01, .03}), 1e-12)
	require.Empty(t, BenjaminiHochberg(nil))
}

func TestBenjaminiHochbergCountsATestThatCouldNotBeDone(t *testing.T) {
	got := BenjaminiHochberg([]float64{.01, math.NaN(), .02})
	require.InDelta(t, .03, got[0], 1e-12)
	require.True(t, math.IsNaN(got[1]))
	require.InDelta(t, .03, got[2], 1e-12)
}

func TestBenjaminiHochbergIsBetweenTheRawAndHolm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 20).Draw(t, "p")
		holm := Holm(p)
		for i, adjusted := range BenjaminiHochberg(p) {
			if adjusted < p[i] || adjusted > holm[i]+1e-12 {
				t.Fatalf("p %v, BH %v, Holm %v", p[i], adjusted, holm[i])
			}
		}
	})
}
