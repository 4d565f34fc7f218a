package ensemble

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/swapgate/swapgate/pkg/load/ensemble/internal/wire"
)

// door is where followers come in. It lets in who knows the token, and no more strangers at a time than strangers holds.
type door struct {
	listener  net.Listener
	identity  *tls.Config
	silence   time.Duration
	line      timeline
	strangers chan struct{}
	stop      context.CancelFunc
}

const (
	// strangersBeside is how many may knock beside the followers of a step.
	strangersBeside = 32
	// acceptPause is the wait after the system refused to accept a connection, as it does without free descriptors.
	acceptPause = 200 * time.Millisecond
)

// open listens and publishes where, once.
func (c *conductor) open(ctx context.Context) error {
	if c.cfg.Of == 1 || c.door != nil {
		return nil
	}
	token := newToken()
	id, err := identity(token)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", c.cfg.Listen)
	if err != nil {
		return fmt.Errorf("listen for followers: %w", err)
	}
	at, err := addresses(listener.Addr(), c.cfg.Advertise)
	if err == nil {
		err = c.cfg.Board.Publish(ctx, Notice{Attempt: c.cfg.Attempt, Addresses: at, Token: token})
	}
	if err != nil {
		_ = listener.Close()
		return err
	}
	admission, stop := context.WithCancel(ctx)
	c.door = &door{
		listener: listener, identity: id, silence: c.cfg.Silence, line: c.line,
		strangers: make(chan struct{}, c.cfg.Of+strangersBeside), stop: stop,
	}
	context.AfterFunc(admission, func() { _ = listener.Close() })
	c.connections.Go(func() { c.welcomeAll(ctx, admission) })
	return nil
}

// shut turns away who is not known yet.
func (d *door) shut() {
	if d != nil {
		d.stop()
	}
}

// welcomeAll serves every connection until admission ends. What is known then is served for as long as ctx lasts.
func (c *conductor) welcomeAll(ctx, admission context.Context) {
	var served sync.WaitGroup
	defer served.Wait()
	for id := conductorPeer + 1; ; id++ {
		conn, err := c.door.listener.Accept()
		if errors.Is(err, net.ErrClosed) || admission.Err() != nil {
			if err == nil {
				_ = conn.Close()
			}
			return
		}
		if err != nil {
			pause(admission, acceptPause)
			continue
		}
		select {
		case c.door.strangers <- struct{}{}:
			served.Go(func() { c.serve(ctx, admission, id, conn) })
		default:
			_ = conn.Close()
		}
	}
}

// serve lets a follower in and passes on what it says until its connection ends.
func (c *conductor) serve(ctx, admission context.Context, id peer, conn net.Conn) {
	defer func() { _ = conn.Close() }()
	secured, hello, err := c.door.admit(admission, conn)
	<-c.door.strangers
	if err != nil {
		return
	}
	l := newLink(secured, c.cfg.Silence, c.line)
	pass := func(r received) { c.post(ctx, event{from: id, msg: r.msg}) }
	// The link says that it is alive while the conductor is too busy to answer.
	err = l.run(ctx, pass, func() { c.post(ctx, event{from: id, link: l, msg: hello}) })
	c.post(ctx, event{from: id, err: err})
}

// admit lets in who knows the token and says hello, within the silence.
func (d *door) admit(ctx context.Context, conn net.Conn) (*tls.Conn, wire.Hello, error) {
	ctx, cancel := context.WithTimeout(ctx, d.silence)
	defer cancel()
	secured := tls.Server(watched{Conn: conn, silence: d.silence}, d.identity)
	if err := secured.HandshakeContext(ctx); err != nil {
		return nil, wire.Hello{}, err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	m, err := wire.Read(secured)
	if err != nil {
		return nil, wire.Hello{}, err
	}
	hello, ok := m.(wire.Hello)
	if !ok {
		return nil, wire.Hello{}, errors.New("the first message is no hello")
	}
	return secured, hello, nil
}

// pause waits, unless ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
