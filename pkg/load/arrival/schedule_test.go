package arrival

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

// recording is a small one with a burst, a tie and a pause.
var recording = Gaps{300 * time.Millisecond, 0, 20 * time.Millisecond, 5 * time.Second, 700 * time.Millisecond, time.Second}

// arrivals are one of each process.
var arrivals = map[string]*swap.Arrival{
	"default":  nil,
	"unnamed":  {},
	"poisson":  {Process: swap.ArrivalPoisson},
	"constant": {Process: swap.ArrivalConstant},
	"even":     {Process: swap.ArrivalGamma, CV: 0.3},
	"bursty":   {Process: swap.ArrivalGamma, CV: 3},
	"weibull":  {Process: swap.ArrivalWeibull, Weibull: []swap.WeibullPart{{Weight: 1, Shape: 0.6, Scale: 7}}},
	"mixture": {Process: swap.ArrivalWeibull, Weibull: []swap.WeibullPart{
		{Weight: 0.7, Shape: 1.5, Scale: 1}, {Weight: 0.3, Shape: 0.8, Scale: 6},
	}},
	"trace": {Process: swap.ArrivalTrace},
}

// simplePoisson is the process written down without any of the machinery.
func simplePoisson(rate float64, length time.Duration, seed, stream uint64) []time.Duration {
	r := rand.New(rand.NewPCG(seed, stream^0xa0761d6478bd642f))
	out := []time.Duration{}
	for at := 0.0; ; {
		at -= math.Log(1-r.Float64()) / rate
		if at >= length.Seconds() {
			return out
		}
		out = append(out, time.Duration(at*float64(time.Second)))
	}
}

func TestPoissonIsBitForBitTheSimpleOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Float64Range(0.01, 500).Draw(t, "rate")
		settle := time.Duration(rapid.Int64Range(0, 3e9).Draw(t, "settle"))
		measure := time.Duration(rapid.Int64Range(1, 20e9).Draw(t, "measure"))
		seed, stream := rapid.Uint64().Draw(t, "seed"), rapid.Uint64().Draw(t, "stream")
		got := Schedule(swap.Step{Rate: rate}, nil, settle, measure, seed, stream)
		require.Equal(t, simplePoisson(rate, settle+measure, seed, stream), got)
	})
}

// TestSeedsKeepTheirMeaning holds the plans of a seed to what they were.
func TestSeedsKeepTheirMeaning(t *testing.T) {
	want := map[string][]time.Duration{
		"default":  {9768396, 123843836, 158385694},
		"unnamed":  {9768396, 123843836, 158385694},
		"poisson":  {9768396, 123843836, 158385694},
		"constant": {9306451, 109306451, 209306451},
		"even":     {85497400, 167448302, 290692503},
		"bursty":   {391011916, 391597794, 534257799},
		"weibull":  {32808211, 167892425, 386465339},
		"mixture":  {8483838, 58198024, 118464671},
		"trace":    {398862143, 458691203, 544161289},
	}
	for name, arrival := range arrivals {
		got := Schedule(swap.Step{Rate: 10, Arrival: arrival}, recording, time.Second, 9*time.Second, 7, 3)
		require.Equal(t, want[name], got[:3], name)
	}
	ramp := swap.Step{Rate: 10, Ramp: &swap.Ramp{From: 2}, Spike: &swap.Spike{Rate: 40, For: swap.Duration(time.Second)}}
	require.Equal(t, []time.Duration{48373974, 557138516, 695253097}, Schedule(ramp, nil, time.Second, 9*time.Second, 7, 3)[:3])
}

func drawStep(t *rapid.T) swap.Step {
	names := slices.Sorted(maps.Keys(arrivals))
	step := swap.Step{
		Rate:    rapid.Float64Range(0.5, 200).Draw(t, "rate"),
		Arrival: arrivals[rapid.SampledFrom(names).Draw(t, "process")],
	}
	if rapid.Bool().Draw(t, "has ramp") {
		step.Ramp = &swap.Ramp{From: rapid.Float64Range(0.01, 200).Draw(t, "from")}
	}
	if rapid.Bool().Draw(t, "has spike") {
		step.Spike = &swap.Spike{
			Rate:  rapid.Float64Range(0.01, 400).Draw(t, "spike"),
			After: swap.Duration(rapid.Int64Range(0, 12e9).Draw(t, "after")),
			For:   swap.Duration(rapid.Int64Range(0, 12e9).Draw(t, "for")),
		}
	}
	return step
}

func TestSchedulesAscendInRangeAndRepeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		step := drawStep(t)
		settle := time.Duration(rapid.Int64Range(0, 3e9).Draw(t, "settle"))
		measure := time.Duration(rapid.Int64Range(0, 10e9).Draw(t, "measure"))
		seed, stream := rapid.Uint64().Draw(t, "seed"), rapid.Uint64().Draw(t, "stream")
		got := Schedule(step, recording, settle, measure, seed, stream)
		require.True(t, slices.IsSorted(got))
		for _, at := range got {
			require.True(t, at >= 0 && at < settle+measure)
		}
		require.Equal(t, got, Schedule(step, recording, settle, measure, seed, stream))
	})
}

// TestMeanCountIsUnbiased counts over many short blocks, where a process that begins with an ordinary gap would be wrong by
// (cv²-1)/2 arrivals, in the first and the second half of the block.
func TestMeanCountIsUnbiased(t *testing.T) {
	const seeds, rate = 6000, 2.0
	for name, arrival := range arrivals {
		t.Run(name, func(t *testing.T) {
			halves := [2][]float64{make([]float64, seeds), make([]float64, seeds)}
			for seed := range uint64(seeds) {
				step := swap.Step{Rate: rate, Arrival: arrival}
				for _, at := range Schedule(step, recording, time.Second, 2*time.Second, seed, 1) {
					halves[int(at/(1500*time.Millisecond))][seed]++
				}
			}
			for _, counts := range halves {
				mean, sd := stat.MeanStdDev(counts, nil)
				require.InDelta(t, 1.5*rate, mean, 4*sd/math.Sqrt(seeds))
			}
		})
	}
}

func TestClosedLoopHasNoSchedule(t *testing.T) {
	require.Nil(t, Schedule(swap.Step{Concurrency: 4}, nil, 0, time.Minute, 1, 1))
}

func TestScheduleRefusesAStepThatSaysTooLittle(t *testing.T) {
	for i, a := range []swap.Arrival{
		{Process: "sinus"}, {Process: swap.ArrivalGamma}, {Process: swap.ArrivalWeibull}, {Process: swap.ArrivalTrace},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			require.Panics(t, func() { Schedule(swap.Step{Rate: 1, Arrival: &a}, nil, 0, time.Minute, 1, 1) })
		})
	}
}

// TestTraceKeepsItsOrder follows a schedule through the recording: gap by gap, from its end to its beginning.
func TestTraceKeepsItsOrder(t *testing.T) {
	const seed, stream = 5, 2
	rate := float64(len(recording)) / recording.total().Seconds()
	step := swap.Step{Rate: rate, Arrival: arrivals["trace"]}
	got := Schedule(step, recording, 0, time.Minute, seed, stream)
	require.Greater(t, len(got), 3*len(recording))
	first := recording.First(seed, stream)
	require.LessOrEqual(t, got[0], recording[first])
	sent := map[int]int{}
	for i := 1; i < len(got); i++ {
		request := recording.Request(first, i)
		sent[request]++
		gap := recording[(request+len(recording)-1)%len(recording)]
		require.InDelta(t, gap, got[i]-got[i-1], 2, "the gap before recorded request %d", request)
	}
	require.Len(t, sent, len(recording), "every request of the circle, the first too")
	require.Zero(t, Gaps{}.First(1, 1))
	require.Zero(t, Gaps{}.Request(0, 3))
}
