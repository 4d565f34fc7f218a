package wire

import (
	"io"
	"net"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// controlBytes holds one control message with a timespec, and some room.
const controlBytes = 64

// receiver reads a TCP socket with recvmsg, which also tells when the kernel received the bytes (SO_TIMESTAMPNS). Its
// fields are the arguments and results of one call, kept so that a read allocates nothing.
type receiver struct {
	raw     syscall.RawConn
	receive func(fd uintptr) bool
	msg     unix.Msghdr
	iov     unix.Iovec
	control [controlBytes]byte
	n       int
	errno   unix.Errno
}

// newReceiver returns nil where the connection is no TCP socket, or the kernel has no timestamps.
func newReceiver(conn net.Conn) *receiver {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil
	}
	var refused error
	err = raw.Control(func(fd uintptr) {
		refused = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	})
	if err != nil || refused != nil {
		return nil
	}
	r := &receiver{raw: raw}
	r.receive = r.recvmsg
	return r
}

// read returns the number of bytes and the wall time, in ns, at which the kernel received the last of them; 0 is unknown.
func (r *receiver) read(b []byte) (n int, unixNS int64, err error) {
	if len(b) == 0 {
		return 0, 0, nil
	}
	r.iov.Base = &b[0]
	r.iov.SetLen(len(b))
	r.msg.Iov, r.msg.Control = &r.iov, &r.control[0]
	r.msg.SetIovlen(1)
	r.msg.SetControllen(controlBytes)
	err = r.raw.Read(r.receive)
	r.iov.Base = nil
	switch {
	case err != nil:
		return 0, 0, err
	case r.errno != 0:
		return 0, 0, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("recvmsg", r.errno)}
	case r.n == 0:
		return 0, 0, io.EOF
	}
	return r.n, timeOfReceipt(r.control[:r.msg.Controllen]), nil
}

// recvmsg reports false when there is nothing to read yet.
func (r *receiver) recvmsg(fd uintptr) bool {
	for {
		const flags = unix.MSG_DONTWAIT
		n, _, errno := unix.RawSyscall(unix.SYS_RECVMSG, fd, uintptr(unsafe.Pointer(&r.msg)), flags) //nolint:gosec // recvmsg(2)
		if errno == unix.EINTR {
			continue
		}
		r.n, r.errno = int(n), errno
		return errno != unix.EAGAIN
	}
}

// timeOfReceipt finds the time in the control messages of a read.
func timeOfReceipt(control []byte) int64 {
	for len(control) >= unix.SizeofCmsghdr {
		h := (*unix.Cmsghdr)(unsafe.Pointer(&control[0])) //nolint:gosec // the kernel aligned and filled it
		size := int(h.Len)                                //nolint:gosec // bounded below
		if size < unix.SizeofCmsghdr || size > len(control) {
			return 0
		}
		data := control[unix.CmsgSpace(0):size]
		if h.Level == unix.SOL_SOCKET && h.Type == unix.SO_TIMESTAMPNS && len(data) >= int(unsafe.Sizeof(unix.Timespec{})) {
			ts := (*unix.Timespec)(unsafe.Pointer(&data[0])) //nolint:gosec // as above
			return ts.Nano()
		}
		control = control[min(len(control), unix.CmsgSpace(len(data))):]
	}
	return 0
}
