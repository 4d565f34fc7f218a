package trace

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

// rounded are the requests of a Poisson process whose times are rounded down to a tick and then shifted by an error.
func rounded(rate float64, tick, late time.Duration, n int) *Recording {
	random := rand.New(rand.NewPCG(1, 2))
	r := &Recording{}
	at := 0.0
	for range n {
		at += random.ExpFloat64() / rate
		exact := time.Duration(at * float64(time.Second))
		instant := exact - exact%tick
		if late > 0 {
			instant += time.Duration(rand.New(rand.NewPCG(uint64(instant), 3)).Int64N(int64(late)))
		}
		r.Requests = append(r.Requests, Request{At: instant, Input: len(r.Requests)})
	}
	r.Tick = detectTick(r.Requests)
	return r
}

func TestTick(t *testing.T) {
	second, ms := time.Second, time.Millisecond
	require.InDelta(t, 3*second, rounded(3.4, 3*second, 3*ms, 4000).Tick, float64(ms), "a recorder that is late now and then")
	require.Equal(t, second, rounded(0.3, second, 0, 4000).Tick, "most instants are several ticks apart")
	require.Equal(t, second, rounded(20, second, 0, 4000).Tick)
	require.Equal(t, 10*ms, rounded(100, 10*ms, 0, 4000).Tick)
	require.Zero(t, rounded(5, ms, 0, 4000).Tick, "too fine to matter")
	require.Zero(t, rounded(5, 1, 0, 4000).Tick)
	require.Zero(t, rounded(50, second, 0, 300).Tick, "too short to tell")
	require.Zero(t, detectTick(nil))
	pairs := rounded(5, 1, 0, 4000)
	for i := 1; i < len(pairs.Requests); i += 2 {
		pairs.Requests[i].At = pairs.Requests[i-1].At
	}
	require.Zero(t, detectTick(pairs.Requests), "requests that come in pairs are not rounded")
}

// TestJitterUndoesRounding holds the gaps to the exponential law that was rounded away.
func TestJitterUndoesRounding(t *testing.T) {
	r := rounded(3.4, 3*time.Second, 3*time.Millisecond, 20000)
	require.InDelta(t, 3, cv(r.Gaps(nil)), 0.3)
	seed := uint64(9)
	require.InDelta(t, 1, cv(r.Gaps(&seed)), 0.03)
	again, other := seed, uint64(10)
	require.Equal(t, r.Gaps(&seed), r.Gaps(&again))
	require.NotEqual(t, r.Gaps(&seed), r.Gaps(&other))
	fine := rounded(5, 1, 0, 100)
	require.Equal(t, fine.Gaps(nil), fine.Gaps(&seed), "nothing to undo")
}

func cv(gaps []time.Duration) float64 {
	mean, sd := stat.MeanStdDev(secondsOf(gaps), nil)
	return sd / mean
}

func secondsOf(gaps []time.Duration) []float64 {
	x := make([]float64, len(gaps))
	for i, gap := range gaps {
		x[i] = gap.Seconds()
	}
	return x
}

func TestGapsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		instants := rapid.SliceOfN(rapid.Int64Range(0, 1e12), 2, 50).Draw(t, "instants")
		slices.Sort(instants)
		tick := time.Duration(rapid.Int64Range(0, 5e9).Draw(t, "tick"))
		r := &Recording{Tick: tick}
		for _, at := range instants {
			r.Requests = append(r.Requests, Request{At: time.Duration(at - instants[0])})
		}
		seed := rapid.Uint64().Draw(t, "seed")
		for _, jitter := range []*uint64{nil, &seed} {
			sum := time.Duration(0)
			gaps := r.Gaps(jitter)
			require.Len(t, gaps, len(instants)-1)
			for _, gap := range gaps {
				require.GreaterOrEqual(t, gap, time.Duration(0))
				sum += gap
			}
			if jitter == nil {
				require.Equal(t, r.Span(), sum)
			}
			require.LessOrEqual(t, math.Abs(float64(sum-r.Span())), float64(tick))
		}
	})
}
