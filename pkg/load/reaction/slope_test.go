package reaction

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// server draws blocks of requests: prompts are log-normal, latency is 40 ms and a slope for each token, with exponential noise that
// is constant or grows with the prompt, and a shift for each block.
type server struct {
	blocks, requests int
	slope            float64
	// noise is the mean in ms, grows whether it is for 256 tokens and grows with them; shift is the deviation of the blocks in ms.
	noise float64
	grows bool
	shift float64
}

// truth is the slope of the P99.
func (s server) truth() float64 {
	if s.grows {
		return s.slope + s.noise/256*math.Log(100)
	}
	return s.slope
}

func (s server) draw(random *rand.Rand) [][]pair {
	out := make([][]pair, s.blocks)
	for k := range out {
		shift := s.shift * random.NormFloat64()
		for range s.requests {
			x := math.Round(256 * math.Exp(.5*random.NormFloat64()))
			noise := s.noise * random.ExpFloat64()
			if s.grows {
				noise *= x / 256
			}
			out[k] = append(out[k], pair{x, 40 + shift + s.slope*x + noise})
		}
	}
	return out
}

// Each one-sided bound at 95 % should be on the wrong side of the truth in 5 % of the runs.
func TestBoundsOfTheSlopeCoverIt(t *testing.T) {
	const runs = 100
	for name, s := range map[string]server{
		"ten blocks":                 {blocks: 10, requests: 300, slope: .5, noise: 20},
		"four blocks":                {blocks: 4, requests: 300, slope: .5, noise: 20},
		"noise grows with prompts":   {blocks: 10, requests: 300, slope: .2, noise: 20, grows: true},
		"blocks differ":              {blocks: 10, requests: 300, slope: .5, noise: 20, shift: 10},
		"blocks differ and no slope": {blocks: 6, requests: 300, noise: 20, shift: 10},
	} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(7, 11))
			tooHigh, tooLow, open, bias := 0, 0, 0, 0.
			for range runs {
				e, ok := tailSlope(s.draw(random), .95)
				require.True(t, ok)
				require.LessOrEqual(t, e.low, e.value)
				require.GreaterOrEqual(t, e.high, e.value)
				bias += (e.value - s.truth()) / runs
				if e.low > s.truth() {
					tooHigh++
				}
				if e.high < s.truth() {
					tooLow++
				}
				if math.IsInf(e.low, 0) || math.IsInf(e.high, 0) {
					open++
				}
			}
			t.Logf("truth %.3f, bias %.4f; low bound above it in %d, high bound below it in %d, open in %d of %d",
				s.truth(), bias, tooHigh, tooLow, open, runs)
			require.LessOrEqual(t, tooHigh, runs/10)
			require.LessOrEqual(t, tooLow, runs/10)
			require.Less(t, math.Abs(bias), .03)
		})
	}
}

func TestSlopeNeedsEnough(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	s := server{blocks: 10, requests: 99, slope: 1, noise: 5}
	_, ok := tailSlope(s.draw(random), .95)
	require.False(t, ok, "9 requests above the P99")
	s.requests = 300
	blocks := s.draw(random)
	e, ok := tailSlope(blocks[:4:4], .95)
	require.True(t, ok)
	require.False(t, math.IsInf(e.low, 0))
	one := [][]pair{slices.Concat(blocks...)}
	e, ok = tailSlope(one, .95)
	require.True(t, ok)
	require.True(t, math.IsInf(e.low, -1) && math.IsInf(e.high, 1), "one block has no spread")
	require.InDelta(t, 1, e.value, .1)
	_, ok = tailSlope(nil, .95)
	require.False(t, ok)
	constant := [][]pair{make([]pair, 2000)}
	_, ok = tailSlope(constant, .95)
	require.False(t, ok)
}

// A latency in other units, or one that grows more with the prompt, moves the slope and its bounds alike.
func TestSlopeFollowsLatency(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := server{blocks: 6, requests: 200, slope: rapid.Float64Range(0, 2).Draw(t, "slope"), noise: 20, shift: 5}
		blocks := s.draw(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3)))
		more := rapid.Float64Range(-2, 2).Draw(t, "more")
		factor := rapid.Float64Range(.1, 10).Draw(t, "factor")
		moved := make([][]pair, len(blocks))
		for k := range blocks {
			for _, p := range blocks[k] {
				moved[k] = append(moved[k], pair{p.x, factor * (p.y + more*p.x)})
			}
		}
		a, ok := tailSlope(blocks, .95)
		require.True(t, ok)
		b, ok := tailSlope(moved, .95)
		require.True(t, ok)
		require.InDelta(t, factor*(a.value+more), b.value, 1e-3*factor)
	})
}

func TestNth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-5, 5), 1, 200).Draw(t, "values")
		k := rapid.IntRange(0, len(values)-1).Draw(t, "k")
		sorted := slices.Sorted(slices.Values(values))
		require.Equal(t, sorted[k], nth(values, k)) //nolint:testifylint // the value itself
	})
}
