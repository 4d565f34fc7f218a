package metronome

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// stampedSocket takes the time of arrival from the kernel, so that a busy server does not move it, and writes without
// waiting and without the runtime's scheduler.
type stampedSocket struct {
	net.Conn
	raw syscall.RawConn
	at  time.Time

	in      []byte
	control [64]byte
	read    func(fd uintptr) bool
	n, oobn int
	readErr error

	out      []byte
	write    func(fd uintptr) bool
	written  int
	writeErr error
}

func newSocket(conn net.Conn) arrivals {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return &plainSocket{Conn: conn}
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return &plainSocket{Conn: conn}
	}
	s := &stampedSocket{Conn: conn, raw: raw}
	s.read, s.write = s.receive, s.send
	return s
}

// stampArrivals has the kernel note when bytes arrive on the connections of a listener. They inherit that, so it holds for
// a request that is there before its connection is accepted. Where the kernel refuses, the time of the read is taken.
func stampArrivals(ln net.Listener) {
	conn, ok := ln.(syscall.Conn)
	if !ok {
		return
	}
	if raw, err := conn.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) })
	}
}

func (s *stampedSocket) arrived() time.Time { return s.at }

// Read is net.Conn's, and notes when the kernel received the bytes.
func (s *stampedSocket) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	s.in = b
	if err := s.raw.Read(s.read); err != nil {
		return 0, err
	}
	s.in = nil
	switch {
	case s.readErr != nil:
		return 0, os.NewSyscallError("recvmsg", s.readErr)
	case s.n == 0:
		return 0, io.EOF
	}
	s.at = time.Now()
	if at, ok := kernelStamp(s.control[:s.oobn]); ok {
		s.at = at
	}
	return s.n, nil
}

func (s *stampedSocket) receive(fd uintptr) bool {
	for {
		s.n, s.oobn, _, _, s.readErr = unix.Recvmsg(int(fd), s.in, s.control[:], 0)
		if !errors.Is(s.readErr, unix.EINTR) {
			return !errors.Is(s.readErr, unix.EAGAIN)
		}
	}
}

// kernelStamp finds the time in the control messages of a read.
func kernelStamp(control []byte) (time.Time, bool) {
	const timespec = 16 // two 64-bit numbers
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return time.Time{}, false
	}
	for _, m := range messages {
		if m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SCM_TIMESTAMPNS && len(m.Data) == timespec {
			seconds, nanos := binary.NativeEndian.Uint64(m.Data), binary.NativeEndian.Uint64(m.Data[8:])
			return time.Unix(int64(seconds), int64(nanos)), true //nolint:gosec // the kernel's clock is far below 2^63
		}
	}
	return time.Time{}, false
}

func (s *stampedSocket) push(piece []byte) error {
	s.out = piece
	if err := s.raw.Write(s.write); err != nil {
		return err
	}
	s.out = nil
	switch {
	case errors.Is(s.writeErr, unix.EAGAIN), s.writeErr == nil && s.written < len(piece):
		return errSlowReader
	case s.writeErr != nil:
		return os.NewSyscallError("write", s.writeErr)
	}
	return nil
}

// send tries once and never waits.
func (s *stampedSocket) send(fd uintptr) bool {
	for {
		s.written, s.writeErr = unix.Write(int(fd), s.out)
		if !errors.Is(s.writeErr, unix.EINTR) {
			return true
		}
	}
}
