package capacity

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestBend(t *testing.T) {
	upTo32 := func(load float64) float64 { return 20 * min(load, 32) }
	batching := curve(doubling, []float64{20, 39.5, 78, 150, 281, 480, 640, 655})
	tests := []struct {
		name      string
		points    []Point
		knee      string
		confirmed bool
		message   string
	}{
		{
			"a batching server", batching, "concurrency 32", true,
			"Kneedle sees the knee at concurrency 32, and the universal scalability law confirms that growth ends: throughput is highest " +
				"at a load of 92.8; it fits to within 1.4 %",
		},
		{
			"the same up to its knee", batching[:6], "", false,
			"Kneedle sees no knee up to concurrency 32; by the universal scalability law throughput is highest at a load of 95.9, beyond " +
				"concurrency 32; it fits to within 0.2 %",
		},
		{
			"a corner", along(doubling, upTo32), "concurrency 32", true,
			"Kneedle sees the knee at concurrency 32, and the universal scalability law confirms that growth ends: throughput is highest " +
				"at a load of 70.6; it fits to within 12.6 %",
		},
		{
			"a corner on unequal steps", along([]float64{8, 16, 24, 30, 32, 60, 100}, upTo32), "concurrency 32", true,
			"",
		},
		{
			"linear", along(doubling, func(x float64) float64 { return 20 * x }), "", false,
			"Kneedle sees no knee up to concurrency 128; by the universal scalability law throughput grows beyond concurrency 128; it fits " +
				"to within 0.0 %",
		},
		{
			"a power, which bends and never ends", along(doubling, func(x float64) float64 { return math.Pow(x, .6) }), "concurrency 32", false,
			"Kneedle sees the knee at concurrency 32, which the universal scalability law does not confirm: throughput grows beyond " +
				"concurrency 128; it fits to within 10.5 %",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := Find(tt.points).Bend
			require.NotNil(t, b)
			t.Log(b.Message)
			require.Equal(t, tt.knee, labelOf(b.Knee))
			require.Equal(t, tt.confirmed, b.Confirmed)
			if tt.message != "" {
				require.Equal(t, tt.message, b.Message)
			}
		})
	}
	require.Nil(t, Find(batching[:2]).Bend)
	require.Nil(t, Find(nil).Bend)
}

// measured gives each level the throughputs of its blocks, and their mean.
func measured(seed uint64, blocks int, noise float64, f func(load float64) float64) []Point {
	random := rand.New(rand.NewPCG(seed, 5))
	points := along(doubling, f)
	for k := range points {
		sum := 0.
		for range blocks {
			v := points[k].rate() * math.Exp(noise*random.NormFloat64())
			points[k].Blocks = append(points[k].Blocks, v)
			sum += v
		}
		points[k].Throughput = swap.Of(sum / float64(blocks))
	}
	return points
}

func TestBendKnowsItsUncertainty(t *testing.T) {
	ends := func(x float64) float64 { return 20 * x / (1 + .01*(x-1) + 1e-4*x*(x-1)) }
	b := Find(measured(1, 8, .03, ends)).Bend
	t.Log(b.Message)
	require.True(t, b.Confirmed)
	require.LessOrEqual(t, b.PeakLow.Or(0), b.PeakLoad.Or(0))
	require.GreaterOrEqual(t, b.PeakHigh.Or(0), b.PeakLoad.Or(0))
	require.InDelta(t, 99.5, b.PeakLoad.Or(0), 15)
	require.Contains(t, b.Message, "(95 % interval ")

	b = Find(measured(1, 8, .02, func(x float64) float64 { return math.Pow(x, .6) })).Bend
	t.Log(b.Message)
	require.False(t, b.Confirmed)
	require.False(t, b.PeakHigh.Valid(), "it is not bounded")

	half := measured(1, 8, .02, ends)
	half[3].Blocks = half[3].Blocks[:1]
	require.False(t, Find(half).Bend.PeakLow.Valid(), "one block of a level says nothing about noise")
}

// Of 100 noisy servers each: how many knees are confirmed, without the blocks.
func TestConfirmed(t *testing.T) {
	for name, tt := range map[string]struct {
		f           func(float64) float64
		least, most int
	}{
		"a corner":    {func(x float64) float64 { return 20 * min(x, 32) }, 95, 100},
		"linear":      {func(x float64) float64 { return 20 * x }, 0, 0},
		"a power":     {func(x float64) float64 { return math.Pow(x, .6) }, 0, 0},
		"Amdahl's":    {func(x float64) float64 { return x / (1 + .02*(x-1)) }, 0, 5},
		"logarithmic": {func(x float64) float64 { return math.Log1p(x) }, 0, 0},
	} {
		confirmed := 0
		for seed := range uint64(100) {
			points := measured(seed, 6, .03, tt.f)
			for k := range points {
				points[k].Blocks = nil
			}
			if Find(points).Bend.Confirmed {
				confirmed++
			}
		}
		t.Log(name, confirmed)
		require.GreaterOrEqual(t, confirmed, tt.least, name)
		require.LessOrEqual(t, confirmed, tt.most, name)
	}
}

func TestUnitsDoNotMatterToTheBend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := drawCurve(t)
		if len(points) < 3 {
			return
		}
		scaled := make([]Point, len(points))
		for k, p := range points {
			p.Load *= 256
			p.Throughput = swap.Of(1024 * p.Throughput.Or(0))
			scaled[k] = p
		}
		a, b := Find(points).Bend, Find(scaled).Bend
		require.Equal(t, labelOf(a.Knee), labelOf(b.Knee))
		require.Equal(t, a.Confirmed, b.Confirmed)
		require.InDelta(t, a.FitError.Or(-1), b.FitError.Or(-1), 1e-9)
		if peak, ok := a.PeakLoad.Get(); ok {
			require.InEpsilon(t, 256*peak, b.PeakLoad.Or(0), 1e-6)
		}
	})
}

func TestBlocksComeWithTheSteps(t *testing.T) {
	var steps []swap.Step
	var results []swap.StepResult
	var blocks []BlockThroughput
	for k, rate := range []float64{20, 39.5, 78, 150, 281, 480, 640, 655} {
		s := swap.Step{Concurrency: 1 << k}
		steps = append(steps, s)
		results = append(results, ran(k+1, s, swap.Of(rate), swap.Of(rate)))
		for _, factor := range []float64{.98, 1.02, .99, 1.01} {
			blocks = append(blocks, BlockThroughput{Step: k + 1, Arm: swap.Baseline, PerSecond: factor * rate})
		}
	}
	arms := Of(steps, results, blocks...)[0].Arms
	require.True(t, arms.Baseline.Bend.Confirmed)
	require.True(t, arms.Baseline.Bend.PeakHigh.Valid(), fmt.Sprint(arms.Baseline.Bend))
	require.InDelta(t, 92.8, arms.Baseline.Bend.PeakLoad.Or(0), .1)
	require.False(t, arms.Candidate.Bend.PeakHigh.Valid(), "its blocks are not known")
	require.True(t, arms.Candidate.Bend.Confirmed)
}
