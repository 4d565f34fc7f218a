package engine

import (
	"net"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"
)

// watchedConn notes when the first byte of a request is written. It embeds the interface and not *net.TCPConn, so that
// every write passes through Write.
type watchedConn struct {
	net.Conn
	clock func() time.Time
	// next is told of the next write.
	next atomic.Pointer[exchange]
}

func (c *watchedConn) Write(b []byte) (int, error) {
	if c.next.Load() != nil {
		if x := c.next.Swap(nil); x != nil {
			x.wrote(c.clock())
		}
	}
	return c.Conn.Write(b)
}

// exchange collects what the transport's goroutines see of one request.
type exchange struct {
	clock func() time.Time

	mu       sync.Mutex
	attempts int
	reused   bool
	sent     time.Time
	answered time.Time
}

func (x *exchange) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{GotConn: x.gotConn, GotFirstResponseByte: x.firstByte}
}

func (x *exchange) gotConn(info httptrace.GotConnInfo) {
	x.mu.Lock()
	x.attempts++
	x.reused = info.Reused
	x.mu.Unlock()
	if conn := watched(info.Conn); conn != nil {
		conn.next.Store(x)
		return
	}
	x.wrote(x.clock())
}

// watched finds the connection below TLS.
func watched(conn net.Conn) *watchedConn {
	if t, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = t.NetConn()
	}
	w, _ := conn.(*watchedConn)
	return w
}

func (x *exchange) wrote(at time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.sent.IsZero() {
		x.sent = at
	}
}

func (x *exchange) firstByte() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.answered.IsZero() {
		x.answered = x.clock()
	}
}

// report copies what was seen into o.
func (x *exchange) report(o *Observation) {
	x.mu.Lock()
	defer x.mu.Unlock()
	o.Attempts, o.ConnReused = x.attempts, x.reused
	o.Headers, o.Sent = x.answered, x.sent
}
