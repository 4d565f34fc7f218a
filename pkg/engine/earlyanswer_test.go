package engine

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/engine/protocol"
	"github.com/swapgate/swapgate/pkg/swap"
)

// rawServer hands each connection to serve, one after the other, until the test ends.
func rawServer(t *testing.T, serve func(conn *net.TCPConn)) (url string) {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			serve(conn.(*net.TCPConn))
		}
	}()
	t.Cleanup(func() { _ = ln.Close(); <-done })
	return "http://" + ln.Addr().String()
}

// readHead reads the head of a request, and as little more as may be.
func readHead(conn net.Conn) {
	_, _ = http.ReadRequest(bufio.NewReaderSize(conn, 16))
}

func hugeAsk() protocol.Ask {
	return protocol.Ask{API: swap.APIChat, Prompt: strings.Repeat("x", 6<<20), Timeout: time.Minute}
}

const tooLarge = "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 33\r\n\r\n" +
	`{"error":{"type":"prompt_length"}}`

// A server may refuse a prompt that it has not read. That is its answer, and not a lost connection.
func TestAnAnswerBeforeTheRequestIsRead(t *testing.T) {
	endings := map[string]func(conn *net.TCPConn, answered <-chan struct{}){
		"never reads": func(conn *net.TCPConn, answered <-chan struct{}) { <-answered; _ = conn.Close() },
		"resets": func(conn *net.TCPConn, _ <-chan struct{}) {
			_ = conn.SetLinger(0)
			_ = conn.Close()
		},
		"closes": func(conn *net.TCPConn, _ <-chan struct{}) { _ = conn.Close() },
	}
	ways := map[string]func(c *Client, ctx context.Context, a protocol.Ask) Observation{
		"at once": (*Client).Stream,
		"made ready": func(c *Client, ctx context.Context, a protocol.Ask) Observation {
			s := c.Ready(ctx, a)
			observed := make(chan Observation)
			go func() { observed <- s.Observe() }()
			s.Fire()
			return <-observed
		},
	}
	for name, end := range endings {
		for way, ask := range ways {
			t.Run(name+" "+way, func(t *testing.T) {
				answered := make(chan struct{})
				url := rawServer(t, func(conn *net.TCPConn) {
					readHead(conn)
					_, _ = io.WriteString(conn, tooLarge)
					end(conn, answered)
				})
				c, err := NewClient(Target{URL: url}, ClientOptions{})
				require.NoError(t, err)
				defer c.Close()
				o := ask(c, t.Context(), hugeAsk())
				close(answered)
				require.Equal(t, swap.HTTP4xx, o.Outcome, o.Err)
				require.Equal(t, 413, o.Status)
				require.False(t, o.Sent.IsZero())
				require.Less(t, o.End.Sub(o.Sent), 30*time.Second, "long before the timeout")
			})
		}
	}
}

// A refused request of which the server may have left bytes unread takes its connection with it.
func TestAConnectionWithAnUnreadRequestIsNotKept(t *testing.T) {
	keeps := strings.Replace(tooLarge, "Connection: close\r\n", "", 1)
	answered := make(chan struct{}, 2)
	url := rawServer(t, func(conn *net.TCPConn) {
		readHead(conn)
		_, _ = io.WriteString(conn, keeps)
		<-answered
		_ = conn.Close()
	})
	c, err := NewClient(Target{URL: url}, ClientOptions{})
	require.NoError(t, err)
	defer c.Close()
	for range 2 {
		o := c.Stream(t.Context(), hugeAsk())
		require.Equal(t, swap.HTTP4xx, o.Outcome, o.Err)
		require.False(t, o.ConnReused)
		answered <- struct{}{}
	}
}

// A request that the server neither reads nor answers times out, whichever of write and read notices first.
func TestARequestThatIsNeverRead(t *testing.T) {
	over := make(chan struct{})
	url := rawServer(t, func(conn *net.TCPConn) { <-over; _ = conn.Close() })
	c, err := NewClient(Target{URL: url}, ClientOptions{})
	require.NoError(t, err)
	defer c.Close()
	defer close(over)
	a := hugeAsk()
	a.Timeout = 100 * time.Millisecond
	o := c.Stream(t.Context(), a)
	require.Equal(t, swap.TimeoutFirst, o.Outcome, o.Err)
}

// A cancel ends a write that waits for the server.
func TestACancelEndsALongWrite(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	url := rawServer(t, func(conn *net.TCPConn) { readHead(conn); cancel(); <-over; _ = conn.Close() })
	c, err := NewClient(Target{URL: url}, ClientOptions{})
	require.NoError(t, err)
	defer c.Close()
	defer close(over)
	require.Equal(t, swap.Abandoned, c.Stream(ctx, hugeAsk()).Outcome)
}

// The answer may begin while the request is still written; both go on.
func TestAnAnswerThatOverlapsItsRequest(t *testing.T) {
	url := rawServer(t, func(conn *net.TCPConn) {
		defer conn.Close() //nolint:errcheck // the test is over
		r := bufio.NewReader(conn)
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
		_, _ = io.Copy(io.Discard, req.Body)
		_, _ = io.WriteString(conn, `data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	})
	c, err := NewClient(Target{URL: url}, ClientOptions{})
	require.NoError(t, err)
	defer c.Close()
	o := c.Stream(t.Context(), hugeAsk())
	require.Equal(t, swap.OK, o.Outcome, o.Err)
	require.Equal(t, 1, o.Chunks)
}
