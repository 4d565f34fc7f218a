package wire

import (
	"net"
	"time"

	"github.com/swapgate/swapgate/pkg/engine/eventstream"
)

// longestLag bounds how far the kernel's clock may be behind the client's look at the bytes. Beyond it, or ahead of it, the
// kernel's time means nothing.
const longestLag = 10 * time.Second

// stampedConn remembers when the bytes of its latest read arrived. It embeds the interface and not *net.TCPConn, so that
// every read passes through Read. One goroutine reads at a time.
type stampedConn struct {
	net.Conn
	clock func() time.Time
	wall  wallClock
	// kernel is nil where the kernel gives no time of receipt.
	kernel *receiver
	last   eventstream.Stamp
	// allowance is how many bytes may still be read of a response's head; below 0 there is no limit.
	allowance int
}

func newStampedConn(conn net.Conn, clock func() time.Time) *stampedConn {
	return &stampedConn{Conn: conn, clock: clock, wall: newWallClock(clock()), kernel: newReceiver(conn), allowance: -1}
}

// Read reads and notes the time. Of several segments returned together the kernel tells the time of the last.
func (c *stampedConn) Read(b []byte) (int, error) {
	if c.allowance == 0 {
		return 0, ErrHeadTooLong
	}
	if c.allowance > 0 {
		b = b[:min(len(b), c.allowance)]
	}
	if c.kernel == nil {
		return c.readUnstamped(b)
	}
	n, unixNS, err := c.kernel.read(b)
	c.last = c.stamp(unixNS, n < len(b))
	c.spend(n)
	return n, err
}

func (c *stampedConn) readUnstamped(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.last = eventstream.Stamp{At: c.clock()}
	c.spend(n)
	return n, err
}

func (c *stampedConn) spend(n int) {
	if c.allowance > 0 {
		c.allowance -= n
	}
}

// stamp is the time of a read that ended just now: the kernel's, unless the wall clock was set meanwhile.
func (c *stampedConn) stamp(unixNS int64, emptied bool) eventstream.Stamp {
	now := c.clock()
	if c.wall.stepped(now) {
		now = c.clock() // the client may have lost its CPU between the two clocks of one look
	}
	if !c.wall.look(now, emptied) {
		unixNS = 0
	}
	return inOrder(c.last, stampOf(now, c.wall.lastNS, unixNS), now)
}

// stampOf places the kernel's wall time on the client's monotonic clock; 0 is no kernel time. wallNS is now by the wall clock.
func stampOf(now time.Time, wallNS, unixNS int64) eventstream.Stamp {
	lag := time.Duration(wallNS - unixNS)
	if unixNS == 0 || lag < 0 || lag > longestLag {
		return eventstream.Stamp{At: now}
	}
	return eventstream.Stamp{At: now.Add(-lag), Lag: lag, Kernel: true}
}

// inOrder is s, but not before the stamp of the bytes before: bytes that overtook others were of no use until those came.
func inOrder(before, s eventstream.Stamp, now time.Time) eventstream.Stamp {
	if !s.At.Before(before.At) {
		return s
	}
	s = eventstream.Stamp{At: before.At, Kernel: before.Kernel}
	if s.Kernel {
		s.Lag = now.Sub(s.At)
	}
	return s
}
