package wire

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func poolOf(t *testing.T, rawURL string) *Pool {
	t.Helper()
	u, err := url.Parse(rawURL)
	require.NoError(t, err)
	p := NewPool(u, nil, time.Now)
	t.Cleanup(p.Close)
	return p
}

// pair returns a client connection to a listener of its own and the server's end of it.
func pair(t *testing.T) (*Pool, *Conn, net.Conn) {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	p := poolOf(t, "http://"+ln.Addr().String())
	c, err := p.Get(t.Context())
	require.NoError(t, err)
	server, err := ln.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = c.Close(), server.Close() })
	return p, c, server
}

const empty = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

func TestResponseAfterInterimOnes(t *testing.T) {
	_, c, server := pair(t)
	_, err := io.WriteString(server, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"+empty)
	require.NoError(t, err)
	require.NoError(t, c.Await())
	resp, err := c.Response()
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.NoError(t, resp.Body.Close())
	require.True(t, c.Clean())
}

func TestResponsesThatNeverEnd(t *testing.T) {
	cases := map[string]struct {
		unit string
		want error
	}{
		"interim responses": {"HTTP/1.1 102 Processing\r\n\r\n", errInterim},
		"a long head":       {"X-Filler: " + strings.Repeat("x", 1000) + "\r\n", ErrHeadTooLong},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, conn, server := pair(t)
			stopped := make(chan struct{})
			go func() {
				defer close(stopped)
				head := bufio.NewWriter(server)
				if c.want == ErrHeadTooLong { //nolint:errorlint // chooses what to send
					_, _ = head.WriteString("HTTP/1.1 200 OK\r\n")
				}
				for range 2 * headBytes / 1000 {
					if _, err := head.WriteString(c.unit); err != nil {
						return
					}
				}
				_ = head.Flush()
			}()
			_, err := conn.Response() //nolint:bodyclose // there is none
			require.ErrorIs(t, err, c.want)
			_ = conn.Close()
			<-stopped
		})
	}
}

func TestAConnectionIsKeptUntilItIsIdleTooLong(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	now := time.Now()
	p := poolOf(t, srv.URL)
	p.clock = func() time.Time { return now }
	first, err := p.Get(t.Context())
	require.NoError(t, err)
	require.False(t, first.Reused)
	p.Put(first)
	again, err := p.Get(t.Context())
	require.NoError(t, err)
	require.Same(t, first, again)
	require.True(t, again.Reused)
	p.Put(again)
	now = now.Add(idleTimeout)
	other, err := p.Get(t.Context())
	require.NoError(t, err)
	require.NotSame(t, first, other)
	_, err = first.Write([]byte("x"))
	require.ErrorIs(t, err, net.ErrClosed)
	require.NoError(t, other.Close())
}

// What a server sends unasked belongs to no request.
func TestAConnectionWithBytesLeftIsNotKept(t *testing.T) {
	p, c, server := pair(t)
	_, err := io.WriteString(server, empty+"HTTP/1.1 408 Request Timeout\r\n\r\n")
	require.NoError(t, err)
	require.NoError(t, c.Await())
	resp, err := c.Response()
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	p.Put(c)
	require.Empty(t, p.idle)
}

func TestAClosedPoolKeepsNothing(t *testing.T) {
	p, c, _ := pair(t)
	p.Close()
	p.Put(c)
	_, err := c.Write([]byte("x"))
	require.ErrorIs(t, err, net.ErrClosed)
}

func TestDialErrors(t *testing.T) {
	refused := poolOf(t, "http://127.0.0.1:1")
	_, err := refused.Get(t.Context())
	require.ErrorContains(t, err, "refused")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = refused.Get(ctx)
	require.ErrorIs(t, err, context.Canceled)
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	_, err = poolOf(t, strings.Replace(plain.URL, "http:", "https:", 1)).Get(t.Context())
	require.ErrorContains(t, err, "tls")
}

func TestAddresses(t *testing.T) {
	for in, want := range map[string]string{
		"http://a": "a:80", "https://a": "a:443", "http://a:8000/x": "a:8000", "http://[::1]:8": "[::1]:8", "https://[fe80::1]": "[fe80::1]:443",
	} {
		u, err := url.Parse(in)
		require.NoError(t, err)
		require.Equal(t, want, addressOf(u))
	}
}
