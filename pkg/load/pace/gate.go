package pace

import (
	"sync"
	"time"
)

// Gate is a client's queue before a limit on requests in flight: what arrives while all places are taken waits, first come
// first served. It keeps account of who waits and for how long, and sends nothing itself. It is safe for concurrent use.
type Gate[T any] struct {
	limit int

	mu       sync.Mutex
	inFlight int
	waiting  []waiter[T] // from head on
	head     int
}

type waiter[T any] struct {
	item    T
	arrived time.Duration
}

// Released is a request that may go after a wait.
type Released[T any] struct {
	Item T
	// Held is how long it waited.
	Held time.Duration
}

// NewGate returns a gate with at least one place.
func NewGate[T any](limit int) *Gate[T] { return &Gate[T]{limit: max(1, limit)} }

// Arrive reports whether a request may go at once. If not, it waits until Leave returns it.
func (g *Gate[T]) Arrive(item T, now time.Duration) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inFlight < g.limit {
		g.inFlight++
		return true
	}
	g.waiting = append(g.waiting, waiter[T]{item, now})
	return false
}

// Leave gives back the place of a request that has ended. If one waits, it takes the place: the caller sends it. Every
// request that went leaves once; one that never went must not.
func (g *Gate[T]) Leave(now time.Duration) (next Released[T], ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inFlight == 0 {
		panic("pace: a request left a gate that it had not passed")
	}
	if g.head == len(g.waiting) {
		g.inFlight--
		return Released[T]{}, false
	}
	return g.pop(now), true
}

// pop takes the first that waits. Space is reclaimed when half of it is unused, so a pop costs constant time on average.
func (g *Gate[T]) pop(now time.Duration) Released[T] {
	w := g.waiting[g.head]
	g.waiting[g.head] = waiter[T]{}
	if g.head++; g.head*2 >= len(g.waiting) {
		n := copy(g.waiting, g.waiting[g.head:])
		clear(g.waiting[n:])
		g.waiting, g.head = g.waiting[:n], 0
	}
	return Released[T]{Item: w.item, Held: max(0, now-w.arrived)}
}
