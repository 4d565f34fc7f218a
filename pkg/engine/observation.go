package engine

import (
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Observation is what happened to one request. Times carry the monotonic clock; a zero time is an event that never
// happened. All times of arrival are those of the read that brought the last byte of the event.
type Observation struct {
	Outcome swap.Outcome
	// Err is a short, sanitised cause from a small set of texts; empty for a good request.
	Err    string
	Status int

	// Sent is the moment just before the first byte of the request was written to the connection. Where the transport's
	// connection cannot be watched (a foreign RoundTripper), it is when the request got its connection.
	Sent time.Time
	// Headers is the first byte of the response.
	Headers time.Time
	// Role is the first chunk with a choice, empty or not.
	Role time.Time
	// First is the first non-empty delta on any channel, Visible the first content or tool call, Last the last delta.
	First, Visible, Last time.Time
	// End is the terminator, or else the end of the body, clean or not.
	End time.Time

	// Chunks counts non-empty deltas. GapsUS are the microseconds between them; chunks that came with one read have the
	// gap 0 and are counted in Coalesced, because their true spacing is unknown.
	Chunks    int
	GapsUS    []int64
	Coalesced int
	// Keepalives counts comment lines.
	Keepalives int

	// PromptTokens, OutputTokens and CachedTokens are the server's usage; nil where it gave none.
	PromptTokens, OutputTokens, CachedTokens *int32

	FinishReason string
	Fingerprint  string
	// Arm is the response header named by ClientOptions.ArmHeader.
	Arm string
	// ConnReused says that the request went out on a kept connection. Attempts counts connections given to the request;
	// it is never above 1.
	ConnReused bool
	Attempts   int
}
