package nginx

import (
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot is the age of the machine, on the clock of the start times in /proc.
func sinceBoot() (time.Duration, error) {
	var ts unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts)
	return time.Duration(ts.Nano()), err
}
