package hold

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func series(p process, n int, seed uint64) []float64 {
	g := p.start(seeded(seed))
	out := make([]float64, n)
	for k := range out {
		out[k] = g.next()
	}
	return out
}

// By hand: batches of 5 with the means (of logarithms) 3, 1, 1, …: without the first, nothing varies.
func TestTransientOfAStepInTheLevel(t *testing.T) {
	cold := append(slices.Repeat([]float64{math.Exp(3)}, 15), slices.Repeat([]float64{math.E}, 105)...)
	n, ok := Transient(cold)
	require.True(t, ok)
	require.Equal(t, 15, n)
}

func TestTransient(t *testing.T) {
	const requests, runs = 1000, 100
	warming := typical(0)
	warming.transient, warming.fade = 2, 60
	heavy := typical(0)
	heavy.sigma, heavy.spike = 1, .01
	tests := []struct {
		name string
		p    process
		// The median of what is cut off is between low and high requests; at least so many series have an answer.
		low, high, found int
	}{
		{"steady", process{sigma: .5}, 0, 100, 85},
		{"correlated", typical(0), 0, 150, 80},
		{"heavy tail", heavy, 0, 150, 80},
		{"warming up", warming, 60, 300, 90},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var cuts []int
			for run := range uint64(runs) {
				if n, ok := Transient(series(tt.p, requests, run)); ok {
					cuts = append(cuts, n)
				}
			}
			slices.Sort(cuts)
			median := cuts[len(cuts)/2]
			t.Logf("found %d, median %d", len(cuts), median)
			require.GreaterOrEqual(t, len(cuts), tt.found)
			require.GreaterOrEqual(t, median, tt.low)
			require.LessOrEqual(t, median, tt.high)
		})
	}
}

func TestTransientHasNoAnswer(t *testing.T) {
	rising := make([]float64, 500)
	for k := range rising {
		rising[k] = 100 * math.Exp(float64(k)/50)
	}
	for name, values := range map[string][]float64{
		"nothing": nil, "too short": slices.Repeat([]float64{1}, 49), "never settles": rising,
		"zero": append(slices.Repeat([]float64{1}, 60), 0), "infinite": append(slices.Repeat([]float64{1}, 60), math.Inf(1)),
	} {
		_, ok := Transient(values)
		require.False(t, ok, name)
	}
	n, ok := Transient(slices.Repeat([]float64{5}, 50))
	require.True(t, ok)
	require.Zero(t, n)
}

func TestTransientDoesNotDependOnTheUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := typical(0)
		p.transient, p.fade = rapid.Float64Range(0, 3).Draw(t, "transient"), 40
		in := series(p, rapid.IntRange(50, 400).Draw(t, "requests"), rapid.Uint64().Draw(t, "seed"))
		out := make([]float64, len(in))
		for k, v := range in {
			out[k] = 1024 * v
		}
		n, ok := Transient(in)
		scaled, okScaled := Transient(out)
		if n != scaled || ok != okScaled || n < 0 || n > len(in)/2 {
			t.Fatalf("%d %v and %d %v of %d", n, ok, scaled, okScaled, len(in))
		}
	})
}
