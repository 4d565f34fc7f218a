package calibration

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func valid() Config {
	return Config{Step: swap.Step{Rate: 10}, Duration: 6 * time.Second, PromptTokens: 100, OutputTokens: 50}
}

func TestWhatIsDriven(t *testing.T) {
	gamma := &swap.Arrival{Process: swap.ArrivalGamma, CV: 2}
	for name, test := range map[string]struct{ step, driven swap.Step }{
		"closed loop": {swap.Step{Concurrency: 8, ThinkTime: swap.Duration(time.Second), Hold: 1}, swap.Step{Concurrency: 8}},
		"open loop":   {swap.Step{Rate: 5, Arrival: gamma, MaxInFlight: 3, Hold: 1}, swap.Step{Rate: 5, Arrival: gamma, MaxInFlight: 3}},
		"ramp up":     {swap.Step{Rate: 5, Ramp: &swap.Ramp{From: 1}}, swap.Step{Rate: 5}},
		"ramp down":   {swap.Step{Rate: 5, Ramp: &swap.Ramp{From: 9}}, swap.Step{Rate: 9}},
		"spike":       {swap.Step{Rate: 5, Spike: &swap.Spike{Rate: 50}}, swap.Step{Rate: 50}},
		"slow":        {swap.Step{Rate: .1}, swap.Step{Rate: 2}},
		"trace":       {swap.Step{Rate: 5, Arrival: &swap.Arrival{Process: swap.ArrivalTrace}}, swap.Step{Rate: 5}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.driven, Config{Step: test.step, Duration: 10 * time.Second}.step())
		})
	}
}

func TestAnswersFitTheDuration(t *testing.T) {
	for name, test := range map[string]struct {
		change   func(*Config)
		tokens   int
		interval time.Duration
	}{
		"closed loop":              {func(c *Config) { c.Step = swap.Step{Concurrency: 4} }, 50, 20 * time.Millisecond},
		"closed loop, long answer": {func(c *Config) { c.Step, c.OutputTokens = swap.Step{Concurrency: 4}, 5000 }, 149, 20 * time.Millisecond},
		"open loop":                {func(*Config) {}, 50, 20 * time.Millisecond},
		"known interval":           {func(c *Config) { c.Interval = 8 * time.Millisecond }, 50, 8 * time.Millisecond},
		"open loop, long answer":   {func(c *Config) { c.OutputTokens = 495 }, 495, 4 * time.Millisecond},
		"open loop, endless":       {func(c *Config) { c.OutputTokens = 50_000 }, 990, 2 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			c := valid()
			test.change(&c)
			tokens, interval := c.answer()
			require.Equal(t, test.tokens, tokens)
			require.Equal(t, test.interval, interval)
		})
	}
}

func TestEveryValidConfigurationCanBeServed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := valid()
		if rapid.Bool().Draw(t, "closed") {
			c.Step = swap.Step{Concurrency: 4}
		}
		c.Duration = time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "duration"))
		c.OutputTokens = rapid.IntRange(1, 1e6).Draw(t, "tokens")
		c.Interval = time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "interval"))
		require.NoError(t, c.validate())
		require.NoError(t, c.beat(1).Validate())
		tokens, _ := c.answer()
		require.Positive(t, tokens)
		require.LessOrEqual(t, tokens, c.OutputTokens)
	})
}

func TestWhatCannotBeCalibratedIsRefused(t *testing.T) {
	for says, change := range map[string]func(*Config){
		"neither a rate":   func(c *Config) { c.Step = swap.Step{KVShare: .5} },
		"the duration":     func(c *Config) { c.Duration = 0 },
		"answers of 0":     func(c *Config) { c.OutputTokens = 0 },
		"prompts of 0 and": func(c *Config) { c.PromptTokens = 0 },
	} {
		c := valid()
		change(&c)
		_, err := Run(t.Context(), c)
		require.ErrorContains(t, err, says)
	}
}
