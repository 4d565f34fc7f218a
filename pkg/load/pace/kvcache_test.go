package pace

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func constant(n int) swap.Lengths { return swap.Lengths{Median: n} }

func TestConcurrencyFromKV(t *testing.T) {
	session := &swap.Topology{Shape: swap.ShapeSession, Size: 5}
	cases := []struct {
		name     string
		free     float64
		share    float64
		topology *swap.Topology
		want     int
	}{
		// A request of 900 + 200 tokens holds 1000 on average.
		{"all of it", 100_000, 1, nil, 100},
		{"half", 100_000, 0.5, nil, 50},
		{"more than there is", 100_000, 2, nil, 200},
		{"rounded down", 100_999, 1, nil, 100},
		{"at least one", 10, 0.1, nil, 1},
		{"a star holds its requests apart", 100_000, 1, &swap.Topology{Shape: swap.ShapeStar, Size: 5}, 100},
		{"a session holds two earlier turns on average", 320_000, 1, session, 100},
		{"a ring holds one earlier answer in four turns of five", 116_000, 1, &swap.Topology{Shape: swap.ShapeRing, Size: 5}, 100},
		{"absurdly many", 1e300, 1, nil, math.MaxInt32},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n, err := ConcurrencyFromKV(swap.Of(c.free), c.share, constant(900), constant(200), c.topology)
			require.NoError(t, err)
			require.Equal(t, c.want, n)
		})
	}
}

func TestConcurrencyFromKVSaysWhatIsMissing(t *testing.T) {
	_, err := ConcurrencyFromKV(swap.Absent(), 0.8, constant(1), constant(1), nil)
	require.ErrorIs(t, err, ErrCapacityUnknown)
	require.ErrorContains(t, err, "kv_share 0.8: the engine does not report")
	_, err = ConcurrencyFromKV(swap.Of(0), 0.8, constant(1), constant(1), nil)
	require.ErrorContains(t, err, "no free room")
	_, err = ConcurrencyFromKV(swap.Of(1000), 0, constant(1), constant(1), nil)
	require.ErrorContains(t, err, "must be above 0")
	_, err = ConcurrencyFromKV(swap.Of(1000), 1, swap.Lengths{}, constant(1), nil)
	require.ErrorContains(t, err, "input_tokens and output_tokens must be planned")
}

// The closed form against the integral over the quantiles of the clipped distribution.
func TestMomentsOfClippedLengths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := swap.Lengths{
			Median: rapid.IntRange(1, 10_000).Draw(t, "median"),
			Sigma:  rapid.Float64Range(0.01, 3).Draw(t, "sigma"),
		}
		l.Min = rapid.IntRange(1, l.Median).Draw(t, "min")
		l.Max = rapid.IntRange(l.Median, 20*l.Median).Draw(t, "max")
		mean, square := clippedMoments(l)
		const n = 20_000
		var wantMean, wantSquare float64
		for i := range n {
			z := math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/n-1)
			x := min(max(float64(l.Median)*math.Exp(l.Sigma*z), float64(l.Min)), float64(l.Max))
			wantMean += x / n
			wantSquare += x * x / n
		}
		require.InEpsilon(t, wantMean, mean, 1e-3)
		require.InEpsilon(t, wantSquare, square, 1e-3)
	})
}

func TestMomentsWithoutALimit(t *testing.T) {
	mean, square := clippedMoments(swap.Lengths{Median: 1000, Sigma: 0.5})
	require.InEpsilon(t, 1000*math.Exp(0.125), mean, 1e-6)
	require.InEpsilon(t, 1e6*math.Exp(0.5), square, 1e-6)
	mean, square = clippedMoments(swap.Lengths{Median: 10, Min: 20, Max: 30})
	require.InDelta(t, 20, mean, 0)
	require.InDelta(t, 400, square, 0)
}
