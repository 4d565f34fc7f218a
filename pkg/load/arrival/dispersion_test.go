package arrival

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestDispersionByHand(t *testing.T) {
	at := []time.Duration{0, 1, 2, 10, 29, 30, 31}
	index, low, high := Dispersion(at, 10, 35)
	require.InDelta(t, 4.0/3/(5.0/3), index, 1e-9, "counts 3, 1, 1; the last bin is not whole")
	require.InDelta(t, 2*index/7.377758908227871, low, 1e-9, "χ²(2) at 0.975")
	require.InDelta(t, 2*index/0.050635615968579795, high, 1e-9, "χ²(2) at 0.025")
}

func TestDispersionOfEachProcess(t *testing.T) {
	const length = 2000 * time.Second
	of := func(name string) (index, low, high float64) {
		step := swap.Step{Rate: 20, Arrival: arrivals[name]}
		return Dispersion(Schedule(step, recording, 0, length, 2, 2), 5*time.Second, length)
	}
	index, low, high := of("poisson")
	require.True(t, low < 1 && 1 < high && low < index && index < high)
	index, _, high = of("constant")
	require.Zero(t, index)
	require.Zero(t, high)
	_, _, high = of("even")
	require.Less(t, high, 1.0)
	index, low, _ = of("bursty")
	require.Greater(t, low, 1.0)
	require.InDelta(t, 9, index, 2, "cv² in wide bins")
}

// T42: workers that share a plan by all drawing the same gaps repeat each of them once per worker.
func TestDispersionFindsRepeatedGaps(t *testing.T) {
	const workers, length = 4, 400 * time.Second
	var at []time.Duration
	for _, a := range Schedule(swap.Step{Rate: 50.0 / workers}, nil, 0, length, 1, 1) {
		for range workers {
			at = append(at, a)
		}
	}
	index, low, _ := Dispersion(at, time.Second, length)
	require.InDelta(t, workers, index, 1)
	require.Greater(t, low, 1.5)
}

func TestDispersionOfTooLittle(t *testing.T) {
	for name, got := range map[string]func() (float64, float64, float64){
		"no bin":      func() (float64, float64, float64) { return Dispersion([]time.Duration{1}, 0, 10) },
		"one bin":     func() (float64, float64, float64) { return Dispersion([]time.Duration{1}, 6, 10) },
		"no arrivals": func() (float64, float64, float64) { return Dispersion(nil, 1, 10) },
		"outside":     func() (float64, float64, float64) { return Dispersion([]time.Duration{-1, 10}, 1, 10) },
	} {
		index, low, high := got()
		require.True(t, math.IsNaN(index) && math.IsNaN(low) && math.IsNaN(high), name)
	}
}
