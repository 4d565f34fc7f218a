package load

import (
	"fmt"
	"strconv"
	"strings"
)

// reserved is the number of file descriptors and ports left to everything else in the process.
const reserved = 128

// LimitError says that this machine cannot hold the connections that a load needs.
type LimitError struct {
	// Resource is "open files" or "local ports".
	Resource   string
	Need, Have int
}

func (e *LimitError) Error() string {
	next := "raise the limit of open files (ulimit -n) of the load worker"
	if e.Resource == "local ports" {
		next = "widen net.ipv4.ip_local_port_range on the load worker"
	}
	return fmt.Sprintf("the load needs %d %s and this machine has %d; %s, or lower the load", e.Need, e.Resource, e.Have, next)
}

// limits are what a machine has; 0 is unknown.
type limits struct{ files, ports int }

// CheckLimits refuses, with a *LimitError, a load whose peak of open connections this process cannot hold. A load that runs
// into the limit half-way would look like a failing server.
func CheckLimits(peak int) error { return machineLimits().check(peak) }

func (l limits) check(peak int) error {
	need := peak + reserved
	if l.files > 0 && need > l.files {
		return &LimitError{Resource: "open files", Need: need, Have: l.files}
	}
	if l.ports > 0 && need > l.ports {
		return &LimitError{Resource: "local ports", Need: need, Have: l.ports}
	}
	return nil
}

// parsePortRange reads the two numbers of ip_local_port_range; 0 if they cannot be read.
func parsePortRange(s string) int {
	fields := strings.Fields(s)
	if len(fields) != 2 {
		return 0
	}
	low, err1 := strconv.Atoi(fields[0])
	high, err2 := strconv.Atoi(fields[1])
	if err1 != nil || err2 != nil || low < 0 || high < low || high > 65535 {
		return 0
	}
	return high - low + 1
}
