package load

import (
	"context"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// longestNap bounds how long a cancel can go unnoticed.
const longestNap = 50 * time.Millisecond

// waitPrecisely waits in nanosleep, about ten times more exact than a timer of the runtime and without burning a core. The
// calling goroutine should be locked to its thread (accurate). A nap ends early when the runtime signals the thread, so it
// is repeated until due.
func waitPrecisely(ctx context.Context, due time.Time) bool {
	for {
		if ctx.Err() != nil {
			return false
		}
		left := time.Until(due)
		if left <= 0 {
			return true
		}
		nap := unix.NsecToTimespec(int64(min(left, longestNap)))
		_ = unix.Nanosleep(&nap, nil) // EINTR only: the loop goes on
	}
}

// accurate runs dispatch on a thread of its own with the best waiter of this system, and returns when it has ended.
func accurate(dispatch func(waiter)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine, and its timer slack with it
		preferThisThread()
		dispatch(waitPrecisely)
	}()
	<-done
}

// preferThisThread makes the kernel wake this thread without the usual slack of 50 µs, which would be most of the lateness,
// and, where the process may ask for that (CAP_SYS_NICE), before all ordinary work of the machine: it sleeps nearly always.
func preferThisThread() {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 1}
	_ = unix.SchedSetAttr(0, &attr, 0)
}
