package judge

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// How many gates are measured at a time changes no bit of a verdict, nor does that they share their sorted values.
func TestAVerdictDoesNotDependOnTheCPUs(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	for seed := range uint64(3) {
		s := usual()
		s.seed, s.ttft, s.fails = seed, 1+.1*float64(seed), .01
		e := s.evidence(usualGates()...)
		runtime.GOMAXPROCS(1)
		want := Decide(e)
		runtime.GOMAXPROCS(4)
		require.Equal(t, want, Decide(e))
		p := pairUp(e.Blocks)
		for i, gate := range e.Gates {
			alone := measure(gate, p, e.Settings)
			low, high := alone.interval.bounds(e.Settings.Level)
			require.Equal(t, []swap.Value{want.Gates[i].Low, want.Gates[i].High}, []swap.Value{alone.readable(low), alone.readable(high)})
		}
	}
}
