package ensemble

import (
	"context"
	"encoding/json"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Part is what a shard does in every block. Its functions are called one at a time.
type Part struct {
	// Plan lays a block out and returns the hash of the plan of all shards together, which must be equal on all.
	Plan func(ctx context.Context, block swap.BlockPlan) (sha256 string, err error)
	// Drive drives the shard's slice and returns when it is stored. It is called Config.Headway or more before turn.Start. It
	// must return at once when its context is cancelled, which means that the round is void; the cause says why, and what it
	// returns then is not looked at. Any other error ends the shard.
	Drive func(ctx context.Context, turn Turn) (SliceResult, error)
}

// Step is what the conductor does beside its own part. Its functions are called one at a time, and never during a block.
type Step struct {
	Part
	// Next chooses the block to drive; false ends the step.
	Next func(ctx context.Context) (block swap.BlockPlan, more bool, err error)
	// Seal makes a block count. There is one slice for each shard, in their order.
	Seal func(ctx context.Context, block swap.BlockPlan, slices []Slice) error
	// Finish, if set, is called after the last block and before the followers are let go. What was sealed must be stored when
	// it returns: a conductor that comes back later is alone.
	Finish func(ctx context.Context) error
}

// Turn is one try at a block. Conductor, Block and Round together are new for every try, and so must be what a slice is stored
// under.
type Turn struct {
	Block swap.BlockPlan
	// Round counts the tries of one attempt of the conductor, from 1, over all blocks.
	Round int
	// Conductor is the conductor's attempt.
	Conductor string
	// Start is when the block begins, on this shard's clock.
	Start time.Time
}

// SliceResult is a shard's part of a driven block.
type SliceResult struct {
	// Planned requests equal the sum of Outcomes.
	Planned  int
	Outcomes swap.OutcomeCounts
	// Samples are the caller's own numbers: finite, at most 64 MiB of them. They are for what is many; Payload says what they are.
	Samples []float32
	// Payload is the caller's own account of the slice, at most 512 KiB of JSON.
	Payload json.RawMessage
}

// Slice is a slice as the conductor has it.
type Slice struct {
	Shard   int
	Attempt string
	// Clock is how the shard's clock stood just before the block.
	Clock Clock
	SliceResult
}
