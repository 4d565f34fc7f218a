package engine

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/swapgate/swapgate/pkg/engine/protocol"
	"github.com/swapgate/swapgate/pkg/engine/wire"
)

const (
	// directBytes is the longest request that Fire writes itself; the socket's buffer has room for it.
	directBytes = 64 << 10
	// mostStale bounds how many connections may end before their request was due.
	mostStale = 3
	// lastWords is how long an answer may take that was on its way when the request could not be written.
	lastWords = 50 * time.Millisecond
)

// errStale says that connections ended before their request was sent.
var errStale = errors.New("connections were closed by the server before the request was due")

// past is a deadline that is over: it ends every read and write at once.
var past = time.Unix(1, 0)

// Shot is one request that is made ready beforehand and sent when it is due: its connection is open, its bytes are encoded,
// and its reader waits before the first byte is written.
type Shot interface {
	// Fire sends the request, or has it sent as soon as its connection is open. It never waits for the network.
	Fire()
	// Observe opens the connection, so it is called ahead of Fire, and returns what happened once the request has ended. When
	// the context of the shot is cancelled it returns at once with Abandoned.
	Observe() Observation
}

type shot struct {
	client  *Client
	proto   protocol.Protocol
	path    string
	ctx     context.Context //nolint:containedctx // a shot is one call, cut in two
	ask     protocol.Ask
	payload []byte
	err     error

	mu   sync.Mutex
	due  bool
	conn *wire.Conn
	// sent is when the first byte was written. written is closed when the write has ended, with the error failed.
	sent    time.Time
	written chan struct{}
	failed  error
}

// Ready returns a shot for one request; ask.Timeout counts from Fire.
func (c *Client) Ready(ctx context.Context, ask protocol.Ask) Shot {
	s := &shot{client: c, ctx: ctx, ask: ask}
	s.proto, s.path, s.payload, s.err = c.encode(ask)
	return s
}

// Stream sends one request at once and reads its answer to the end. It always returns an observation with an outcome: a
// failure is a result here, not an error.
func (c *Client) Stream(ctx context.Context, ask protocol.Ask) Observation {
	s := c.Ready(ctx, ask)
	s.Fire()
	return s.Observe()
}

func (s *shot) Fire() {
	s.mu.Lock()
	s.due = true
	s.mu.Unlock()
	s.send()
}

// attach gives the shot its connection, and sends the request if it is already due.
func (s *shot) attach(conn *wire.Conn) {
	s.mu.Lock()
	s.conn = conn
	due := s.due
	s.mu.Unlock()
	if due {
		s.send()
	}
}

// send writes what the socket has room for at once. A longer request is written while the answer is awaited: a server may
// refuse it without reading it.
func (s *shot) send() {
	if len(s.payload) > directBytes {
		go s.write()
		return
	}
	s.write()
}

// write writes the request if it is due, its connection is open, and nobody else has begun to.
func (s *shot) write() {
	conn := s.begin()
	if conn == nil {
		return
	}
	_, err := conn.Write(s.payload)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		s.limit(func() { _ = conn.SetReadDeadline(s.client.clock().Add(lastWords)) }, conn)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = err
	close(s.written)
}

// begin returns the connection for the one write of the request.
func (s *shot) begin() *wire.Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.due || s.conn == nil || !s.sent.IsZero() || s.ctx.Err() != nil {
		return nil
	}
	s.sent, s.written = s.client.clock(), make(chan struct{})
	if s.ask.Timeout > 0 {
		s.limit(func() { _ = s.conn.SetDeadline(s.sent.Add(s.ask.Timeout)) }, s.conn)
	}
	return s.conn
}

// limit sets a deadline, which must not take the place of that of a cancel.
func (s *shot) limit(set func(), conn *wire.Conn) {
	set()
	if s.ctx.Err() != nil {
		_ = conn.SetDeadline(past)
	}
}

// release takes back a connection on which nothing was sent; it reports false once the request is out.
func (s *shot) release() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sent.IsZero() {
		s.conn = nil
	}
	return s.conn == nil
}

// sending returns when the request was sent, and the error of the write.
func (s *shot) sending() (time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent, s.failed
}

// wrote reports whether the whole request is written.
func (s *shot) wrote() bool {
	select {
	case <-s.written:
		_, err := s.sending()
		return err == nil
	default:
		return false
	}
}

func (s *shot) Observe() Observation {
	if s.err != nil {
		return s.unconnected(s.err)
	}
	open := s.client.pool.Get
	for range mostStale {
		conn, err := s.open(open)
		if err != nil {
			return s.unconnected(err)
		}
		if o, ended := s.observeOn(conn); ended {
			return o
		}
		open = s.client.pool.Open
	}
	return s.unconnected(errStale)
}

// open opens a connection within the request's own time.
func (s *shot) open(open func(context.Context) (*wire.Conn, error)) (*wire.Conn, error) {
	ctx, cancel := withTimeout(s.ctx, s.ask.Timeout)
	defer cancel()
	return open(ctx)
}

// observeOn waits on a connection until the answer begins, and reads it. It reports false for a connection that ended, or
// spoke, before the request was sent: nothing was lost with it, and another one takes its place.
func (s *shot) observeOn(conn *wire.Conn) (o Observation, ended bool) {
	stop := context.AfterFunc(s.ctx, func() { _ = conn.SetDeadline(past) })
	defer stop()
	s.attach(conn)
	err := conn.Await()
	if s.release() {
		_ = conn.Abort()
		return s.unconnected(s.ctx.Err()), s.ctx.Err() != nil
	}
	o = Observation{Attempts: 1, ConnReused: conn.Reused}
	rest := s.read(conn, err, &o)
	if !stop() {
		rest = nil
	}
	s.part(conn, rest)
	return o, true
}

// part keeps a connection for other requests, at once or when the rest of its answer is read, or closes it for a nil rest.
func (s *shot) part(conn *wire.Conn, rest *rest) {
	switch {
	case rest == nil:
		_ = conn.Abort()
		<-s.written
	case rest.over && s.wrote():
		s.client.pool.Put(conn)
	default:
		s.client.pool.PutAfter(conn, func() bool { return s.finish(conn, rest.body) })
	}
}

func withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}
