package engine

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/engine/protocol"
	"github.com/swapgate/swapgate/pkg/swap"
)

// A shot opens its connection ahead and sends nothing until it is fired.
func TestAShotWaitsForItsTime(t *testing.T) {
	onSyntheticTime(t, stub{script: three}, ClientOptions{}, func(t *testing.T, c *Client) {
		t.Helper()
		s := c.Ready(t.Context(), ask())
		ready := time.Now()
		time.AfterFunc(3*time.Second, s.Fire)
		o := s.Observe()
		require.Equal(t, swap.OK, o.Outcome)
		require.Equal(t, 3*time.Second, o.Sent.Sub(ready))
		require.Equal(t, 10, after(o, o.First))
	})
}

// The time of a request counts from its send, not from when it was made ready.
func TestTheTimeoutCountsFromTheSend(t *testing.T) {
	silent := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	onSyntheticTime(t, silent, ClientOptions{}, func(t *testing.T, c *Client) {
		t.Helper()
		begin := time.Now()
		s := c.Ready(t.Context(), ask())
		time.AfterFunc(2*time.Minute, s.Fire)
		require.Equal(t, swap.TimeoutFirst, s.Observe().Outcome)
		require.Equal(t, 3*time.Minute, time.Since(begin))
	})
}

func TestAShotThatIsCancelledWasNotSent(t *testing.T) {
	onSyntheticTime(t, stub{script: three}, ClientOptions{}, func(t *testing.T, c *Client) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		s := c.Ready(ctx, ask())
		o := s.Observe()
		require.Equal(t, swap.Abandoned, o.Outcome)
		require.True(t, o.Sent.IsZero())
		s.Fire() // too late, and harmless
	})
}

// T35: a server that closes a connection before its request was due costs nothing: another one is opened.
func TestAConnectionThatEndsEarlyIsReplaced(t *testing.T) {
	var accepted atomic.Int64
	srv := httptest.NewUnstartedServer(stub{script: "C(a) F(stop) D"})
	srv.Config.ConnState = func(c net.Conn, s http.ConnState) {
		if s == http.StateNew && accepted.Add(1) == 1 {
			_ = c.Close()
		}
	}
	srv.Start()
	defer srv.Close()
	c, err := NewClient(Target{URL: srv.URL}, ClientOptions{})
	require.NoError(t, err)
	defer c.Close()
	s := c.Ready(t.Context(), ask())
	observed := make(chan Observation)
	go func() { observed <- s.Observe() }()
	require.Eventually(t, func() bool { return accepted.Load() == 2 }, 10*time.Second, time.Millisecond)
	s.Fire()
	o := <-observed
	require.Equal(t, swap.OK, o.Outcome, o.Err)
	require.Equal(t, 1, o.Attempts)
}

func TestAServerThatClosesEveryConnection(t *testing.T) {
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	c, err := NewClient(Target{URL: "http://" + ln.Addr().String()}, ClientOptions{})
	require.NoError(t, err)
	o := c.Ready(t.Context(), ask()).Observe()
	require.Equal(t, swap.ConnectFailed, o.Outcome)
	require.Equal(t, errStale.Error(), o.Err)
	require.NoError(t, ln.Close())
	<-closed
}

// A request that the socket cannot take at once does not hold up the dispatcher.
func TestALargeRequestDoesNotBlockFire(t *testing.T) {
	hold := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-hold
		n, _ := io.Copy(io.Discard, r.Body)
		if n > 8<<20 {
			stub{script: "C(a) F(stop) D"}.ServeHTTP(w, r)
		}
	}))
	defer srv.Close()
	c, err := NewClient(Target{URL: srv.URL}, ClientOptions{})
	require.NoError(t, err)
	defer c.Close()
	s := c.Ready(t.Context(), protocol.Ask{API: swap.APIChat, Prompt: strings.Repeat("x", 8<<20), Timeout: time.Minute})
	observed := make(chan Observation)
	go func() { observed <- s.Observe() }()
	s.Fire() // returns although nobody reads
	close(hold)
	require.Equal(t, swap.OK, (<-observed).Outcome)
}

func TestRequestsThatCannotBeBuilt(t *testing.T) {
	c, err := NewClient(Target{URL: "http://a"}, ClientOptions{})
	require.NoError(t, err)
	o := c.Stream(t.Context(), protocol.Ask{API: "smoke signals"})
	require.Equal(t, swap.Abandoned, o.Outcome, "no fault of the server")
	require.Contains(t, o.Err, "smoke signals")
	_, err = NewClient(Target{URL: "http://a", Key: "a\nb"}, ClientOptions{})
	require.ErrorContains(t, err, "control character")
}

// The answer's text is kept only for the turn that needs it.
func TestTextIsKeptOnRequest(t *testing.T) {
	onSyntheticTime(t, stub{script: "@5 C(ab\"c) @9 C(é) F(stop) D"}, ClientOptions{}, func(t *testing.T, c *Client) {
		t.Helper()
		require.Empty(t, c.Stream(t.Context(), ask()).Text)
		keep := ask()
		keep.KeepText = true
		require.Equal(t, `ab"cé`, c.Stream(t.Context(), keep).Text)
	})
}

// Of an answer without end only the beginning is kept.
func TestKeptTextIsBounded(t *testing.T) {
	half := strings.Repeat("a", 60_000)
	onSyntheticTime(t, stub{script: strings.Repeat("@1 C("+half+")", 20) + " F(stop) D"}, ClientOptions{}, func(t *testing.T, c *Client) {
		t.Helper()
		keep := ask()
		keep.KeepText = true
		o := c.Stream(t.Context(), keep)
		require.Equal(t, swap.OK, o.Outcome, o.Err)
		require.True(t, o.TextCut)
		require.Len(t, o.Text, maxText/len(half)*len(half))
	})
}

// T20, T21: with running usage each chunk says how many tokens it holds.
func TestRunningUsageCountsTheTokensOfAChunk(t *testing.T) {
	chunk := func(total string) string {
		return raw(`{"choices":[{"delta":{"content":"x"}}],"usage":{"prompt_tokens":5,"completion_tokens":` + total + `}}`)
	}
	running := ClientOptions{Capabilities: protocol.Capabilities{UsageInStream: true, RunningUsage: true}}
	onSyntheticTime(t, stub{script: "@100 " + chunk("8") + "@110 " + chunk("9") + "@120 " + chunk("11") + "F(stop) D"}, running,
		func(t *testing.T, c *Client) {
			t.Helper()
			o := c.Stream(t.Context(), ask())
			require.Equal(t, []int32{8, 1, 2}, o.ChunkTokens)
			require.Equal(t, int32(11), *o.OutputTokens)
		})
	require.Nil(t, observe(t, stub{script: three}, ask()).ChunkTokens)
}
