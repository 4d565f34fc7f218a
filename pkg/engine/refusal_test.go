package engine

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/engine/wire"
	"github.com/swapgate/swapgate/pkg/swap"
)

func itoa(i int) string { return strconv.Itoa(i) }

func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// T30, T36, T37: a refusal has an outcome and no latency.
func TestRefusalsByStatus(t *testing.T) {
	cases := []struct {
		status int
		body   string
		want   swap.Outcome
		text   string
	}{
		{400, `{"error":{"message":"my secret","type":"invalid_request_error","code":400}}`, swap.HTTP4xx, "HTTP 400 invalid_request_error"},
		{401, ``, swap.HTTP4xx, "HTTP 401"},
		{429, `{"error":"Model is overloaded","error_type":"overloaded"}`, swap.HTTP429, "HTTP 429 overloaded"},
		{500, `<html>`, swap.HTTP5xx, "HTTP 500"},
		{503, `{"object":"error","message":"no","type":"ServiceUnavailable","code":503}`, swap.HTTP5xx, "HTTP 503 ServiceUnavailable"},
		{307, ``, swap.ParseError, "HTTP 307 is not a stream"},
		{204, ``, swap.ParseError, "HTTP 204 is not a stream"},
	}
	for _, c := range cases {
		t.Run(strconv.Itoa(c.status), func(t *testing.T) {
			onSyntheticTime(t, answer(c.status, c.body), ClientOptions{}, func(t *testing.T, client *Client) {
				t.Helper()
				o := client.Stream(t.Context(), ask())
				require.Equal(t, c.want, o.Outcome)
				require.Equal(t, c.text, o.Err)
				require.Equal(t, c.status, o.Status)
				require.True(t, o.First.IsZero())
				require.False(t, o.Sent.IsZero())
			})
		})
	}
}

// T38: a server that never answers, or stops answering.
func TestTimeouts(t *testing.T) {
	silent := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	stalls := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stub{script: "@10 C(a)"}.ServeHTTP(w, r)
		<-r.Context().Done()
	})
	onlyRole := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stub{script: "@10 R"}.ServeHTTP(w, r)
		<-r.Context().Done()
	})
	cases := []struct {
		name    string
		handler http.Handler
		want    swap.Outcome
	}{
		{"never answers", silent, swap.TimeoutFirst},
		{"headers and role, no token", onlyRole, swap.TimeoutFirst},
		{"stops in the middle", stalls, swap.TimeoutTotal},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			onSyntheticTime(t, c.handler, ClientOptions{}, func(t *testing.T, client *Client) {
				t.Helper()
				begin := time.Now()
				o := client.Stream(t.Context(), ask())
				require.Equal(t, c.want, o.Outcome)
				require.Equal(t, time.Minute, time.Since(begin))
			})
		})
	}
}

func TestCancelAbandonsAtOnce(t *testing.T) {
	silent := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	onSyntheticTime(t, silent, ClientOptions{}, func(t *testing.T, c *Client) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin := time.Now()
		require.Equal(t, swap.Abandoned, c.Stream(ctx, ask()).Outcome)
		require.Equal(t, time.Second, time.Since(begin))
	})
}

// A server that holds the connection open after the terminator costs neither the answer nor any time.
func TestOpenBodyAfterTerminator(t *testing.T) {
	holds := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stub{script: "@10 C(a) F(stop) D"}.ServeHTTP(w, r)
		<-r.Context().Done()
	})
	onSyntheticTime(t, holds, ClientOptions{}, func(t *testing.T, c *Client) {
		t.Helper()
		begin := time.Now()
		o := c.Stream(t.Context(), ask())
		require.Equal(t, swap.OK, o.Outcome)
		require.Equal(t, 10, after(o, o.End))
		require.Equal(t, 10*time.Millisecond, time.Since(begin))
	})
}

// T35: the server closes a kept connection just as it is used again. The request is lost, not sent twice, and counted.
func TestStaleConnectionIsNotRetried(t *testing.T) {
	requests := 0
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		if requests == 2 {
			panic(http.ErrAbortHandler)
		}
		stub{script: three}.ServeHTTP(w, r)
	})
	onSyntheticTime(t, handler, ClientOptions{}, func(t *testing.T, c *Client) {
		t.Helper()
		require.Equal(t, swap.OK, c.Stream(t.Context(), ask()).Outcome)
		o := c.Stream(t.Context(), ask())
		require.Equal(t, swap.ResetBeforeHeaders, o.Outcome)
		require.True(t, o.ConnReused)
		require.Equal(t, 1, o.Attempts)
		require.Equal(t, 2, requests)
		require.Equal(t, swap.OK, c.Stream(t.Context(), ask()).Outcome)
	})
}

// T35: a kept connection that takes no byte. The transport would send the request again on a new one, and the time of the
// first try would be lost.
func TestRequestIsNeverSentAgain(t *testing.T) {
	srv := httptest.NewServer(stub{script: three})
	defer srv.Close()
	dials := 0
	c, err := NewClient(Target{URL: srv.URL}, ClientOptions{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		dials++
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		return &oneRequestConn{Conn: conn}, err
	}})
	require.NoError(t, err)
	defer c.Close()
	require.Equal(t, swap.OK, c.Stream(t.Context(), ask()).Outcome)
	o := c.Stream(t.Context(), ask())
	require.Equal(t, swap.ResetBeforeHeaders, o.Outcome)
	require.Equal(t, "broken pipe", o.Err)
	require.Equal(t, 1, o.Attempts)
	require.Equal(t, 1, dials)
}

// oneRequestConn takes one write and refuses the next.
type oneRequestConn struct {
	net.Conn
	used bool
}

func (c *oneRequestConn) Write(b []byte) (int, error) {
	if c.used {
		return 0, syscall.EPIPE
	}
	c.used = true
	return c.Conn.Write(b)
}

func TestConnectionIsKeptAndReported(t *testing.T) {
	onSyntheticTime(t, stub{script: three}, ClientOptions{}, func(t *testing.T, c *Client) {
		t.Helper()
		require.False(t, c.Stream(t.Context(), ask()).ConnReused)
		require.True(t, c.Stream(t.Context(), ask()).ConnReused)
		time.Sleep(5 * time.Second)
		require.False(t, c.Stream(t.Context(), ask()).ConnReused, "an idle connection is dropped before the server would")
	})
}

func TestArmHeader(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(swap.ArmHeader, "candidate")
		stub{script: three}.ServeHTTP(w, r)
	})
	onSyntheticTime(t, handler, ClientOptions{ArmHeader: swap.ArmHeader}, func(t *testing.T, c *Client) {
		t.Helper()
		require.Equal(t, "candidate", c.Stream(t.Context(), ask()).Arm)
	})
}

func TestConnectFailed(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	c, err := NewClient(Target{URL: srv.URL}, ClientOptions{})
	require.NoError(t, err)
	defer c.Close()
	o := c.Stream(t.Context(), ask())
	require.Equal(t, swap.ConnectFailed, o.Outcome)
	require.Equal(t, "connection refused", o.Err)
	require.True(t, o.Sent.IsZero())
}

// A reset on a real socket, before and after the headers.
func TestResetOnTCP(t *testing.T) {
	cases := map[string]struct {
		before string
		want   swap.Outcome
	}{
		"before headers": {"", swap.ResetBeforeHeaders},
		"mid stream": {
			"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n",
			swap.ResetMidStream,
		},
		"not HTTP": {"SSH-2.0-OpenSSH_9.6\r\n\r\n", swap.ParseError},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			read := make(chan struct{})
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					return
				}
				_, _ = io.WriteString(conn, c.before)
				if c.want == swap.ResetMidStream {
					<-read
				}
				_ = conn.(*net.TCPConn).SetLinger(0)
				_ = conn.Close()
			}))
			defer srv.Close()
			client, err := NewClient(Target{URL: srv.URL}, ClientOptions{Dial: afterFirstRead(sync.OnceFunc(func() { close(read) }))})
			require.NoError(t, err)
			defer client.Close()
			require.Equal(t, c.want, client.Stream(t.Context(), ask()).Outcome)
		})
	}
}

// afterFirstRead dials connections that call read when bytes of an answer have arrived.
func afterFirstRead(read func()) wire.Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		return &notingConn{conn, read}, err
	}
}

type notingConn struct {
	net.Conn
	read func()
}

func (c *notingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.read()
	}
	return n, err
}
