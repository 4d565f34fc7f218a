package engine

import (
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Observation is what happened to one request. Times carry the monotonic clock; a zero time is an event that never
// happened. All times of arrival are those of the bytes that completed the event: the kernel's where it gives one, else the
// moment when the read returned.
type Observation struct {
	Outcome swap.Outcome
	// Err is a short, sanitised cause from a small set of texts; empty for a good request.
	Err    string
	Status int
	// Unread says of an answer with the outcome ParseError, on which request it was no answer that can be read, and quotes up
	// to 120 bytes of it, escaped; Remedy, what to do next. They are for people: unlike Err, they may hold text of the answer.
	Unread, Remedy string

	// Sent is the moment just before the first byte of the request was written to the connection.
	Sent time.Time
	// Headers is the first byte of the response.
	Headers time.Time
	// Role is the first chunk with a choice, empty or not.
	Role time.Time
	// First is the first non-empty delta on any channel, Visible the first content or tool call, Last the last delta.
	First, Visible, Last time.Time
	// Finish is the chunk with the finish reason.
	Finish time.Time
	// End is the terminator, or else the end of the body, clean or not.
	End time.Time

	// Chunks counts non-empty deltas. GapsUS are the microseconds between them; chunks that came with one read have the
	// gap 0 and are counted in Coalesced, because their true spacing is unknown.
	Chunks    int
	GapsUS    []int64
	Coalesced int
	// ChunkTokens are the tokens of each chunk, as the server's running usage tells; nil where it does not.
	ChunkTokens []int32
	// KernelStamped counts the deltas whose time is the kernel's; Lag is the longest time from the kernel's receipt of one to
	// the client's look at it.
	KernelStamped int
	Lag           time.Duration
	// Keepalives counts comment lines.
	Keepalives int

	// PromptTokens, OutputTokens and CachedTokens are the server's usage; nil where it gave none.
	PromptTokens, OutputTokens, CachedTokens *int32

	// Work is what the answer holds in the unit of its interface, where that is not tokens; nil where it cannot be told.
	Work *float64
	// Text is the answer, if the ask wanted it kept; TextCut says that only its beginning is, because it is too long.
	Text    string
	TextCut bool

	FinishReason string
	Fingerprint  string
	// Arm is the response header named by ClientOptions.ArmHeader.
	Arm string
	// ConnReused says that the request went out on a kept connection. Attempts is 1 for a request that got a connection, else 0:
	// nothing is sent twice.
	ConnReused bool
	Attempts   int
}
