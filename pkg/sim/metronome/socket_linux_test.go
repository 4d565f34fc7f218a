package metronome

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The kernel's time of arrival counts, also for what came before the connection was accepted.
func TestArrivalsAreTheKernels(t *testing.T) {
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close() //nolint:errcheck // a test
	stampArrivals(ln)
	client := dial(t, "http://"+ln.Addr().String())
	defer client.Close() //nolint:errcheck // a test
	before := time.Now()
	_, err = client.Write([]byte("a"))
	require.NoError(t, err)
	after := time.Now()
	const pause = 30 * time.Millisecond
	<-time.After(pause)

	conn, err := ln.Accept()
	require.NoError(t, err)
	defer conn.Close() //nolint:errcheck // a test
	s := newSocket(conn)
	n, err := s.Read(make([]byte, 10))
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.WithinRange(t, s.arrived(), before.Add(-time.Millisecond).Round(0), after.Add(pause/2).Round(0))
}

func FuzzKernelStamp(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{32, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 35, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, control []byte) {
		if at, ok := kernelStamp(control); !ok {
			require.Zero(t, at)
		}
	})
}
