package wire

import (
	"context"
	"crypto/tls"
	"net"
	"net/url"
	"slices"
	"sync"
	"time"
)

const (
	dialTimeout = 10 * time.Second
	// idleTimeout is below the 5 s after which uvicorn, and so most engines, closes an idle connection. A request is then
	// not lost to a connection that the server is about to close.
	idleTimeout = 4 * time.Second
	// sendBuffer is room for the longest request that the dispatcher writes itself, so that its write never waits.
	sendBuffer = 128 << 10
)

// Dial opens a connection.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Pool holds the connections to one server. It is safe for concurrent use.
type Pool struct {
	dial    Dial
	address string
	tls     *tls.Config
	clock   func() time.Time

	mu     sync.Mutex
	idle   []*Conn
	ending ending
	closed bool
}

// NewPool returns a pool for an absolute http or https URL.
func NewPool(u *url.URL, dial Dial, clock func() time.Time) *Pool {
	p := &Pool{dial: dial, address: addressOf(u), clock: clock, ending: newEnding()}
	if p.dial == nil {
		p.dial = (&net.Dialer{}).DialContext
	}
	if u.Scheme == "https" {
		p.tls = &tls.Config{ServerName: u.Hostname(), NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12}
	}
	return p
}

func addressOf(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// Get returns an idle connection that the server has not closed, the one used last, or opens one. Where a connection is about
// to come back (PutAfter), it waits for that no longer than it would take to open one.
func (p *Pool) Get(ctx context.Context) (*Conn, error) {
	if c := p.kept(); c != nil {
		return c, nil
	}
	if c := p.soon(ctx); c != nil {
		return c, nil
	}
	return p.Open(ctx)
}

// kept takes the idle connection used last, and closes those that have ended.
func (p *Pool) kept() *Conn {
	for {
		c := p.pop()
		if c == nil || c.alive() {
			return c
		}
		_ = c.Abort()
	}
}

func (p *Pool) pop() *Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expire()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	c := p.idle[n-1]
	p.idle[n-1] = nil
	p.idle = p.idle[:n-1]
	c.Reused = true
	return c
}

// expire closes what was idle for too long. The longest idle are at the front.
func (p *Pool) expire() {
	now, n := p.clock(), 0
	for n < len(p.idle) && now.Sub(p.idle[n].idle) >= idleTimeout {
		_ = p.idle[n].Close()
		n++
	}
	if n > 0 {
		p.idle = slices.Delete(p.idle, 0, n)
	}
}

// Open opens a connection, whatever is idle. Where many are still read to their end, the oldest of these makes room.
func (p *Pool) Open(ctx context.Context) (*Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	p.mu.Lock()
	p.ending.abort(mostEnding)
	p.mu.Unlock()
	began := p.clock()
	c, err := p.connect(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ending.patience = patienceFor(p.clock().Sub(began))
	return c, nil
}

func (p *Pool) connect(ctx context.Context) (*Conn, error) {
	conn, err := p.dial(ctx, "tcp", p.address)
	if err != nil {
		return nil, err
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(sendBuffer) // a smaller one makes a large send late, not wrong
	}
	stamped := newStampedConn(conn, p.clock)
	if p.tls == nil {
		return newConn(stamped, stamped), nil
	}
	secured := tls.Client(stamped, p.tls)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return newConn(stamped, secured), nil
}

// Put takes back a connection whose response was read to its end.
func (p *Pool) Put(c *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.put(c)
}

func (p *Pool) put(c *Conn) {
	if p.closed || !c.Clean() {
		_ = c.Abort()
		return
	}
	_ = c.SetDeadline(time.Time{})
	c.idle = p.clock()
	p.idle = append(p.idle, c)
	p.expire()
}

// Close closes the idle connections and those that are still read to their end, and waits for the latter. What comes back
// later is closed too.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	for _, c := range p.idle {
		_ = c.Close()
	}
	p.idle = nil
	p.ending.abort(0)
	p.mu.Unlock()
	p.ending.wg.Wait()
}
