package ensemble

import (
	"errors"
	"fmt"
	"time"
)

// Config of one shard. Zero durations take the defaults.
type Config struct {
	// Shard is this shard, from 0, of Of.
	Shard, Of int
	// Attempt is new for every try at this shard, and differs from shard to shard.
	Attempt string
	// Board is where the shards find each other; not needed for one shard alone.
	Board Noticeboard
	// Listen is the conductor's host:port; by default all interfaces and a port of the system's choice. With a fixed port, one
	// host can conduct one step at a time.
	Listen string
	// Advertise is the host, or host:port, at which followers reach the conductor; by default the addresses of its interfaces.
	Advertise string
	// Now is the clock; by default time.Now.
	Now func() time.Time
	// JoinWithin is how long all shards may take to come together at first (2 min).
	JoinWithin time.Duration
	// ReturnWithin is how long a lost shard or conductor is waited for (2 min). It must leave time for a new attempt to be
	// scheduled.
	ReturnWithin time.Duration
	// Silence is after how long without a byte the other side counts as lost (10 s).
	Silence time.Duration
	// Poll is how often a follower looks at the noticeboard (1 s).
	Poll time.Duration
	// Headway is how long before its start a drive begins at the latest (200 ms). It must be enough to open connections.
	Headway time.Duration
	// Lead is how far ahead a start is set at first (1 s; one shard alone: 300 ms). It doubles whenever a shard hears of a
	// start with less than Headway left.
	Lead time.Duration
	// OnWait, if set, is told in a sentence what is being waited for, and "" when the wait is over. It must be quick.
	OnWait func(sentence string)
}

const (
	// beats in a silence.
	beats = 4
	// longestLead is beyond what any usable network needs.
	longestLead = 32 * time.Second
)

func (c Config) complete() (Config, error) {
	switch {
	case c.Of < 1 || c.Shard < 0 || c.Shard >= c.Of:
		return c, fmt.Errorf("%w: shard %d of %d does not exist", ErrInvalid, c.Shard, c.Of)
	case c.Attempt == "":
		return c, fmt.Errorf("%w: shard %d has no attempt id", ErrInvalid, c.Shard)
	case c.Board == nil && c.Of > 1:
		return c, fmt.Errorf("%w: shard %d of %d has no noticeboard", ErrInvalid, c.Shard, c.Of)
	}
	if c.Listen == "" {
		c.Listen = ":0"
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.OnWait == nil {
		c.OnWait = func(string) {}
	}
	lead := time.Second
	if c.Of == 1 {
		lead = 300 * time.Millisecond
	}
	for _, d := range []struct {
		value    *time.Duration
		fallback time.Duration
	}{
		{&c.JoinWithin, 2 * time.Minute},
		{&c.ReturnWithin, 2 * time.Minute},
		{&c.Silence, 10 * time.Second},
		{&c.Poll, time.Second},
		{&c.Headway, 200 * time.Millisecond},
		{&c.Lead, lead},
	} {
		if *d.value < 0 {
			return c, fmt.Errorf("%w: a duration is negative: %s", ErrInvalid, *d.value)
		}
		if *d.value == 0 {
			*d.value = d.fallback
		}
	}
	return c, nil
}

func (p Part) check() error {
	if p.Plan == nil || p.Drive == nil {
		return fmt.Errorf("%w: a part needs Plan and Drive", ErrInvalid)
	}
	return nil
}

func (s Step) check() error {
	if s.Next == nil || s.Seal == nil {
		return fmt.Errorf("%w: a step needs Next and Seal", ErrInvalid)
	}
	return s.Part.check()
}

// ErrInvalid is a mistake of the caller.
var ErrInvalid = errors.New("ensemble misused")
