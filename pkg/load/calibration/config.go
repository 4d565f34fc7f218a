package calibration

import (
	"errors"
	"fmt"
	"time"

	"github.com/swapgate/swapgate/pkg/sim/metronome"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// defaultInterval is the time between the tokens of a stream where the caller does not know the engine's.
	defaultInterval = 20 * time.Millisecond
	// leastInterval is about the shortest that engines reach.
	leastInterval = 2 * time.Millisecond
	// firstToken is the time to the first token of the server of known truth.
	firstToken = 20 * time.Millisecond
	// leastRequests is how many requests an open loop sends at least, on average: a slow step's own would tell nothing.
	leastRequests = 20
	// longestSettle bounds the time that is left out at the start, a quarter of the duration at most.
	longestSettle = time.Second
)

// Config says what load the client is calibrated under.
type Config struct {
	// Step is the load level, in requests; for one of several load workers, its own share. A ramp or spike is replaced by
	// its highest rate, a trace by Poisson arrivals, a rate that gives less than twenty requests is raised, and think time
	// is left out: the calibration is not to be the easier. kv_share must have been turned into concurrency.
	Step swap.Step
	// Duration is how long load is started; what is then in flight may finish, which takes half as long again at most.
	Duration time.Duration
	// PromptTokens and OutputTokens are the typical lengths of the step's prompts and answers.
	PromptTokens, OutputTokens int
	// API is chat or completions. The server of known truth speaks no other interface: any other is taken for chat.
	API swap.API
	// Interval is the expected time between the tokens of a stream; 20 ms if it is not known.
	Interval time.Duration
	// Seed decides prompts and arrivals.
	Seed uint64
}

func (c Config) validate() error {
	switch {
	case c.Step.Rate <= 0 && c.Step.Concurrency <= 0:
		return errors.New("calibration: the step has neither a rate nor a concurrency")
	case c.Duration <= 0:
		return fmt.Errorf("calibration: the duration is %s; it must be positive", c.Duration)
	case c.PromptTokens < 1 || c.OutputTokens < 1:
		return fmt.Errorf("calibration: prompts of %d and answers of %d tokens; both must be at least 1",
			c.PromptTokens, c.OutputTokens)
	}
	return nil
}

// step is what is driven.
func (c Config) step() swap.Step {
	s := c.Step
	if s.Rate <= 0 {
		return swap.Step{Concurrency: s.Concurrency}
	}
	driven := swap.Step{Rate: s.Rate, Arrival: s.Arrival, MaxInFlight: s.MaxInFlight, TokenRate: s.TokenRate}
	if s.Ramp != nil {
		driven.Rate = max(driven.Rate, s.Ramp.From)
	}
	if s.Spike != nil {
		driven.Rate = max(driven.Rate, s.Spike.Rate)
	}
	driven.Rate = max(driven.Rate, leastRequests/c.Duration.Seconds())
	if s.Arrival != nil && s.Arrival.Process == swap.ArrivalTrace {
		driven.Arrival = nil
	}
	return driven
}

// settle is the time at the start in which streams build up.
func (c Config) settle() time.Duration { return min(c.Duration/4, longestSettle) }

// answer is the length of an answer and the time between its tokens. Answers are over in time for the calibration to see
// whole ones and the load at its planned height: half of the duration at most in a closed loop, where the number of streams
// makes the tokens per second and a long answer is cut short; a third in an open loop, where the length makes them and a
// long answer is written faster, and cut short only where no engine is so fast.
func (c Config) answer() (tokens int, interval time.Duration) {
	interval = c.Interval
	if interval <= 0 {
		interval = defaultInterval
	}
	longest := c.Duration / 2
	if c.step().Rate > 0 {
		longest = c.Duration / 3
		interval = min(interval, max(leastInterval, (longest-firstToken)/time.Duration(c.OutputTokens)))
	}
	return max(1, min(c.OutputTokens, int((longest-firstToken)/interval))), interval
}

// beat configures the server of known truth for so many arrivals.
func (c Config) beat(arrivals int) metronome.Config {
	m := metronome.Default()
	_, m.Interval = c.answer()
	m.FirstToken, m.Keep = firstToken, max(m.Keep, arrivals)
	return m
}

// workload is what is asked.
func (c Config) workload() swap.Workload {
	tokens, _ := c.answer()
	api := swap.APIChat
	if c.API == swap.APICompletions {
		api = c.API
	}
	return swap.Workload{
		API: api, InputTokens: swap.Lengths{Median: c.PromptTokens}, OutputTokens: swap.Lengths{Median: tokens},
		IgnoreEOS: true, PromptCache: swap.CacheShared, Seed: c.Seed,
	}
}

// timeout is far more than an answer takes.
func (c Config) timeout() time.Duration { return c.Duration + 10*time.Second }
