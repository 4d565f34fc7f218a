package load

import (
	"runtime"
	"runtime/debug"
)

const (
	// gcPercent trades memory for fewer garbage collections, which would show up as late sends.
	gcPercent = 400
	// spareProcessors is for the dispatcher: the runtime lets go of its processor while it naps, and with none to spare it
	// would wait for another goroutine to give one up, about 2 ms at P99. One to spare brings that to about 80 µs, and a
	// second costs the readers of answers more than it gives.
	spareProcessors = 1
)

// PrepareProcess tunes this process for generating load: call it once, at start, in a process that does little else.
func PrepareProcess() {
	debug.SetGCPercent(gcPercent)
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + spareProcessors)
}
