package wire

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The kernel's time lies between the write of the bytes and their reading, however late the client reads.
func TestKernelStampsDoNotSeeALateReader(t *testing.T) {
	_, c, server := pair(t)
	warmStamps(t, c, server)
	before := time.Now()
	_, err := io.WriteString(server, "a")
	require.NoError(t, err)
	after := time.Now()
	time.Sleep(30 * time.Millisecond) // the client is busy elsewhere
	_, err = c.reader.ReadByte()
	require.NoError(t, err)
	s := c.Stamp()
	require.True(t, s.Kernel)
	require.False(t, s.At.Before(before.Add(-time.Millisecond)))
	require.False(t, s.At.After(after.Add(time.Millisecond)), "%s after the write", s.At.Sub(after))
	require.GreaterOrEqual(t, s.Lag, 29*time.Millisecond)
}

// warmStamps exchanges bytes until the kernel stamps them: it begins to only a moment after the first socket asks for it.
func warmStamps(t *testing.T, c *Conn, server net.Conn) {
	t.Helper()
	require.Eventually(t, func() bool {
		_, err := io.WriteString(server, "w")
		require.NoError(t, err)
		_, err = c.reader.ReadByte()
		require.NoError(t, err)
		return c.Stamp().Kernel
	}, 5*time.Second, time.Millisecond)
}

func TestStampsUnderTLS(t *testing.T) {
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	defer srv.Close()
	p := poolOf(t, srv.URL)
	p.tls.RootCAs = srv.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	p.tls.ServerName = "example.com"
	c, err := p.Get(t.Context())
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err = io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
		require.NoError(t, err)
		require.NoError(t, c.Await())
		resp, err := c.Response()
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		return resp.StatusCode == http.StatusTeapot && c.Stamp().Kernel
	}, 5*time.Second, time.Millisecond)
	require.NoError(t, c.Close())
}

func TestReceiverEnds(t *testing.T) {
	t.Run("deadline", func(t *testing.T) {
		_, c, _ := pair(t)
		require.NoError(t, c.SetReadDeadline(time.Now().Add(-time.Second)))
		require.ErrorIs(t, c.Await(), os.ErrDeadlineExceeded)
	})
	t.Run("end of file", func(t *testing.T) {
		_, c, server := pair(t)
		require.NoError(t, server.Close())
		require.ErrorIs(t, c.Await(), io.EOF)
	})
	t.Run("reset", func(t *testing.T) {
		_, c, server := pair(t)
		require.NoError(t, server.(*net.TCPConn).SetLinger(0))
		require.NoError(t, server.Close())
		var op *net.OpError
		require.ErrorAs(t, c.Await(), &op)
	})
	t.Run("closed by the client", func(t *testing.T) {
		_, c, _ := pair(t)
		require.NoError(t, c.Close())
		require.ErrorIs(t, c.Await(), net.ErrClosed)
	})
}

func TestReadingAllocatesNothing(t *testing.T) {
	_, c, server := pair(t)
	warmStamps(t, c, server)
	b, payload := make([]byte, 64), []byte("x")
	require.Zero(t, testing.AllocsPerRun(200, func() {
		_, _ = server.Write(payload)
		_, _ = c.stamped.Read(b)
	}))
}

func TestTimesThatCannotBeAreNotUsed(t *testing.T) {
	now := time.Now()
	require.False(t, stampOf(now, now.UnixNano(), 0).Kernel)
	require.False(t, stampOf(now, now.UnixNano(), now.Add(time.Millisecond).UnixNano()).Kernel, "the wall clock was set back")
	require.False(t, stampOf(now, now.UnixNano(), now.Add(-time.Minute).UnixNano()).Kernel, "the wall clock was set forward")
	s := stampOf(now, now.UnixNano(), now.Add(-2*time.Millisecond).UnixNano())
	require.True(t, s.Kernel)
	require.Equal(t, 2*time.Millisecond, s.Lag)
	require.Equal(t, -2*time.Millisecond, s.At.Sub(now))
}

func TestControlMessagesOfOthersAreSkipped(t *testing.T) {
	require.Zero(t, timeOfReceipt(nil))
	require.Zero(t, timeOfReceipt(make([]byte, 8)))
	require.Zero(t, timeOfReceipt(make([]byte, controlBytes)), "a length of zero")
}
