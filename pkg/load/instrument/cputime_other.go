//go:build !unix

package instrument

import "time"

// cpuTime is not known on this system.
func cpuTime() (used time.Duration, ok bool) { return 0, false }
