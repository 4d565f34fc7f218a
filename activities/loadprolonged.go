package activities

import (
	"context"
	"sync"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// newsEvery is the least time between two news of a prolonged step: each is an event in the history.
const newsEvery = 30 * time.Second

// prolongation is why a step goes on for longer than planned: in its heartbeat, and told to the workflow now and then.
type prolongation struct {
	tell func(ctx context.Context, note string)

	mu   sync.Mutex
	why  string
	told time.Time
}

// note keeps a sentence on the block to come; empty for one that is planned.
func (p *prolongation) note(ctx context.Context, now time.Time, why string) {
	p.mu.Lock()
	p.why = why
	due := why != "" && (p.told.IsZero() || now.Sub(p.told) >= newsEvery)
	if due {
		p.told = now
	}
	p.mu.Unlock()
	if due {
		p.tell(ctx, why)
	}
}

// in adds it to a report of progress. How long a prolonged step takes is not known, and is not said.
func (p *prolongation) in(r swap.Progress) swap.Progress {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Note = p.why; r.Note != "" {
		r.Total, r.ETA = r.Done+2-r.Done%2, ""
	}
	return r
}

// report is the conductor's progress.
func (s *step) report() swap.Progress { return s.prolonged.in(s.progress()) }
