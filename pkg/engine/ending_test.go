package engine

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// lateEnd answers at once and ends the body so much later.
func lateEnd(after time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stub{script: "C(a) F(stop) D"}.ServeHTTP(w, r)
		select {
		case <-time.After(after):
		case <-r.Context().Done():
		}
	})
}

// A slot of a closed loop is free at the terminator; the connection comes back when the body has ended.
func TestTheNextRequestDoesNotWaitForTheEndOfTheBody(t *testing.T) {
	onSyntheticTime(t, lateEnd(100*time.Millisecond), ClientOptions{}, func(t *testing.T, c *Client) {
		t.Helper()
		begin := time.Now()
		const requests = 20
		for range requests {
			require.Equal(t, swap.OK, c.Stream(t.Context(), ask()).Outcome)
		}
		require.Less(t, time.Since(begin), requests*2*time.Millisecond, "no request waits for the end of the body before it")
		time.Sleep(150 * time.Millisecond)
		require.True(t, c.Stream(t.Context(), ask()).ConnReused)
	})
}

// A body that never ends costs its connection, and nothing else.
func TestABodyThatNeverEndsCostsItsConnection(t *testing.T) {
	onSyntheticTime(t, lateEnd(time.Hour), ClientOptions{}, func(t *testing.T, c *Client) {
		t.Helper()
		require.Equal(t, swap.OK, c.Stream(t.Context(), ask()).Outcome)
		time.Sleep(2 * drainTime)
		o := c.Stream(t.Context(), ask())
		require.Equal(t, swap.OK, o.Outcome)
		require.False(t, o.ConnReused)
	})
}

// What comes after the terminator belongs to no answer and changes none.
func TestWhatFollowsTheTerminator(t *testing.T) {
	cases := map[string]struct {
		after  string
		reused bool
	}{
		"a clean end":              {"", true},
		"comments":                 {"P P", true},
		"more events":              {"C(x) U(5,9)", true},
		"an error event":           {raw(`{"error":{"message":"m","code":500}}`), true},
		"a second terminator":      {"D", true},
		"a broken connection":      {"X", false},
		"more than is worth while": {"W(" + strings.Repeat("x", 2*drainBytes) + ")", false},
	}
	for name, c := range cases {
		for _, wait := range []string{"", "@50 "} {
			t.Run(name+wait, func(t *testing.T) {
				handler := stub{script: "@10 C(a) F(stop) D " + wait + c.after, together: wait == ""}
				onSyntheticTime(t, handler, ClientOptions{}, func(t *testing.T, client *Client) {
					t.Helper()
					o := client.Stream(t.Context(), ask())
					want{swap.OK, 10, 10, 10, 1, -1, "stop"}.check(t, o)
					require.Equal(t, 10, after(o, o.End))
					time.Sleep(200 * time.Millisecond)
					require.Equal(t, c.reused, client.Stream(t.Context(), ask()).ConnReused)
				})
			})
		}
	}
}

// A client is closed while a body has not ended: nothing is left running, which goleak looks after.
func TestCloseDoesNotWaitForTheEndOfABody(t *testing.T) {
	hold := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stub{script: "C(a) F(stop) D"}.ServeHTTP(w, r)
		<-hold
	}))
	defer srv.Close()
	c, err := NewClient(Target{URL: srv.URL}, ClientOptions{})
	require.NoError(t, err)
	require.Equal(t, swap.OK, c.Stream(t.Context(), ask()).Outcome)
	c.Close()
	close(hold)
}

// T35: the server closes an idle connection, and the request after it goes out on another one.
func TestAServerThatClosesIdleConnections(t *testing.T) {
	closed := make(chan struct{}, 10)
	srv := httptest.NewUnstartedServer(stub{script: "C(a) F(stop) D"})
	srv.Config.IdleTimeout = 20 * time.Millisecond
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateClosed {
			closed <- struct{}{}
		}
	}
	srv.Start()
	defer srv.Close()
	c, err := NewClient(Target{URL: srv.URL}, ClientOptions{})
	require.NoError(t, err)
	defer c.Close()
	for range 5 {
		o := c.Stream(t.Context(), ask())
		require.Equal(t, swap.OK, o.Outcome, o.Err)
		require.False(t, o.ConnReused)
		<-closed
	}
}

// A body of an error that never ends does not hold its request back for the whole timeout.
func TestAnErrorWithoutAnEnd(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"error":`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	onSyntheticTime(t, handler, ClientOptions{}, func(t *testing.T, c *Client) {
		t.Helper()
		begin := time.Now()
		o := c.Stream(t.Context(), ask())
		require.Equal(t, swap.HTTP5xx, o.Outcome)
		require.Equal(t, refusalTime, time.Since(begin))
	})
}
