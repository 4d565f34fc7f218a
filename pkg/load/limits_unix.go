//go:build unix

package load

import (
	"math"
	"os"

	"golang.org/x/sys/unix"
)

func machineLimits() limits {
	var l limits
	var r unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &r); err == nil {
		l.files = int(min(uint64(r.Cur), math.MaxInt32)) //nolint:unconvert // the type differs between systems
	}
	if b, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range"); err == nil {
		l.ports = parsePortRange(string(b))
	}
	return l
}
