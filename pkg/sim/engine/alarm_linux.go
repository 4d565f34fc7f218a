package engine

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// fdAlarm is an alarm on a timerfd: the kernel wakes the loop within about 0.1 ms, where the runtime's timers round the
// wait of an idle process up to whole milliseconds.
type fdAlarm struct {
	fd   int
	file *os.File
}

func newAlarm() alarm {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return newTimerAlarm()
	}
	return &fdAlarm{fd: fd, file: os.NewFile(uintptr(fd), "timerfd")}
}

func (a *fdAlarm) Set(d time.Duration) {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(max(1, d.Nanoseconds()))}
	if err := unix.TimerfdSettime(a.fd, 0, &spec, nil); err != nil {
		panic("timerfd_settime: " + err.Error())
	}
}

func (a *fdAlarm) Wait() {
	var expirations [8]byte
	if _, err := a.file.Read(expirations[:]); err != nil {
		panic("timerfd: " + err.Error())
	}
}

func (a *fdAlarm) Close() { _ = a.file.Close() }
