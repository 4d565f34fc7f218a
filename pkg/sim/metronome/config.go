package metronome

import (
	"fmt"
	"time"
)

// Config is the beat of a metronome.
type Config struct {
	// Model is the name that it lists; it answers for any.
	Model string `json:"model"`
	// FirstToken is the time from the arrival of a request to its first token, Interval the time between tokens.
	FirstToken time.Duration `json:"first_token_ns"`
	Interval   time.Duration `json:"interval_ns"`
	// Burst moves all tokens of all streams to common ticks, one an Interval, as an engine with continuous batching writes
	// them.
	Burst bool `json:"burst,omitempty"`
	// Keep is the number of requests whose truth is kept.
	Keep int `json:"keep"`
}

// Default is a beat like that of a fast engine.
func Default() Config {
	return Config{Model: "metronome", FirstToken: 20 * time.Millisecond, Interval: 20 * time.Millisecond, Keep: 1 << 18}
}

// Validate says what is wrong with a configuration.
func (c Config) Validate() error {
	switch {
	case c.Model == "":
		return fmt.Errorf("metronome: model is empty")
	case c.FirstToken < 0:
		return fmt.Errorf("metronome: the time to the first token is %s; it must not be negative", c.FirstToken)
	case c.Interval <= 0:
		return fmt.Errorf("metronome: the interval is %s; it must be positive", c.Interval)
	case c.Keep < 1:
		return fmt.Errorf("metronome: the truth of %d requests is kept; it must be at least 1", c.Keep)
	}
	return nil
}
