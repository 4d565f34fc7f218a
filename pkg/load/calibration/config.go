package calibration

import (
	"errors"
	"fmt"
	"time"

	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/sim/metronome"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// defaultInterval is the time between the tokens of a stream where the caller does not know the engine's.
	defaultInterval = 20 * time.Millisecond
	// firstToken is the time to the first token of the server of known truth.
	firstToken = 20 * time.Millisecond
	// longestSettle bounds the time that is left out at the start, a quarter of the duration at most, unless there are so many
	// streams to begin with that it takes longer to open them.
	longestSettle = time.Second
	// openedPerSecond is how many streams are begun in a second of settle time at most.
	openedPerSecond = 2000
)

// Config says what load the client is calibrated under.
type Config struct {
	// Plan is the block that the client will drive, of all load workers together; Shard is the client's share of it. Prompts,
	// answers, units of work, arrivals and the step's own limits are those of the plan. kv_share must have been turned into
	// concurrency.
	Plan  load.Plan
	Shard load.Shard
	// Duration is how long load is started. A plan with many streams at a time takes a little longer.
	Duration time.Duration
	// API is chat or completions. The server of known truth speaks no other interface: any other is taken for chat.
	API swap.API
	// Interval is the expected time between the tokens of a stream; 20 ms if it is not known.
	Interval time.Duration
	// Seed decides prompts.
	Seed uint64
}

func (c Config) validate() error {
	step := c.Plan.Step
	switch {
	case step.Rate <= 0 && step.Concurrency <= 0:
		return errors.New("calibration: the step has neither a rate nor a concurrency")
	case c.Duration <= 0:
		return fmt.Errorf("calibration: the duration is %s; it must be positive", c.Duration)
	case c.Plan.Length() <= 0:
		return fmt.Errorf("calibration: the block to come takes %s; it must take longer", c.Plan.Length())
	}
	return nil
}

// settle is the time at the start in which streams build up.
func (c Config) settle() time.Duration { return min(c.Duration/4, longestSettle) }

func (c Config) interval() time.Duration {
	if c.Interval <= 0 {
		return defaultInterval
	}
	return c.Interval
}

// answering is how long the server of known truth takes for an answer of so many tokens.
func (c Config) answering(tokens int) time.Duration {
	return firstToken + time.Duration(max(0, tokens-1))*c.interval()
}

// tokensIn is how many tokens it writes within d of a request, and at least one.
func (c Config) tokensIn(d time.Duration) int { return max(1, 1+int((d-firstToken)/c.interval())) }

// beat configures the server of known truth for so many requests.
func (c Config) beat(requests int) metronome.Config {
	m := metronome.Default()
	m.Interval, m.FirstToken, m.Keep = c.interval(), firstToken, max(m.Keep, requests)
	return m
}

// workload is what is asked, lengths aside.
func (c Config) workload(topology *swap.Topology) swap.Workload {
	api := swap.APIChat
	if c.API == swap.APICompletions {
		api = c.API
	}
	return swap.Workload{
		API: api, InputTokens: swap.Lengths{Median: 1}, OutputTokens: swap.Lengths{Median: 1}, Topology: topology,
		IgnoreEOS: true, PromptCache: swap.CacheShared, Seed: c.Seed,
	}
}
