package judgebench

import (
	"bytes"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// usage is what a piece of work took of this process.
type usage struct{ seconds, cpuSeconds, megabytes float64 }

func (u usage) report(b *testing.B, name string) {
	b.Helper()
	b.ReportMetric(u.seconds, name+"-s")
	b.ReportMetric(u.cpuSeconds, name+"-cpu-s")
	b.ReportMetric(u.megabytes, name+"-MB")
}

// measure runs work on a heap that holds nothing of before. megabytes are the most that was resident meanwhile.
func measure(b *testing.B, work func()) usage {
	b.Helper()
	debug.FreeOSMemory()
	resetPeak(b)
	start, before := time.Now(), cpu(b)
	work()
	return usage{
		seconds: time.Since(start).Seconds(), cpuSeconds: (cpu(b) - before).Seconds(), megabytes: float64(peak(b)) / 1e6,
	}
}

// cpu is the CPU time that this process has used.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var r unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// resetPeak makes the kernel forget the largest resident memory so far.
func resetPeak(b *testing.B) {
	b.Helper()
	require.NoError(b, os.WriteFile("/proc/self/clear_refs", []byte("5"), 0))
}

// peak is the largest resident memory of this process, in bytes.
func peak(b *testing.B) int64 {
	b.Helper()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(b, err)
	_, rest, found := bytes.Cut(status, []byte("VmHWM:"))
	require.True(b, found)
	kilobytes, err := strconv.ParseInt(strings.Fields(string(rest))[0], 10, 64)
	require.NoError(b, err)
	return kilobytes << 10
}
