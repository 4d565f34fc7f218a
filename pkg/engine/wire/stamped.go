package wire

import (
	"net"
	"time"

	"github.com/swapgate/swapgate/pkg/engine/eventstream"
)

// longestLag bounds how far the kernel's clock may be behind the client's look at the bytes. Beyond it, or ahead of it, the
// wall clock was stepped in between and the kernel's time means nothing.
const longestLag = 10 * time.Second

// stampedConn remembers when the bytes of its latest read arrived. It embeds the interface and not *net.TCPConn, so that
// every read passes through Read. One goroutine reads at a time.
type stampedConn struct {
	net.Conn
	clock func() time.Time
	// kernel is nil where the kernel gives no time of receipt.
	kernel *receiver
	last   eventstream.Stamp
	// allowance is how many bytes may still be read of a response's head; below 0 there is no limit.
	allowance int
}

func newStampedConn(conn net.Conn, clock func() time.Time) *stampedConn {
	return &stampedConn{Conn: conn, clock: clock, kernel: newReceiver(conn), allowance: -1}
}

// Read reads and notes the time. Of several segments returned together the kernel tells the time of the last.
func (c *stampedConn) Read(b []byte) (int, error) {
	if c.allowance == 0 {
		return 0, ErrHeadTooLong
	}
	if c.allowance > 0 {
		b = b[:min(len(b), c.allowance)]
	}
	n, at, err := c.read(b)
	c.last = stampOf(c.clock(), at)
	if c.allowance > 0 {
		c.allowance -= n
	}
	return n, err
}

func (c *stampedConn) read(b []byte) (n int, unixNS int64, err error) {
	if c.kernel == nil {
		n, err = c.Conn.Read(b)
		return n, 0, err
	}
	return c.kernel.read(b)
}

// stampOf places the kernel's wall time on the client's monotonic clock; 0 is no kernel time.
func stampOf(now time.Time, unixNS int64) eventstream.Stamp {
	lag := time.Duration(now.UnixNano() - unixNS)
	if unixNS == 0 || lag < 0 || lag > longestLag {
		return eventstream.Stamp{At: now}
	}
	return eventstream.Stamp{At: now.Add(-lag), Lag: lag, Kernel: true}
}
