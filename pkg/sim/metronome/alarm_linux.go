package metronome

import (
	"encoding/binary"
	"time"

	"golang.org/x/sys/unix"
)

// fdAlarm sleeps in ppoll, whose timeout is exact where a timer of the runtime rounds to whole milliseconds.
type fdAlarm struct {
	fd   int
	poll []unix.PollFd
}

func newAlarm() alarm {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return newChannelAlarm()
	}
	return &fdAlarm{fd: fd, poll: []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}} //nolint:gosec // a descriptor
}

func (a *fdAlarm) sleep(d time.Duration) {
	timeout := unix.NsecToTimespec(int64(d))
	if n, err := unix.Ppoll(a.poll, &timeout, nil); err == nil && n > 0 {
		var count [8]byte
		_, _ = unix.Read(a.fd, count[:])
	}
}

func (a *fdAlarm) wake() {
	var one [8]byte
	binary.NativeEndian.PutUint64(one[:], 1)
	_, _ = unix.Write(a.fd, one[:]) // it fails only where a wake is pending already
}

func (a *fdAlarm) close() { _ = unix.Close(a.fd) }

// sharpen asks the kernel not to lengthen this thread's sleeps by its usual 50 µs.
func sharpen() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) }
