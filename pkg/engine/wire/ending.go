package wire

import (
	"container/list"
	"context"
	"sync"
	"time"
)

const (
	// leastPatience and mostPatience bound how long a request waits for a connection that is about to come back.
	leastPatience = time.Millisecond
	mostPatience  = 50 * time.Millisecond
	// mostEnding is how many connections may be read to their end while others are opened in their place. It is a part of
	// the descriptors that a load leaves free (load.CheckLimits).
	mostEnding = 64
)

// ending are the connections whose answers are over for the caller and are still read to the end of their bodies. It is
// guarded by the pool's lock, all but wg.
type ending struct {
	conns *list.List // of *Conn, the oldest first
	// latest is when the youngest of them began, back is closed when the next of them has come back; nil if no one waits.
	latest time.Time
	back   chan struct{}
	// patience is how long it is worth waiting for one: about as long as it takes to open another.
	patience time.Duration
	wg       sync.WaitGroup
}

func newEnding() ending { return ending{conns: list.New(), patience: leastPatience} }

func patienceFor(opening time.Duration) time.Duration {
	return min(max(opening, leastPatience), mostPatience)
}

// abort closes the oldest, until no more than so many are left.
func (e *ending) abort(left int) {
	for e.conns.Len() > left {
		_ = e.conns.Remove(e.conns.Front()).(*Conn).Abort()
	}
}

// PutAfter takes back a connection once finish has read the rest of its response, which happens in the background: the
// caller goes on. finish reports whether the connection can carry another request; it must end soon, by itself or when the
// connection is closed.
func (p *Pool) PutAfter(c *Conn, finish func() bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = c.Abort()
		return
	}
	place := p.ending.conns.PushBack(c)
	p.ending.latest = p.clock()
	p.ending.wg.Go(func() { p.cameBack(place, finish()) })
}

func (p *Pool) cameBack(place *list.Element, usable bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := place.Value.(*Conn)
	p.ending.conns.Remove(place)
	if !usable {
		_ = c.Abort()
		return
	}
	p.put(c)
	if p.ending.back != nil {
		close(p.ending.back)
		p.ending.back = nil
	}
}

// soon waits for a connection that is about to come back; nil if none comes in time.
func (p *Pool) soon(ctx context.Context) *Conn {
	began := p.clock()
	for {
		back, patience := p.awaited(began)
		if back == nil || !within(ctx, back, patience) {
			return nil
		}
		if c := p.kept(); c != nil {
			return c
		}
	}
}

// awaited returns what to wait for, and for how long; nil if that is not worth it for a caller that has waited since began. A
// connection that takes long to come back may never.
func (p *Pool) awaited(began time.Time) (<-chan struct{}, time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, now := &p.ending, p.clock()
	left := e.patience - now.Sub(began)
	if e.conns.Len() == 0 || now.Sub(e.latest) >= e.patience || left <= 0 {
		return nil, 0
	}
	if e.back == nil {
		e.back = make(chan struct{})
	}
	return e.back, left
}

func within(ctx context.Context, back <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-back:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}
