package arrival

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

// kolmogorov is the largest distance between an empirical distribution and its law. It sorts x.
func kolmogorov(x []float64, cdf func(float64) float64) (worst float64) {
	slices.Sort(x)
	n := float64(len(x))
	for i, v := range x {
		f := cdf(v)
		worst = max(worst, f-float64(i)/n, float64(i+1)/n-f)
	}
	return worst
}

// integral sums the rate over steps of a width by the midpoint rule. It is exact on straight lines, and off by slack at most
// where a spike begins or ends within a step.
func integral(p Profile, step swap.Step, from, width time.Duration, steps int) (sum, slack float64) {
	for i := range steps {
		sum += p.Rate(from+time.Duration(i)*width+width/2) * width.Seconds()
	}
	if step.Spike != nil {
		highest := max(step.Rate, step.Spike.Rate)
		if step.Ramp != nil {
			highest = max(highest, step.Ramp.From)
		}
		slack = 2 * highest * width.Seconds()
	}
	return sum, slack + 1e-9*(1+sum)
}

func TestCumulativeIsTheIntegralOfTheRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		step := drawStep(t)
		settle := time.Duration(rapid.Int64Range(0, 3).Draw(t, "settle")) * time.Second
		measure := time.Duration(rapid.Int64Range(1, 10).Draw(t, "measure")) * time.Second
		p := NewProfile(step, settle, measure)
		const steps = 1000
		width := 2 * time.Duration(rapid.Int64Range(0, int64(settle+measure)/steps/2).Draw(t, "half a width"))
		from := time.Duration(rapid.Int64Range(0, int64(settle+measure-steps*width)).Draw(t, "from"))
		sum, slack := integral(p, step, from, width, steps)
		require.InDelta(t, sum, p.Cumulative(from+steps*width)-p.Cumulative(from), slack)
		require.Zero(t, p.Cumulative(0))
		require.InDelta(t, p.total(), p.Cumulative(settle+measure+time.Hour), 1e-9*p.total())
	})
}

func TestInverseOfTheCumulativeRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := NewProfile(drawStep(t), time.Second, 10*time.Second)
		x := rapid.Float64Range(0, 1).Draw(t, "share") * p.total()
		at := p.inverse(x)
		require.True(t, at >= 0 && at <= 11)
		back := p.Cumulative(time.Duration(at * float64(time.Second)))
		require.InDelta(t, x, back, 1e-6*(1+x), "up to a nanosecond at the highest rate")
	})
}

func TestRateOfRampAndSpike(t *testing.T) {
	second := swap.Duration(time.Second)
	p := NewProfile(swap.Step{Rate: 30, Ramp: &swap.Ramp{From: 10}, Spike: &swap.Spike{Rate: 100, After: 4 * second, For: 2 * second}},
		time.Second, 9*time.Second)
	for at, want := range map[time.Duration]float64{
		-1: 0, 0: 10, 2500 * time.Millisecond: 15, 5 * time.Second: 100, 7*time.Second - 1: 100, 7 * time.Second: 24, 10 * time.Second: 0,
	} {
		require.InDelta(t, want, p.Rate(at), 1e-6, "at %s", at)
	}
	require.InDelta(t, 200-2*(20+24)/2+200, p.Cumulative(10*time.Second), 1e-9)
	whole := NewProfile(swap.Step{Rate: 30, Spike: &swap.Spike{Rate: 7, For: swap.Duration(time.Hour)}}, 0, 10*time.Second)
	require.InDelta(t, 70, whole.Cumulative(time.Minute), 1e-9)
	require.Zero(t, NewProfile(swap.Step{Rate: 30, Ramp: &swap.Ramp{From: 1}}, 0, 0).Cumulative(time.Second))
}

// TestCountsFollowTheRate compares each window of a second with the integral of the rate, over many seeds.
func TestCountsFollowTheRate(t *testing.T) {
	second := swap.Duration(time.Second)
	shapes := map[string]swap.Step{
		"up":    {Rate: 12, Ramp: &swap.Ramp{From: 1}},
		"down":  {Rate: 1, Ramp: &swap.Ramp{From: 12}},
		"spike": {Rate: 3, Spike: &swap.Spike{Rate: 20, After: second, For: 2 * second}},
		"all":   {Rate: 3, Spike: &swap.Spike{Rate: 20, For: 60 * second}},
		"both":  {Rate: 3, Ramp: &swap.Ramp{From: 1}, Spike: &swap.Spike{Rate: 9, After: second, For: second}},
	}
	for name, step := range shapes {
		for _, process := range []string{"poisson", "constant", "bursty", "trace"} {
			t.Run(name+" "+process, func(t *testing.T) {
				step.Arrival = arrivals[process]
				requireCounts(t, step)
			})
		}
	}
}

func requireCounts(t *testing.T, step swap.Step) {
	t.Helper()
	const seeds, seconds = 1500, 6
	var counts [seconds][seeds]float64
	for seed := range uint64(seeds) {
		for _, at := range Schedule(step, recording, 2*time.Second, (seconds-2)*time.Second, seed, 9) {
			counts[at/time.Second][seed]++
		}
	}
	p := NewProfile(step, 2*time.Second, (seconds-2)*time.Second)
	for i := range counts {
		from := time.Duration(i) * time.Second
		mean, sd := stat.MeanStdDev(counts[i][:], nil)
		require.InDelta(t, p.Cumulative(from+time.Second)-p.Cumulative(from), mean, 4.5*sd/math.Sqrt(seeds)+1e-9, "second %d", i)
	}
}
