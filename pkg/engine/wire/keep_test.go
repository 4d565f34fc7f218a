package wire

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// exchange sends a request, reads its response to the end and gives the connection back.
func exchange(t *testing.T, p *Pool) *Conn {
	t.Helper()
	c, err := p.Get(t.Context())
	require.NoError(t, err)
	_, err = io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
	require.NoError(t, err)
	resp, err := c.Response()
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	p.Put(c)
	return c
}

// closingServer closes idle connections after a moment, and tells.
func closingServer(t *testing.T, secure bool) (p *Pool, closed <-chan struct{}) {
	t.Helper()
	ends := make(chan struct{}, 10)
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.Config.IdleTimeout = 20 * time.Millisecond
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateClosed {
			ends <- struct{}{}
		}
	}
	if secure {
		srv.StartTLS()
	} else {
		srv.Start()
	}
	t.Cleanup(srv.Close)
	p = poolOf(t, srv.URL)
	if secure {
		p.tls.RootCAs = srv.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		p.tls.ServerName = "example.com"
	}
	return p, ends
}

// The end of an idle connection waits in the kernel, where no reader sees it. A request must not be lost to it.
func TestAConnectionThatTheServerClosedIsNotUsedAgain(t *testing.T) {
	for name, secure := range map[string]bool{"plain": false, "TLS": true} {
		t.Run(name, func(t *testing.T) {
			p, closed := closingServer(t, secure)
			first := exchange(t, p)
			<-closed
			require.Eventually(t, func() bool { return !first.alive() }, 5*time.Second, time.Millisecond)
			other := exchange(t, p)
			require.NotSame(t, first, other)
			require.False(t, other.Reused)
			_, err := first.Write([]byte("x"))
			require.ErrorIs(t, err, net.ErrClosed)
		})
	}
}

func TestOneOfManyKeptConnectionsIsAlive(t *testing.T) {
	p, good, _ := pair(t)
	var dead []*Conn
	for range 3 {
		other, c, server := pair(t)
		require.NoError(t, server.Close())
		require.Eventually(t, func() bool { return !c.alive() }, 5*time.Second, time.Millisecond)
		_ = other
		dead = append(dead, c)
	}
	p.Put(good)
	for _, c := range dead {
		p.Put(c)
	}
	c, err := p.Get(t.Context())
	require.NoError(t, err)
	require.Same(t, good, c)
	require.Empty(t, p.idle)
}

func TestWhatAConnectionIsNotAliveFor(t *testing.T) {
	cases := map[string]func(t *testing.T, c *Conn, server net.Conn){
		"end":   func(t *testing.T, _ *Conn, server net.Conn) { t.Helper(); require.NoError(t, server.Close()) },
		"bytes": func(t *testing.T, _ *Conn, server net.Conn) { t.Helper(); _, _ = server.Write([]byte("HTTP/1.1 408")) },
		"reset": func(t *testing.T, _ *Conn, server net.Conn) {
			t.Helper()
			require.NoError(t, server.(*net.TCPConn).SetLinger(0))
			require.NoError(t, server.Close())
		},
		"closed here":       func(t *testing.T, c *Conn, _ net.Conn) { t.Helper(); require.NoError(t, c.Close()) },
		"an error was read": func(_ *testing.T, c *Conn, _ net.Conn) { c.source.ended = true },
	}
	for name, end := range cases {
		t.Run(name, func(t *testing.T) {
			_, c, server := pair(t)
			require.True(t, c.alive())
			require.True(t, c.alive(), "a look takes nothing")
			end(t, c, server)
			require.Eventually(t, func() bool { return !c.alive() }, 5*time.Second, time.Millisecond)
		})
	}
}

// pipes is a pool whose connections are in memory.
func pipes(t *testing.T) *Pool {
	t.Helper()
	p := poolOf(t, "http://x")
	p.dial = func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		t.Cleanup(func() { _ = server.Close() })
		return client, nil
	}
	return p
}

func TestAConnectionComesBackWhenItsAnswerIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pipes(t)
		c, err := p.Get(t.Context())
		require.NoError(t, err)
		p.PutAfter(c, func() bool { time.Sleep(leastPatience / 2); return true })
		again, err := p.Get(t.Context())
		require.NoError(t, err)
		require.Same(t, c, again, "worth the short wait")
		p.PutAfter(c, func() bool { time.Sleep(time.Second); return true })
		began := time.Now()
		other, err := p.Get(t.Context())
		require.NoError(t, err)
		require.NotSame(t, c, other)
		require.Equal(t, leastPatience, time.Since(began))
		began = time.Now()
		third, err := p.Get(t.Context())
		require.NoError(t, err)
		require.Zero(t, time.Since(began), "what takes long is not waited for again")
		time.Sleep(2 * time.Second)
		last, err := p.Get(t.Context())
		require.NoError(t, err)
		require.Same(t, c, last)
		for _, c := range []*Conn{other, third, last} {
			require.NoError(t, c.Close())
		}
	})
}

func TestAConnectionThatCannotBeUsedDoesNotComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pipes(t)
		c, err := p.Get(t.Context())
		require.NoError(t, err)
		p.PutAfter(c, func() bool { return false })
		synctest.Wait()
		require.Empty(t, p.idle)
		_, err = c.Write([]byte("x"))
		require.ErrorIs(t, err, io.ErrClosedPipe)
	})
}

// Close ends the reading of what is left of answers, and waits for it.
func TestCloseEndsWhatIsStillRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pipes(t)
		var ended sync.WaitGroup
		for range 3 {
			c, err := p.Open(t.Context())
			require.NoError(t, err)
			ended.Add(1)
			p.PutAfter(c, func() bool {
				defer ended.Done()
				_, err := c.Read(make([]byte, 1)) // a server that never ends its answer
				return err == nil
			})
		}
		p.Close()
		ended.Wait()
		require.Zero(t, p.ending.conns.Len())
		c, err := p.Open(t.Context())
		require.NoError(t, err)
		p.PutAfter(c, func() bool { t.Error("a closed pool reads nothing"); return true })
		_, err = c.Write([]byte("x"))
		require.ErrorIs(t, err, io.ErrClosedPipe)
	})
}

// A server that never ends its bodies must not take all descriptors of the client.
func TestFewConnectionsAreReadToTheirEndWhileOthersAreOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pipes(t)
		var conns []*Conn
		for range 3 * mostEnding {
			c, err := p.Open(t.Context())
			require.NoError(t, err)
			conns = append(conns, c)
			p.PutAfter(c, func() bool { _, err := c.Read(make([]byte, 1)); return err == nil })
		}
		synctest.Wait()
		for i, c := range conns {
			_ = c.SetWriteDeadline(time.Now())
			_, err := c.Write([]byte("x"))
			if i < 2*mostEnding-1 {
				require.ErrorIs(t, err, io.ErrClosedPipe)
			} else {
				require.ErrorIs(t, err, os.ErrDeadlineExceeded)
			}
		}
		p.Close()
	})
}
