package eventstream

import (
	"errors"
	"sync/atomic"
)

// ErrTooManyLongEvents ends a body whose event is long while the long events of other bodies take all memory that is meant
// for them. It says nothing of the body: the reader's side has too little room.
var ErrTooManyLongEvents = errors.New("the long events of all streams take too much memory together")

// Budget bounds what the buffers of the readers that share it take together, for events longer than 64 KiB. A nil budget has
// no bound. It is safe for concurrent use.
type Budget struct {
	most int64
	used atomic.Int64
}

// NewBudget returns a budget of so many bytes.
func NewBudget(most int64) *Budget { return &Budget{most: most} }

// Used is how many bytes are taken.
func (b *Budget) Used() int64 {
	if b == nil {
		return 0
	}
	return b.used.Load()
}

// resize accounts for a buffer that changes its size; it reports false, and takes nothing, if the budget has no room.
func (b *Budget) resize(from, to int) bool {
	more := int64(max(to, busyBuffer) - max(from, busyBuffer))
	if b == nil || more == 0 {
		return true
	}
	if b.used.Add(more) > b.most && more > 0 {
		b.used.Add(-more)
		return false
	}
	return true
}
