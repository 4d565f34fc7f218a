package ensemble

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/swapgate/swapgate/pkg/load/ensemble/internal/wire"
)

const (
	// waitingMessages is far more than can wait for a peer that reads.
	waitingMessages = 64
	// linger is how long a connection that was said farewell to may take to close.
	linger = 5 * time.Second
)

var (
	errClosed  = errors.New("the connection was closed by the other side")
	errBlocked = errors.New("the other side does not read")
)

// received is a message and when it came, on the timeline of the receiver.
type received struct {
	msg wire.Message
	at  int64
}

// link is a connection between two shards. It says that it is alive when there is nothing else to say, and answers pings.
type link struct {
	conn  *tls.Conn
	beat  time.Duration
	stamp func() int64
	out   chan wire.Message

	parted  sync.Once
	parting chan struct{}
}

func newLink(conn *tls.Conn, silence time.Duration, line timeline) *link {
	return &link{
		conn: conn, beat: silence / beats, stamp: line.stamp,
		out: make(chan wire.Message, waitingMessages), parting: make(chan struct{}),
	}
}

// send queues a message. It never waits.
func (l *link) send(m wire.Message) {
	select {
	case l.out <- m:
	default:
		l.abort()
	}
}

// farewell sends what is queued and then closes the sending half. Nothing may be sent after it.
func (l *link) farewell() { l.parted.Do(func() { close(l.parting) }) }

// abort breaks the connection at once.
func (l *link) abort() { _ = l.conn.NetConn().Close() }

// run works until the connection ends, and says why it did. It calls first before it reads; then what comes in goes to receive,
// one message at a time. It writes all the while.
func (l *link) run(ctx context.Context, receive func(received), first func()) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, l.abort)()
	var writer sync.WaitGroup
	writer.Go(func() {
		if err := l.write(ctx); err != nil {
			cancel(err)
		}
	})
	first()
	err := l.read(receive)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	cancel(err)
	l.abort()
	writer.Wait()
	return plainly(err)
}

func (l *link) read(receive func(received)) error {
	for {
		m, err := wire.Read(l.conn)
		if err != nil {
			return err
		}
		at := l.stamp()
		switch m := m.(type) {
		case wire.Alive:
		case wire.Ping:
			l.send(wire.Pong{PingNS: m.SentNS, ReceivedNS: at})
		default:
			receive(received{msg: m, at: at})
		}
	}
}

func (l *link) write(ctx context.Context) error {
	beat := time.NewTicker(l.beat)
	defer beat.Stop()
	for {
		var err error
		select {
		case m := <-l.out:
			err = l.put(m)
		case <-beat.C:
			err = l.put(wire.Alive{})
		case <-l.parting:
			return l.part(ctx)
		case <-ctx.Done():
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// part writes what is left and gives the other side a while to close.
func (l *link) part(ctx context.Context) error {
	for len(l.out) > 0 {
		if err := l.put(<-l.out); err != nil {
			return err
		}
	}
	if err := l.conn.CloseWrite(); err != nil {
		return err
	}
	timer := time.NewTimer(linger)
	defer timer.Stop()
	select {
	case <-timer.C:
		l.abort()
	case <-ctx.Done():
	}
	return nil
}

// put writes a message; one that tells the time tells that of its writing.
func (l *link) put(m wire.Message) error {
	switch timed := m.(type) {
	case wire.Ping:
		timed.SentNS = l.stamp()
		m = timed
	case wire.Pong:
		timed.SentNS = l.stamp()
		m = timed
	}
	if err := wire.Write(l.conn, m); err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return errBlocked
		}
		return err
	}
	return nil
}

// plainly says why a connection ended.
func plainly(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return errClosed
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errors.New("nothing was heard of it for too long")
	}
	return err
}

// watched is a connection on which each read and write must move some bytes within the silence.
type watched struct {
	net.Conn
	silence time.Duration
}

func (c watched) Read(b []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.silence)); err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

func (c watched) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.silence)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}
