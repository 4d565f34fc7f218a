package pace

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type span struct{ arrived, held, ended time.Duration }

func (s span) latency() time.Duration { return s.ended - s.arrived - s.held }

// drive simulates requests that arrive at given times at a server that takes the same time for each.
func drive(limit int, arrivals []time.Duration, service time.Duration) []span {
	g := NewGate[int](limit)
	out := make([]span, len(arrivals))
	var ends []time.Duration // ascending, as all take equally long
	send := func(i int, at, held time.Duration) {
		out[i] = span{arrivals[i], held, at + service}
		ends = append(ends, at+service)
	}
	leave := func() {
		at := ends[0]
		ends = ends[1:]
		if next, ok := g.Leave(at); ok {
			send(next.Item, at, next.Held)
		}
	}
	for i, at := range arrivals {
		for len(ends) > 0 && ends[0] <= at {
			leave()
		}
		if g.Arrive(i, at) {
			send(i, at, 0)
		}
	}
	for len(ends) > 0 {
		leave()
	}
	return out
}

// A cap of 10 on a server that takes 1 s holds 10 requests per second; at 20 per second the queue of the client grows.
func TestHeldTimeGrowsAndLatencyStaysFlat(t *testing.T) {
	arrivals := make([]time.Duration, 600)
	for i := range arrivals {
		arrivals[i] = time.Duration(i) * 50 * time.Millisecond
	}
	spans := drive(10, arrivals, time.Second)
	for i, s := range spans {
		require.Equal(t, time.Second, s.latency(), "request %d", i)
		require.InDelta(t, float64(i)/20, s.held.Seconds(), 0.5, "request %d", i)
	}
	require.InDelta(t, 30, spans[599].held.Seconds(), 0.6)
}

func TestNothingIsHeldBelowTheCap(t *testing.T) {
	arrivals := make([]time.Duration, 300)
	for i := range arrivals {
		arrivals[i] = time.Duration(i) * 100 * time.Millisecond
	}
	for _, s := range drive(10, arrivals, time.Second) {
		require.Zero(t, s.held)
	}
}

// model is a gate without cleverness.
type model struct {
	inFlight int
	queue    []waiter[int]
}

func TestGateAgreesWithAModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 5).Draw(t, "limit")
		g, m := NewGate[int](limit), model{}
		now, items := time.Duration(0), 0
		t.Repeat(map[string]func(*rapid.T){
			"arrive": func(t *rapid.T) {
				items++
				free := m.inFlight < limit
				require.Equal(t, free, g.Arrive(items, now))
				if free {
					m.inFlight++
				} else {
					m.queue = append(m.queue, waiter[int]{items, now})
				}
			},
			"leave": func(t *rapid.T) {
				if m.inFlight == 0 {
					t.Skip()
				}
				next, ok := g.Leave(now)
				require.Equal(t, len(m.queue) > 0, ok)
				if !ok {
					m.inFlight--
					return
				}
				require.Equal(t, Released[int]{m.queue[0].item, now - m.queue[0].arrived}, next)
				m.queue = m.queue[1:]
			},
			"": func(t *rapid.T) {
				now += time.Duration(rapid.IntRange(0, 1000).Draw(t, "passes"))
			},
		})
	})
}

func TestGateUnderManyGoroutines(t *testing.T) {
	const requests, limit = 2000, 7
	g := NewGate[chan struct{}](limit)
	var wg, sent sync.WaitGroup
	var mu sync.Mutex
	inFlight, most := 0, 0
	count := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		inFlight += n
		most = max(most, inFlight)
	}
	sent.Add(requests)
	for range requests {
		wg.Go(func() {
			turn := make(chan struct{})
			if !g.Arrive(turn, 0) {
				<-turn
			}
			count(1)
			sent.Done()
			count(-1)
			if next, ok := g.Leave(time.Second); ok {
				close(next.Item)
			}
		})
	}
	wg.Wait()
	sent.Wait()
	require.LessOrEqual(t, most, limit)
	require.True(t, g.Arrive(nil, 0), "all places are free again")
}

func TestLeavingUnenteredIsABug(t *testing.T) {
	g := NewGate[int](0)
	require.Panics(t, func() { g.Leave(0) })
	require.True(t, g.Arrive(1, 0), "there is at least one place")
	require.False(t, g.Arrive(2, 0))
}
