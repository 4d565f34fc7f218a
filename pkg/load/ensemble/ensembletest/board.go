// Package ensembletest has what tests of ensembles need.
package ensembletest

import (
	"context"
	"sync"

	"github.com/swapgate/swapgate/pkg/load/ensemble"
)

// Board is a noticeboard in memory. The zero Board is empty.
type Board struct {
	mu     sync.Mutex
	notice *ensemble.Notice
}

// Publish replaces the notice.
func (b *Board) Publish(ctx context.Context, n ensemble.Notice) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	b.notice = &n
	return nil
}

// Read returns the notice, or ensemble.ErrNoNotice.
func (b *Board) Read(context.Context) (ensemble.Notice, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.notice == nil {
		return ensemble.Notice{}, ensemble.ErrNoNotice
	}
	return *b.notice, nil
}
