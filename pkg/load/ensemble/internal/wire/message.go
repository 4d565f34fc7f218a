package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Version of the protocol. Shards of different versions do not work together.
const Version = 1

// Message is one of the messages below.
type Message interface {
	kind() string
	check() error
}

// Sent by a follower.
type (
	// Hello is the first message on a connection.
	Hello struct {
		Version int    `json:"version"`
		Shard   int    `json:"shard"`
		Of      int    `json:"of"`
		Attempt string `json:"attempt"`
	}
	// Ping asks for the conductor's time. SentNS is the follower's clock.
	Ping struct {
		SentNS int64 `json:"sent_ns"`
	}
	// Ready says that the block of a round is planned, and how the follower's clock stands.
	Ready struct {
		Round         int    `json:"round"`
		PlanSHA256    string `json:"plan_sha256"`
		OffsetNS      int64  `json:"offset_ns"`
		UncertaintyNS int64  `json:"uncertainty_ns"`
	}
	// Late says that the start of a round had passed before the follower heard of it.
	Late struct {
		Round int   `json:"round"`
		ByNS  int64 `json:"by_ns"`
	}
	// Slice is a follower's part of a driven block.
	Slice struct {
		Round    int                `json:"round"`
		Planned  int                `json:"planned"`
		Outcomes swap.OutcomeCounts `json:"outcomes"`
		Payload  json.RawMessage    `json:"payload,omitempty"`
		// Samples are attached to the frame.
		Samples []float32 `json:"-"`
	}
	// Failed says that the follower gives up.
	Failed struct {
		Round  int    `json:"round"`
		Reason string `json:"reason"`
	}
)

// Sent by the conductor.
type (
	// Welcome answers a Hello.
	Welcome struct {
		Conductor string `json:"conductor"`
	}
	// Refused answers a Hello, or ends what a Welcome began. After a final one it is useless to try again.
	Refused struct {
		Reason string `json:"reason"`
		Final  bool   `json:"final"`
	}
	// Pong answers a Ping. ReceivedNS and SentNS are the conductor's clock.
	Pong struct {
		PingNS     int64 `json:"ping_ns"`
		ReceivedNS int64 `json:"received_ns"`
		SentNS     int64 `json:"sent_ns"`
	}
	// Prepare begins a round.
	Prepare struct {
		Round int            `json:"round"`
		Block swap.BlockPlan `json:"block"`
	}
	// Go sets the start of a round, on the conductor's clock.
	Go struct {
		Round   int   `json:"round"`
		StartNS int64 `json:"start_ns"`
	}
	// Void ends a round that counts for nothing.
	Void struct {
		Round  int    `json:"round"`
		Reason string `json:"reason"`
	}
	// End says that the step is done.
	End struct{}
	// Stop says that the step failed.
	Stop struct {
		Reason string `json:"reason"`
	}
)

// Alive is sent by both when there is nothing else to say.
type Alive struct{}

func (Hello) kind() string   { return "hello" }
func (Ping) kind() string    { return "ping" }
func (Ready) kind() string   { return "ready" }
func (Late) kind() string    { return "late" }
func (Slice) kind() string   { return "slice" }
func (Failed) kind() string  { return "failed" }
func (Welcome) kind() string { return "welcome" }
func (Refused) kind() string { return "refused" }
func (Pong) kind() string    { return "pong" }
func (Prepare) kind() string { return "prepare" }
func (Go) kind() string      { return "go" }
func (Void) kind() string    { return "void" }
func (End) kind() string     { return "end" }
func (Stop) kind() string    { return "stop" }
func (Alive) kind() string   { return "alive" }

// longestName bounds ids and hashes.
const longestName = 256

func (m Hello) check() error   { return checkName("attempt", m.Attempt) }
func (Ping) check() error      { return nil }
func (m Failed) check() error  { return checkRound(m.Round, 0) }
func (m Welcome) check() error { return checkName("conductor", m.Conductor) }
func (Refused) check() error   { return nil }
func (Pong) check() error      { return nil }
func (m Prepare) check() error { return checkRound(m.Round, 1) }
func (m Go) check() error      { return checkRound(m.Round, 1) }
func (m Void) check() error    { return checkRound(m.Round, 1) }
func (m Late) check() error    { return checkRound(m.Round, 1) }
func (End) check() error       { return nil }
func (Stop) check() error      { return nil }
func (Alive) check() error     { return nil }

func (m Ready) check() error {
	if m.UncertaintyNS < 0 {
		return errors.New("uncertainty_ns is negative")
	}
	return errors.Join(checkRound(m.Round, 1), checkName("plan_sha256", m.PlanSHA256))
}

func (m Slice) check() error {
	for outcome, n := range m.Outcomes {
		if n < 0 {
			return fmt.Errorf("%d requests ended %s", n, outcome)
		}
	}
	if total := m.Outcomes.Total(); m.Planned != total {
		return fmt.Errorf("%d requests planned, %d outcomes", m.Planned, total)
	}
	for _, v := range m.Samples {
		if !(math.Abs(float64(v)) <= math.MaxFloat32) {
			return errors.New("a sample is not a finite number")
		}
	}
	return checkRound(m.Round, 1)
}

func checkRound(round, least int) error {
	if round < least {
		return fmt.Errorf("round is %d", round)
	}
	return nil
}

func checkName(what, name string) error {
	if name == "" || len(name) > longestName {
		return fmt.Errorf("%s has %d bytes, must have 1 to %d", what, len(name), longestName)
	}
	return nil
}
