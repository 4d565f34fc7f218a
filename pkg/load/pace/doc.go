// Package pace decides when a load client may send: a limit on tokens per second, a limit on requests in flight, pauses
// between requests, and how many requests fill a KV cache. It is pure: callers pass the time, as an offset from the start of
// the block.
package pace
