package wire

import "time"

// clockJitter bounds how much the two clocks of one look may seem to move apart: they are read one after the other.
const clockJitter = 100 * time.Microsecond

// wallClock watches the wall clock, which the kernel's times of receipt are of, for steps. Between two looks it advances as
// the monotonic clock does unless someone sets it.
type wallClock struct {
	// wall is the reading of the wall clock in a time, in ns.
	wall   func(time.Time) int64
	last   time.Time
	lastNS int64
	// doubtful says that bytes may wait whose time of receipt is from before a step.
	doubtful bool
}

func newWallClock(now time.Time) wallClock {
	return wallClock{wall: time.Time.UnixNano, last: now, lastNS: now.UnixNano()}
}

// look notes a look at the clock after a read, and reports whether that read's time of receipt is of the clock as it is now.
// emptied says that the read left nothing in the kernel; what is read later was received later.
func (w *wallClock) look(now time.Time, emptied bool) bool {
	w.doubtful = w.doubtful || w.stepped(now)
	sure := !w.doubtful
	w.doubtful = w.doubtful && !emptied
	w.last, w.lastNS = now, w.wall(now)
	return sure
}

// stepped reports whether the wall clock was set since the last look.
func (w *wallClock) stepped(now time.Time) bool {
	apart := time.Duration(w.wall(now)-w.lastNS) - now.Sub(w.last)
	return apart.Abs() > clockJitter
}
