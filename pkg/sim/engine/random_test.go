package engine

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// moments returns the mean, the standard deviation and the autocorrelation at lag 1.
func moments(xs []float64) (mean, sd, lag1 float64) {
	n := float64(len(xs))
	for _, x := range xs {
		mean += x / n
	}
	var variance, covariance float64
	for i, x := range xs {
		variance += (x - mean) * (x - mean) / n
		if i > 0 {
			covariance += (x - mean) * (xs[i-1] - mean) / n
		}
	}
	return mean, math.Sqrt(variance), covariance / variance
}

func TestNoiseIsLogNormalAndDriftIsAR1(t *testing.T) {
	sample := func(cfg Noise) []float64 {
		n := newNoise(cfg, 3)
		var out []float64
		for i := range 40000 {
			out = append(out, math.Log(n.prefill(time.Duration(i)*10*ms)))
		}
		return out
	}
	mean, sd, lag1 := moments(sample(Noise{Prefill: 0.12}))
	require.InDelta(t, 0, mean, 0.003)
	require.InDelta(t, 0.12, sd, 0.003)
	require.InDelta(t, 0, lag1, 0.02)

	mean, sd, lag1 = moments(sample(Noise{Drift: 0.05, DriftTime: swap.Duration(100 * ms)}))
	require.InDelta(t, 0, mean, 0.005)
	require.InDelta(t, 0.05, sd, 0.003)
	require.InDelta(t, math.Exp(-0.1), lag1, 0.01)
}

func TestNoiseRepeatsItselfFromItsSeed(t *testing.T) {
	one, two, other := newNoise(Default().Noise, 1), newNoise(Default().Noise, 1), newNoise(Default().Noise, 2)
	a, b, c := one.decode(ms), two.decode(ms), other.decode(ms)
	require.InDelta(t, a, b, 0)
	require.NotEqual(t, a, c)
}
