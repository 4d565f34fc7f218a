package pace

import (
	"fmt"
	"math"
	"sync"
	"time"
)

// TokenBucket limits tokens per second. It is a token bucket without debt: a request goes when all of its tokens have accrued,
// also one larger than the bucket, for which they accrue beyond what the bucket holds from when it is first in line. So a
// block, which begins with a full bucket, lets go no more than limit·(w + burst) tokens in its first w, and any time w no more
// than limit·w tokens and the larger of limit·burst and one request. It is safe for concurrent use.
type TokenBucket struct {
	limit    float64 // tokens per second
	capacity float64

	mu sync.Mutex
	// level is the number of tokens in the bucket at the time of last, when a request last went.
	level float64
	last  time.Duration
}

// NewTokenBucket returns a full bucket of limit tokens per second that holds burst's worth of them.
func NewTokenBucket(limit float64, burst time.Duration) (*TokenBucket, error) {
	if !(limit > 0) || math.IsInf(limit, 1) {
		return nil, fmt.Errorf("the limit of tokens per second is %g; it must be above 0 and finite", limit)
	}
	if burst < 0 {
		return nil, fmt.Errorf("the burst of a limit of tokens per second is %s; it must not be negative", burst)
	}
	capacity := limit * burst.Seconds()
	return &TokenBucket{limit: limit, capacity: capacity, level: capacity}, nil
}

// Due takes the tokens of one request and returns when it may go: now or later, and never before a request that asked
// earlier. A request that is then not sent has still used its tokens.
func (b *TokenBucket) Due(now time.Duration, tokens int) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	asked := float64(max(0, tokens))
	due := max(now, b.last)
	left := b.levelAt(due) - asked
	if left < 0 {
		due, left = later(due, -left/b.limit), 0
	}
	b.level, b.last = left, due
	return due
}

func (b *TokenBucket) levelAt(t time.Duration) float64 {
	return min(b.capacity, b.level+b.limit*(t-b.last).Seconds())
}

// later is t + seconds, rounded up so that nothing goes early, and at most the largest duration.
func later(t time.Duration, seconds float64) time.Duration {
	ns := math.Ceil(seconds * float64(time.Second))
	if ns >= float64(math.MaxInt64-max(0, t)) {
		return math.MaxInt64
	}
	return t + time.Duration(ns)
}
