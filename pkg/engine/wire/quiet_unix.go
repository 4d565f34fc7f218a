//go:build unix

package wire

import (
	"errors"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// quiet reports whether the other side has neither closed the connection nor sent anything that was not read. It takes no
// byte and does not wait. What cannot be looked at, because it is no socket, counts as quiet.
func quiet(conn net.Conn) bool {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	var found error
	err = raw.Control(func(fd uintptr) {
		var b [1]byte
		_, _, found = unix.Recvfrom(int(fd), b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
	})
	return err == nil && errors.Is(found, unix.EAGAIN)
}
