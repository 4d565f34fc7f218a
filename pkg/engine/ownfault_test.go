package engine

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/engine/eventstream"
	"github.com/swapgate/swapgate/pkg/swap"
)

// A request that the client's own machine could not carry says nothing of the server: it neither fails one nor lets it pass.
func TestFaultsOfTheClientAreNotTheServers(t *testing.T) {
	system := func(errno syscall.Errno) error {
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", errno)}
	}
	lookup := func(e net.DNSError) error { return &net.OpError{Op: "dial", Net: "tcp", Err: &e} }
	cases := []struct {
		err  error
		want swap.Outcome
		text string
	}{
		{system(syscall.EMFILE), swap.Abandoned, "client: too many open files"},
		{system(syscall.ENFILE), swap.Abandoned, "client: too many open files in system"},
		{system(syscall.EADDRNOTAVAIL), swap.Abandoned, "client: cannot assign requested address"},
		{system(syscall.ENOBUFS), swap.Abandoned, "client: no buffer space available"},
		{system(syscall.ENOMEM), swap.Abandoned, "client: cannot allocate memory"},
		{lookup(net.DNSError{Err: "server misbehaving", IsTemporary: true}), swap.Abandoned, "client: the host name could not be looked up"},
		{lookup(net.DNSError{Err: "i/o timeout", IsTimeout: true}), swap.Abandoned, "client: the host name could not be looked up"},
		{lookup(net.DNSError{Err: "no such host", IsNotFound: true}), swap.ConnectFailed, "host name not found"},
		{system(syscall.ECONNREFUSED), swap.ConnectFailed, "connection refused"},
		{system(syscall.EHOSTUNREACH), swap.ConnectFailed, "no route to host"},
		{context.DeadlineExceeded, swap.ConnectFailed, "no connection in time"},
	}
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			client, err := NewClient(Target{URL: "http://a"}, ClientOptions{
				Dial: func(context.Context, string, string) (net.Conn, error) { return nil, c.err },
			})
			require.NoError(t, err)
			defer client.Close()
			o := client.Stream(t.Context(), ask())
			require.Equal(t, c.want, o.Outcome)
			require.Equal(t, c.text, o.Err)
			require.Zero(t, o.Attempts)
		})
	}
}

// faultyConn fails reads or writes as a machine without memory does.
type faultyConn struct {
	net.Conn
	read, write error
}

func (c *faultyConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.read != nil {
		return 0, c.read
	}
	return n, err
}

func (c *faultyConn) Write(b []byte) (int, error) {
	if c.write != nil {
		return 0, c.write
	}
	return c.Conn.Write(b)
}

func TestFaultsOfTheClientOnAnOpenConnection(t *testing.T) {
	srv := httptest.NewServer(stub{script: "C(a) F(stop) D"})
	defer srv.Close()
	for name, faulty := range map[string]faultyConn{"read": {read: syscall.ENOMEM}, "write": {write: syscall.ENOBUFS}} {
		t.Run(name, func(t *testing.T) {
			c, err := NewClient(Target{URL: srv.URL}, ClientOptions{
				Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
					conn, err := new(net.Dialer).DialContext(ctx, network, address)
					return &faultyConn{conn, faulty.read, faulty.write}, err
				},
			})
			require.NoError(t, err)
			defer c.Close()
			o := c.Stream(t.Context(), ask())
			require.Equal(t, swap.Abandoned, o.Outcome, o.Err)
			require.True(t, strings.HasPrefix(o.Err, ownText), o.Err)
		})
	}
}

// An answer that needs more memory than the client has for all streams together ends alone; the others go on.
func TestLongEventsOfAllStreamsAreBounded(t *testing.T) {
	long := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			if _, err := io.WriteString(w, strings.Repeat("data: x", 10<<10)); err != nil {
				return
			}
		}
	})
	mux := http.NewServeMux()
	mux.Handle("/v1/chat/completions", long)
	mux.Handle("/v1/completions", stub{script: "W(data: {\"choices\":[{\"text\":\"a\",\"finish_reason\":\"stop\"}]}\n\n) D"})
	srv := httptest.NewServer(mux)
	defer srv.Close()
	c, err := NewClient(Target{URL: srv.URL}, ClientOptions{})
	require.NoError(t, err)
	defer c.Close()
	c.longEvents = eventstream.NewBudget(1 << 20)
	o := c.Stream(t.Context(), ask())
	require.Equal(t, swap.Abandoned, o.Outcome, o.Err)
	require.Equal(t, "client: the long events of all streams take too much memory together", o.Err)
	require.Zero(t, c.longEvents.Used())
	usual := ask()
	usual.API = swap.APICompletions
	require.Equal(t, swap.OK, c.Stream(t.Context(), usual).Outcome)
}
