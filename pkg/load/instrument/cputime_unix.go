//go:build unix

package instrument

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is the CPU time that this process has used.
func cpuTime() (used time.Duration, ok bool) {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return 0, false
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), true
}
