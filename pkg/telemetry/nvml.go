//go:build cgo && linux

package telemetry

import (
	"errors"
	"fmt"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// NVML is an open connection to the NVIDIA driver of this host.
type NVML struct {
	lib  nvml.Interface
	gpus []GPU
}

// OpenNVML loads the driver's library and lists the host's GPUs. Without a driver the error is ErrNoDriver. The caller
// closes what it opened.
func OpenNVML() (*NVML, error) { return openNVML(nvml.New()) }

// openNVML calls nothing else after a failed Init: any further call into an unloaded library ends the process.
func openNVML(lib nvml.Interface) (*NVML, error) {
	if ret := lib.Init(); ret != nvml.SUCCESS {
		return nil, fmt.Errorf("%w: NVML initialisation gave %d (12: library not found, 9: driver not loaded)", ErrNoDriver, int(ret))
	}
	n := &NVML{lib: lib}
	if err := n.list(); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

// GPUs are the GPUs of this host, by index. They are valid until Close.
func (n *NVML) GPUs() []GPU { return n.gpus }

// Close releases the library.
func (n *NVML) Close() error {
	if ret := n.lib.Shutdown(); ret != nvml.SUCCESS {
		return fmt.Errorf("NVML shutdown: %w", ret)
	}
	return nil
}

func (n *NVML) list() error {
	count, ret := n.lib.DeviceGetCount()
	if ret != nvml.SUCCESS {
		return fmt.Errorf("count GPUs: %w", ret)
	}
	offered, missing := offeredProbes(n.lib)
	for i := range count {
		device, ret := n.lib.DeviceGetHandleByIndex(i)
		if ret != nvml.SUCCESS {
			return fmt.Errorf("open GPU %d: %w", i, ret)
		}
		uuid, ret := device.GetUUID()
		if ret != nvml.SUCCESS {
			return fmt.Errorf("identify GPU %d: %w", i, ret)
		}
		n.gpus = append(n.gpus, &nvmlGPU{index: i, uuid: uuid, device: device, probes: offered, missing: missing})
	}
	return nil
}

// offeredProbes leaves out the calls that this driver's library lacks: calling one would end the process.
func offeredProbes(lib nvml.Interface) (offered []probe, missing []string) {
	for _, p := range probes() {
		if lib.Extensions().LookupSymbol(p.symbol) != nil {
			missing = append(missing, p.metrics...)
			continue
		}
		offered = append(offered, p)
	}
	return offered, missing
}

type nvmlGPU struct {
	index   int
	uuid    string
	device  nvml.Device
	probes  []probe
	missing []string
}

func (g *nvmlGPU) Index() int   { return g.index }
func (g *nvmlGPU) UUID() string { return g.uuid }

func (g *nvmlGPU) Read() (GPUReading, error) {
	r := GPUReading{Unsupported: g.missing}
	var faults []error
	for _, p := range g.probes {
		values, ret := p.read(g.device)
		switch ret {
		case nvml.SUCCESS:
			for i, m := range p.metrics {
				r.Values = append(r.Values, GPUValue{Metric: m, Origin: p.symbol, Value: values[i]})
			}
		case nvml.ERROR_NOT_SUPPORTED, nvml.ERROR_NO_PERMISSION, nvml.ERROR_FUNCTION_NOT_FOUND:
			r.Unsupported = append(r.Unsupported[:len(r.Unsupported):len(r.Unsupported)], p.metrics...)
		default:
			faults = append(faults, fmt.Errorf("%s: %w", p.symbol, ret))
		}
	}
	return r, errors.Join(faults...)
}
