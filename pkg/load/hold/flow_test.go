package hold

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/load/arrival"
	"github.com/swapgate/swapgate/pkg/swap"
)

const blockSeconds = 40

// arrivals are the planned times of a block, in seconds.
func arrivals(process swap.Process, rate float64, stream uint64) []float64 {
	step := swap.Step{Rate: rate, Arrival: &swap.Arrival{Process: process}}
	var at []float64
	for _, t := range arrival.Schedule(step, nil, 0, blockSeconds*time.Second, 1, stream) {
		at = append(at, t.Seconds())
	}
	return at
}

// queue serves first come, first served, in so many places; it returns when each request ends.
func queue(at []float64, places int, service func() float64) []float64 {
	free, ends := make([]float64, places), make([]float64, len(at))
	for i, t := range at {
		k := slices.Index(free, slices.Min(free))
		free[k] = max(free[k], t) + service()
		ends[i] = free[k]
	}
	return ends
}

// servedBlock is a block whose requests all ended well.
func servedBlock(k int, at, ends []float64) Block {
	b := placed(k, order(k), make([]float64, len(at)))
	b.Flow = Flow{}
	for i, t := range at {
		b.Flow.Plan(t)
		b.Flow.Answer(t, ends[i]-t)
	}
	return b
}

// endsByRate reports whether a step ends because its rate was not achieved.
func endsByRate(blocks int, serve func(at []float64) []float64, process swap.Process, rate float64, stream uint64) bool {
	p := plain(blocks)
	p.Step, p.Limits.AchievedRate = swap.Step{Rate: rate}, DefaultAchievedRate
	c := Begin(p)
	for k := range 2 * blocks {
		at := arrivals(process, rate, stream+uint64(k/2))
		c.Add(servedBlock(k, at, serve(at)))
	}
	end, ended := c.End()
	return ended && end.Code == swap.EndedLimit
}

func drawProcess(t *rapid.T) swap.Process {
	return rapid.SampledFrom([]swap.Process{swap.ArrivalPoisson, swap.ArrivalConstant}).Draw(t, "process")
}

// However long answers take: a server that begins all of them at once achieves every rate.
func TestLongAnswersAreNoMissedRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		latency := rapid.Float64Range(0, 10*blockSeconds).Draw(t, "latency")
		serve := func(at []float64) []float64 {
			ends := slices.Clone(at)
			for i := range ends {
				ends[i] += latency
			}
			return ends
		}
		rate := rapid.Float64Range(0.02, 20).Draw(t, "rate")
		require.False(t, endsByRate(rapid.IntRange(1, 6).Draw(t, "blocks"), serve, drawProcess(t), rate, rapid.Uint64().Draw(t, "stream")))
	})
}

// Nor does it matter that they differ.
func TestAnswersOfAllLengthsAreNoMissedRate(t *testing.T) {
	ended := 0
	for run := range uint64(300) {
		random := seeded(run)
		serve := func(at []float64) []float64 {
			ends := slices.Clone(at)
			for i := range ends {
				ends[i] += 5 * blockSeconds * math.Exp(1.2*random.NormFloat64())
			}
			return ends
		}
		ended += asInt(endsByRate(4, serve, swap.ArrivalPoisson, []float64{.1, .5, 2, 10}[run%4], run))
	}
	t.Logf("%d of 300 steps ended by chance", ended)
	require.LessOrEqual(t, ended, 15, "5 %")
}

// A server that is busy, and just keeps up, achieves the rate.
func TestABusyServerAchievesTheRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := seeded(rapid.Uint64().Draw(t, "seed"))
		places, rate := rapid.IntRange(1, 30).Draw(t, "places"), rapid.Float64Range(1, 20).Draw(t, "rate")
		mean := float64(places) / rate / 1.1
		serve := func(at []float64) []float64 {
			return queue(at, places, func() float64 { return mean * random.ExpFloat64() })
		}
		require.False(t, endsByRate(3, serve, drawProcess(t), rate, rapid.Uint64().Draw(t, "stream")))
	})
}

// A server whose capacity is below half the rate is found out, in whatever way it is too slow.
func TestTooSmallACapacityMissesTheRate(t *testing.T) {
	kinds := map[string]func(mean float64, places int, random *rand.Rand) func(at []float64) []float64{
		"equal work, in turn": func(mean float64, places int, _ *rand.Rand) func([]float64) []float64 {
			return func(at []float64) []float64 {
				return queue(at, places, func() float64 { return mean * float64(places) })
			}
		},
		"different work, in turn": func(mean float64, places int, random *rand.Rand) func([]float64) []float64 {
			return func(at []float64) []float64 {
				return queue(at, places, func() float64 { return mean * float64(places) * (random.Float64() + .5) })
			}
		},
	}
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				rate := rapid.Float64Range(5, 20).Draw(t, "rate")
				capacity := rate * rapid.Float64Range(.05, .4).Draw(t, "capacity")
				places := rapid.IntRange(1, max(1, int(capacity*blockSeconds/8))).Draw(t, "places")
				serve := kind(1/capacity, places, seeded(rapid.Uint64().Draw(t, "seed")))
				require.True(t, endsByRate(2, serve, drawProcess(t), rate, rapid.Uint64().Draw(t, "stream")))
			})
		})
	}
}

func TestFlowsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.SliceOfN(rapid.Float64Range(0, 100), 1, 30).Draw(t, "at")
		var whole Flow
		parts := make([]Flow, 3)
		for i, v := range at {
			whole.Plan(v)
			parts[i%3].Plan(v)
			if i%2 == 0 {
				whole.Answer(v, v/3)
				parts[i%3].Answer(v, v/3)
			}
		}
		var sum Flow
		for _, p := range parts {
			data, err := json.Marshal(p)
			require.NoError(t, err)
			var received Flow
			require.NoError(t, json.Unmarshal(data, &received))
			sum.Add(received)
		}
		require.Equal(t, whole.Planned.N, sum.Planned.N)
		require.Equal(t, whole.Answered.N, sum.Answered.N)
		require.InDelta(t, whole.Planned.spread(), sum.Planned.spread(), 1e-6)
		require.InDelta(t, whole.Cross, sum.Cross, 1e-6)
	})
}

func TestNoFlowIsNoRate(t *testing.T) {
	_, bound := paceOf([]Block{{}}).achieved(.05)
	require.True(t, math.IsNaN(bound), "nothing was planned")
	one := Flow{}
	one.Plan(3)
	_, bound = paceOf([]Block{{Flow: one}}).achieved(.05)
	require.Greater(t, bound, .5, "one request says little")
}
