package loadbench

import (
	"bytes"
	"errors"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/swapgate/swapgate/pkg/sim/metronome"
)

// bareReader is the least work that a reader of many streams can do: it waits for sockets, reads them and counts events. It
// decodes nothing and keeps nothing.
type bareReader struct {
	epoll   int
	sockets []int
	events  []unix.EpollEvent
	buf     []byte
	ended   bool
}

var eventPrefix = []byte("data:")

// readBare asks for the same streams as the client and returns what it used from the begin to the end of the window, and how
// many tokens it saw there.
func readBare(b *testing.B, child *metronome.Child, l crowd) (before, after usage, tokens int) {
	b.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r := newBareReader(b, child.URL(), l)
	defer r.close()
	r.until(b, time.Now().Add(settle))
	before, err := mark(child.PID())
	require.NoError(b, err)
	tokens = r.until(b, time.Now().Add(window))
	after, err = mark(child.PID())
	require.NoError(b, err)
	require.False(b, r.ended, "every stream lasts longer than the window")
	require.Positive(b, tokens)
	return before, after, tokens
}

func newBareReader(b *testing.B, url string, l crowd) *bareReader {
	b.Helper()
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	require.NoError(b, err)
	r := &bareReader{epoll: epoll, events: make([]unix.EpollEvent, 1024), buf: make([]byte, 64<<10)}
	address, err := netip.ParseAddrPort(strings.TrimPrefix(url, "http://"))
	require.NoError(b, err)
	for range l.streams {
		r.open(b, &unix.SockaddrInet4{Port: int(address.Port()), Addr: address.Addr().As4()}, l.request())
	}
	return r
}

func (r *bareReader) open(b *testing.B, server unix.Sockaddr, request []byte) {
	b.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(b, err)
	r.sockets = append(r.sockets, fd)
	require.NoError(b, retry(func() error { return unix.Connect(fd, server) }))
	_, err = unix.Write(fd, request)
	require.NoError(b, err)
	require.NoError(b, unix.SetNonblock(fd, true))
	require.NoError(b, unix.EpollCtl(r.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)}))
}

// until reads until the time has come and returns how many events it saw.
func (r *bareReader) until(b *testing.B, end time.Time) (seen int) {
	b.Helper()
	for {
		left := time.Until(end)
		if left <= 0 {
			return seen
		}
		n, err := unix.EpollWait(r.epoll, r.events, int(left.Milliseconds())+1)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		require.NoError(b, err)
		for _, ev := range r.events[:n] {
			read, err := unix.Read(int(ev.Fd), r.buf)
			r.ended = r.ended || err != nil || read == 0
			seen += bytes.Count(r.buf[:max(0, read)], eventPrefix)
		}
	}
}

func (r *bareReader) close() {
	for _, fd := range r.sockets {
		_ = unix.Close(fd)
	}
	_ = unix.Close(r.epoll)
}

// retry repeats a call that a signal of the Go runtime interrupted.
func retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
