package wire

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/engine/eventstream"
)

// world is a machine whose wall clock is set now and then. Bytes wait in its kernel with their times of receipt.
type world struct {
	now time.Time
	// offset is by how much the clock was set so far, offsetSeen what it was at the client's latest look.
	offset, offsetSeen time.Duration
	waiting            []receipt
	conn               *stampedConn
}

type receipt struct {
	at     time.Time
	unixNS int64
}

func newWorld() *world {
	w := &world{now: time.Now()}
	w.conn = &stampedConn{clock: func() time.Time { return w.now }, wall: newWallClock(w.now)}
	w.conn.wall.wall = w.wall
	return w
}

func (w *world) wall(t time.Time) int64        { return t.Add(w.offset).UnixNano() }
func (w *world) passes(d time.Duration)        { w.now = w.now.Add(d) }
func (w *world) receives()                     { w.waiting = append(w.waiting, receipt{w.now, w.wall(w.now)}) }
func (w *world) setsItsClock(by time.Duration) { w.offset += by }

// reads takes n of the waiting bytes and returns the stamp and the true time of receipt of the last.
func (w *world) reads(n int) (got eventstream.Stamp, received time.Time) {
	last := w.waiting[n-1]
	w.waiting = w.waiting[n:]
	w.offsetSeen = w.offset
	got = w.conn.stamp(last.unixNS, len(w.waiting) == 0)
	w.conn.last = got
	return got, last.at
}

func TestAStepOfTheWallClockIsNoticed(t *testing.T) {
	for _, step := range []time.Duration{5 * time.Millisecond, -5 * time.Millisecond, 3 * time.Second, -3 * time.Second} {
		t.Run(step.String(), func(t *testing.T) {
			w := newWorld()
			w.receives()
			w.passes(time.Millisecond)
			before, _ := w.reads(1)
			require.True(t, before.Kernel)

			w.passes(20 * time.Millisecond)
			w.receives()
			w.passes(time.Millisecond)
			w.setsItsClock(step)
			w.receives()
			w.passes(10 * time.Millisecond)
			for range 2 { // the second bytes waited too, and nobody knows which clock is theirs
				s, _ := w.reads(1)
				require.False(t, s.Kernel)
				require.Equal(t, w.now, s.At)
				require.Zero(t, s.Lag)
			}
			w.passes(time.Second)
			w.receives()
			w.passes(2 * time.Millisecond)
			s, received := w.reads(1)
			require.True(t, s.Kernel, "the clock is trusted again for what came after")
			require.Equal(t, received, s.At)
			require.Equal(t, 2*time.Millisecond, s.Lag)
		})
	}
}

// However the wall clock is set, once between two looks: a kernel time is right, times never go back, and none lies ahead.
// Two steps that cancel each other between two looks are not seen.
func TestTimesStayInOrderWhateverTheWallClockDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		last := w.now
		for range rapid.IntRange(1, 60).Draw(t, "events") {
			w.passes(time.Duration(rapid.IntRange(0, 2_000_000).Draw(t, "passes")))
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				if w.offset != w.offsetSeen {
					continue
				}
				ms := rapid.IntRange(1, 9000).Draw(t, "ms")
				w.setsItsClock(time.Duration(ms*rapid.SampledFrom([]int{-1, 1}).Draw(t, "sign")) * time.Millisecond)
			case 1, 2, 3:
				w.receives()
			default:
				if len(w.waiting) == 0 {
					continue
				}
				s, received := w.reads(rapid.IntRange(1, len(w.waiting)).Draw(t, "n"))
				require.False(t, s.At.Before(last), "back by %s", last.Sub(s.At))
				require.False(t, s.At.After(w.now))
				require.False(t, s.At.Before(received), "before the receipt")
				if s.Kernel {
					require.Equal(t, received, s.At)
				}
				last = s.At
			}
		}
	})
}

// A client that lost its CPU between its two clocks looks again.
func TestClocksReadApartAreReadAgain(t *testing.T) {
	w := newWorld()
	w.receives()
	w.passes(time.Millisecond)
	looks := 0
	w.conn.clock = func() time.Time { looks++; return w.now }
	w.conn.wall.wall = func(at time.Time) int64 {
		if looks == 1 {
			at = at.Add(-3 * time.Millisecond)
		}
		return w.wall(at)
	}
	s, received := w.reads(1)
	require.Equal(t, 2, looks)
	require.True(t, s.Kernel)
	require.Equal(t, received, s.At)
}

// Segments that overtook others are of no use until those come: their times are those of the later.
func TestBytesThatOvertookOthers(t *testing.T) {
	w := newWorld()
	w.receives()
	early := w.waiting[0]
	w.passes(3 * time.Millisecond)
	w.receives()
	w.waiting = []receipt{w.waiting[1], early}
	w.passes(time.Millisecond)
	first, received := w.reads(1)
	second, _ := w.reads(1)
	require.True(t, second.Kernel)
	require.Equal(t, received, first.At)
	require.Equal(t, received, second.At)
	require.Equal(t, time.Millisecond, second.Lag)
}
