//go:build cgo && linux

package telemetry

import "github.com/NVIDIA/go-nvml/pkg/nvml"

// probe is one call into the driver and the metrics that it yields, in the order of its values.
type probe struct {
	symbol  string
	metrics []string
	read    func(nvml.Device) ([]float64, nvml.Return)
}

const wattPerMilli = 1e-3

// probes are cheap calls only. PCIe throughput is left out: it blocks for 20 ms a direction.
func probes() []probe {
	return []probe{
		{"nvmlDeviceGetUtilizationRates", []string{GPUUtilizationPercent, GPUMemoryBusyPercent}, utilization},
		{"nvmlDeviceGetMemoryInfo_v2", []string{GPUMemoryUsedBytes, GPUMemoryFreeBytes, GPUMemoryTotalBytes}, memory},
		{"nvmlDeviceGetPowerUsage", []string{GPUPowerW}, scaled(nvml.Device.GetPowerUsage, wattPerMilli)},
		{"nvmlDeviceGetTotalEnergyConsumption", []string{GPUEnergyTotal}, scaled(nvml.Device.GetTotalEnergyConsumption, joulePerMilli)},
		{"nvmlDeviceGetTemperature", []string{GPUTemperatureC}, temperature},
		{"nvmlDeviceGetClockInfo", []string{GPUSMClockMHz}, clock(nvml.CLOCK_SM)},
		{"nvmlDeviceGetClockInfo", []string{GPUMemoryClockMHz}, clock(nvml.CLOCK_MEM)},
		{"nvmlDeviceGetCurrentClocksEventReasons", []string{GPUClockEventBits}, scaled(nvml.Device.GetCurrentClocksEventReasons, 1)},
	}
}

func utilization(d nvml.Device) ([]float64, nvml.Return) {
	u, ret := d.GetUtilizationRates()
	return []float64{float64(u.Gpu), float64(u.Memory)}, ret
}

// memory uses the second version of the call, which does not count the driver's reserve as used.
func memory(d nvml.Device) ([]float64, nvml.Return) {
	m, ret := d.GetMemoryInfo_v2()
	return []float64{float64(m.Used), float64(m.Free), float64(m.Total)}, ret
}

func temperature(d nvml.Device) ([]float64, nvml.Return) {
	t, ret := d.GetTemperature(nvml.TEMPERATURE_GPU)
	return []float64{float64(t)}, ret
}

func clock(kind nvml.ClockType) func(nvml.Device) ([]float64, nvml.Return) {
	return func(d nvml.Device) ([]float64, nvml.Return) {
		mhz, ret := d.GetClockInfo(kind)
		return []float64{float64(mhz)}, ret
	}
}

func scaled[N uint32 | uint64](read func(nvml.Device) (N, nvml.Return), factor float64) func(nvml.Device) ([]float64, nvml.Return) {
	return func(d nvml.Device) ([]float64, nvml.Return) {
		n, ret := read(d)
		return []float64{float64(n) * factor}, ret
	}
}
