//go:build !(cgo && linux)

package telemetry

import "fmt"

// NVML is an open connection to the NVIDIA driver of this host; this build has none.
type NVML struct{}

// OpenNVML fails with ErrNoDriver: reading NVML needs Linux and cgo.
func OpenNVML() (*NVML, error) {
	return nil, fmt.Errorf("%w: this build has no NVML support; build for Linux with CGO_ENABLED=1", ErrNoDriver)
}

// GPUs is empty.
func (*NVML) GPUs() []GPU { return nil }

// Close does nothing.
func (*NVML) Close() error { return nil }
