package calibration

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

const block = 30 * time.Second

// asks is a workload with prompts of 100 and answers of 50 tokens.
func asks(t require.TestingT, change func(*swap.Workload)) *workload.Generator {
	w := swap.Workload{API: swap.APIChat, InputTokens: swap.Lengths{Median: 100}, OutputTokens: swap.Lengths{Median: 50}}
	if change != nil {
		change(&w)
	}
	g, err := workload.New(w)
	require.NoError(t, err)
	return g
}

// before is the configuration for the calibration before a step.
func before(g *workload.Generator, step swap.Step) Config {
	return Config{
		Plan: load.PlanBlock(g, step, 0, block, 1, 1, nil), Duration: 2 * time.Second, Interval: 20 * time.Millisecond, Seed: 1,
	}
}

func constant(rate float64) swap.Step {
	return swap.Step{Rate: rate, Arrival: &swap.Arrival{Process: swap.ArrivalConstant}}
}

func grouped(shape swap.Shape, size int, think time.Duration) func(*swap.Workload) {
	return func(w *swap.Workload) {
		w.Topology = &swap.Topology{Shape: shape, Size: size, ThinkTime: swap.Duration(think)}
	}
}

func answers(tokens int) func(*swap.Workload) {
	return func(w *swap.Workload) { w.OutputTokens = swap.Lengths{Median: tokens} }
}

// amount is what a client does in the measured time of a schedule.
type amount struct{ requests, streams, tokens, prompt float64 }

// measured adds up a schedule's measured time: requests, tokens and prompt tokens per second, and streams open on average.
func measured(c Config, s schedule) amount {
	var a amount
	end := s.settle + s.measure
	for _, r := range s.sends {
		if r.at >= s.settle {
			a.requests++
			a.prompt += float64(r.input)
		}
		first, last := max(s.settle, r.at), min(end, r.at+c.answering(r.output))
		a.streams += max(0, (last - first).Seconds())
		for k := range r.output {
			if at := r.at + c.answering(k+1); at >= s.settle && at < end {
				a.tokens++
			}
		}
	}
	per := s.measure.Seconds()
	return amount{a.requests / per, a.streams / per, a.tokens / per, a.prompt / per}
}

// The client is calibrated under what it will drive: requests, streams and tokens, whatever belongs together.
func TestTheCalibrationIsAsHardAsTheStep(t *testing.T) {
	second := time.Second
	lengths := func(int) (input, output int) { return 700, 90 }
	recorded := &load.Replay{Gaps: []time.Duration{second, second}, Lengths: lengths}
	for name, test := range map[string]struct {
		workload func(*swap.Workload)
		step     swap.Step
		replay   *load.Replay
		shard    load.Shard
		interval time.Duration
		want     amount
	}{
		"requests that stand alone": {nil, constant(40), nil, load.Shard{}, 0, amount{40, 40, 2000, 4000}},
		"a slower engine has more streams": {
			nil, constant(40), nil, load.Shard{}, 80 * time.Millisecond, amount{40, 157.6, 2000, 4000},
		},
		"answers longer than the calibration": {
			answers(500), constant(20), nil, load.Shard{}, 0, amount{20, 200, 10_000, 2000},
		},
		"a star sends all its requests at once": {
			grouped(swap.ShapeStar, 5, 0), constant(8), nil, load.Shard{}, 0, amount{40, 40, 2000, 4000},
		},
		"a ring hands the answer on": {
			grouped(swap.ShapeRing, 4, 0), constant(10), nil, load.Shard{}, 0, amount{40, 40, 2000, 5500},
		},
		"a session sends what was said, after pauses": {
			grouped(swap.ShapeSession, 4, second), constant(10), nil, load.Shard{}, 0, amount{40, 40, 2000, 13000},
		},
		"recorded lengths": {
			nil,
			swap.Step{Rate: 20, Arrival: &swap.Arrival{Process: swap.ArrivalTrace}},
			recorded,
			load.Shard{},
			0,
			amount{20, 36, 1800, 14000},
		},
		"the highest of a ramp": {
			nil,
			swap.Step{Rate: 40, Arrival: constant(1).Arrival, Ramp: &swap.Ramp{From: 2}},
			nil,
			load.Shard{},
			0,
			amount{39, 39, 1950, 3900},
		},
		"the height of a spike": {
			nil, swap.Step{
				Rate: 5, Arrival: constant(1).Arrival,
				Spike: &swap.Spike{Rate: 80, After: swap.Duration(10 * second), For: swap.Duration(4 * second)},
			}, nil, load.Shard{}, 0, amount{80, 80, 4000, 8000},
		},
		"no more in flight than the step allows": {
			nil, swap.Step{Rate: 40, Arrival: constant(1).Arrival, MaxInFlight: 20}, nil, load.Shard{}, 0, amount{27, 20, 1000, 2700},
		},
		"no more tokens than the step allows": {
			nil,
			swap.Step{Rate: 40, Arrival: constant(1).Arrival, TokenRate: &swap.TokenRate{Limit: 3000}},
			nil,
			load.Shard{},
			0,
			amount{20, 20, 1000, 2000},
		},
		"a load worker's own share": {nil, constant(80), nil, load.Shard{Index: 1, Of: 2}, 0, amount{40, 40, 2000, 4000}},
	} {
		t.Run(name, func(t *testing.T) {
			c := before(asks(t, test.workload), constant(1))
			c.Plan = load.PlanBlock(asks(t, test.workload), test.step, 0, block, 1, 1, test.replay)
			if c.Shard = test.shard; test.interval > 0 {
				c.Interval = test.interval
			}
			sends, err := c.forecast(sampleOf(c.Plan))
			require.NoError(t, err)
			got := measured(c, c.schedule(sends))
			require.InEpsilon(t, test.want.requests, got.requests, 0.25, "requests per second")
			require.InEpsilon(t, test.want.streams, got.streams, 0.25, "streams at a time")
			require.InEpsilon(t, test.want.tokens, got.tokens, 0.25, "tokens per second")
			require.InEpsilon(t, test.want.prompt, got.prompt, 0.25, "prompt tokens per second")
		})
	}
}

func TestAClosedLoopKeepsAsManyStreamsOpen(t *testing.T) {
	second := time.Second
	for name, test := range map[string]struct {
		workload           func(*swap.Workload)
		shard              load.Shard
		concurrency, size  int
		longest            int
		firstIn, secondOut int
	}{
		"requests that stand alone": {nil, load.Shard{}, 8, 1, 50, 100, 50},
		"long answers are cut":      {answers(5000), load.Shard{}, 8, 1, 50, 100, 50},
		"a star": {
			func(w *swap.Workload) { answers(20)(w); grouped(swap.ShapeStar, 6, 0)(w) }, load.Shard{}, 8, 6, 20, 100, 20,
		},
		"a ring":                  {grouped(swap.ShapeRing, 3, 0), load.Shard{}, 8, 1, 50, 100, 50},
		"a session":               {grouped(swap.ShapeSession, 3, second), load.Shard{}, 8, 1, 50, 100, 50},
		"a load worker's share":   {nil, load.Shard{Index: 0, Of: 3}, 3, 1, 50, 100, 50},
		"a share of almost none":  {nil, load.Shard{Index: 8, Of: 9}, 1, 1, 50, 100, 50},
		"answers of many lengths": {func(w *swap.Workload) { w.OutputTokens.Sigma = 1 }, load.Shard{}, 8, 1, 50, 100, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c := before(asks(t, test.workload), swap.Step{Concurrency: 8, ThinkTime: swap.Duration(second)})
			c.Shard = test.shard
			p, err := c.plan()
			require.NoError(t, err)
			require.Equal(t, swap.Step{Concurrency: test.concurrency}, p.Step)
			require.Equal(t, test.size, p.UnitSize())
			lengths := map[int]bool{}
			for n := range 20 {
				for _, turn := range p.Unit(n).Turns {
					require.LessOrEqual(t, turn.MaxTokens, test.longest)
					require.False(t, turn.Follows)
					lengths[turn.MaxTokens] = true
				}
			}
			require.Equal(t, test.firstIn, p.Unit(0).Turns[0].InputTokens)
			if test.secondOut > 0 {
				require.Equal(t, map[int]bool{test.secondOut: true}, lengths)
				return
			}
			require.Greater(t, len(lengths), 5, "answers are as different as the step's")
		})
	}
}

// A session's later prompts hold all that was said.
func TestPromptsGrowAsTheyDoInTheStep(t *testing.T) {
	units := sampleOf(before(asks(t, grouped(swap.ShapeSession, 3, 0)), constant(1)).Plan)
	var inputs []int
	for _, l := range units.lengths()[:3] {
		inputs = append(inputs, l.input)
	}
	require.Equal(t, []int{100, 250, 400}, inputs)
}

func TestASlowStepIsFilledUp(t *testing.T) {
	c := before(asks(t, nil), constant(0.1))
	sends, err := c.forecast(sampleOf(c.Plan))
	require.NoError(t, err)
	got := c.schedule(sends)
	require.InDelta(t, leastRequests/got.measure.Seconds(), measured(c, got).requests, 0.01)
	empty := c.schedule(outlook{length: block})
	require.Len(t, empty.sends, leastRequests)
}

// Streams are not opened faster than a server can take them, however many there are.
func TestManyStreamsAreOpenedInTheirTime(t *testing.T) {
	c := before(asks(t, answers(1000)), constant(500))
	sends, err := c.forecast(sampleOf(c.Plan))
	require.NoError(t, err)
	s := c.schedule(sends)
	require.Greater(t, s.settle, 2*time.Second)
	opened := 0
	for _, r := range s.sends {
		if r.at < s.settle {
			opened++
		}
	}
	require.LessOrEqual(t, float64(opened)/s.settle.Seconds(), openedPerSecond+1.0)
}

func TestEveryValidConfigurationCanBeServed(t *testing.T) {
	shapes := []*swap.Topology{nil, {Shape: swap.ShapeStar, Size: 3}, {Shape: swap.ShapeRing, Size: 4}, {Shape: swap.ShapeSession, Size: 2}}
	rapid.Check(t, func(t *rapid.T) {
		g := asks(t, func(w *swap.Workload) {
			w.OutputTokens = swap.Lengths{Median: rapid.IntRange(1, 1e5).Draw(t, "tokens"), Sigma: 0.5}
			w.Topology = rapid.SampledFrom(shapes).Draw(t, "topology")
		})
		step := swap.Step{Rate: rapid.Float64Range(0.01, 50).Draw(t, "rate"), MaxInFlight: rapid.IntRange(0, 9).Draw(t, "limit")}
		if rapid.Bool().Draw(t, "closed") {
			step = swap.Step{Concurrency: 4}
		}
		c := before(g, step)
		c.Duration = time.Duration(rapid.Int64Range(1, int64(time.Minute)).Draw(t, "duration"))
		c.Interval = time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "interval"))
		require.NoError(t, c.beat(1).Validate())
		p, err := c.plan()
		require.NoError(t, err)
		require.Equal(t, step.Rate > 0, p.Open())
		for i, at := range p.Arrivals {
			require.True(t, at >= 0 && at < p.Length(), "%s of %s", at, p.Length())
			tokens := p.Unit(i).Turns[0].MaxTokens
			require.Positive(t, tokens)
			if tokens > 1 {
				require.LessOrEqual(t, at+c.answering(tokens), p.Length())
			}
		}
	})
}

func TestWhatCannotBeCalibratedIsRefused(t *testing.T) {
	for says, change := range map[string]func(*Config){
		"neither a rate": func(c *Config) { c.Plan.Step = swap.Step{KVShare: .5} },
		"the duration":   func(c *Config) { c.Duration = 0 },
		"the block":      func(c *Config) { c.Plan.Measure = 0 },
	} {
		c := before(asks(t, nil), constant(1))
		change(&c)
		_, err := Run(t.Context(), c)
		require.ErrorContains(t, err, says)
		require.ErrorIs(t, err, ErrInvalid)
	}
}

// Of a block with very many requests, the part with the highest rate is looked at.
func TestAVeryLargeBlockIsLookedAtWhereItIsDensest(t *testing.T) {
	var starts []time.Duration
	for i := range 100 {
		starts = append(starts, time.Duration(i)*time.Second)
		if i >= 40 && i < 60 {
			starts = append(starts, time.Duration(i)*time.Second+time.Second/2)
		}
	}
	part, length := densest(starts, 100*time.Second, 30)
	require.Len(t, part, 30)
	require.Zero(t, part[0])
	require.Equal(t, 15*time.Second, length)
	require.Equal(t, time.Second/2, part[1])
	all, length := densest(starts, 100*time.Second, len(starts))
	require.Equal(t, starts, all)
	require.Equal(t, 100*time.Second, length)
}
