//go:build cgo && linux

package telemetry

import (
	"errors"
	"slices"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock/dgxa100"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock/dgxh200"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock/server"
	"github.com/stretchr/testify/require"
)

// answer makes a mock device report everything; the mocks of go-nvml report no telemetry of themselves.
func answer(d *server.Device, power uint32) {
	d.GetUtilizationRatesFunc = func() (nvml.Utilization, nvml.Return) {
		return nvml.Utilization{Gpu: 97, Memory: 41}, nvml.SUCCESS
	}
	d.GetMemoryInfo_v2Func = func() (nvml.Memory_v2, nvml.Return) {
		return nvml.Memory_v2{Total: 100, Reserved: 10, Used: 60, Free: 30}, nvml.SUCCESS
	}
	d.GetPowerUsageFunc = func() (uint32, nvml.Return) { return power, nvml.SUCCESS }
	d.GetTotalEnergyConsumptionFunc = func() (uint64, nvml.Return) { return 7_500, nvml.SUCCESS }
	d.GetTemperatureFunc = func(nvml.TemperatureSensors) (uint32, nvml.Return) { return 63, nvml.SUCCESS }
	d.GetClockInfoFunc = func(c nvml.ClockType) (uint32, nvml.Return) {
		return map[nvml.ClockType]uint32{nvml.CLOCK_SM: 1980, nvml.CLOCK_MEM: 3201}[c], nvml.SUCCESS
	}
	d.GetCurrentClocksEventReasonsFunc = func() (uint64, nvml.Return) { return 4, nvml.SUCCESS }
}

func answering(s *server.Server) *server.Server {
	for i, d := range s.Devices {
		answer(d.(*server.Device), uint32(i)*1000+500)
	}
	return s
}

func open(t *testing.T, s *server.Server) *GPUSampler {
	t.Helper()
	n, err := openNVML(s)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, n.Close()) })
	return NewGPUSampler("nvml", n.GPUs())
}

func TestNVMLReadsEveryGPUInCanonicalUnits(t *testing.T) {
	for name, s := range map[string]*server.Server{"h200": dgxh200.New(), "a100": dgxa100.New()} {
		t.Run(name, func(t *testing.T) {
			sampler := open(t, answering(s))
			got, err := sampler.Sample(t.Context())
			require.NoError(t, err)
			require.Len(t, got, 8*11)
			require.Empty(t, sampler.Unsupported())

			third := map[string]float64{}
			for _, v := range got {
				if v.GPU == "3" {
					third[v.Metric] = v.Value
					require.NotEmpty(t, v.GPUUUID)
					require.NotEmpty(t, v.Origin)
				}
			}
			require.Equal(t, map[string]float64{
				GPUUtilizationPercent: 97, GPUMemoryBusyPercent: 41,
				GPUMemoryUsedBytes: 60, GPUMemoryFreeBytes: 30, GPUMemoryTotalBytes: 100,
				GPUPowerW: 3.5, GPUEnergyTotal: 7.5, GPUTemperatureC: 63,
				GPUSMClockMHz: 1980, GPUMemoryClockMHz: 3201, GPUClockEventBits: 4,
			}, third)
		})
	}
}

func TestUnsupportedFieldsAreAbsentAndListedOnce(t *testing.T) {
	s := answering(dgxh200.New())
	s.Devices[2].(*server.Device).GetPowerUsageFunc = func() (uint32, nvml.Return) { return 0, nvml.ERROR_NOT_SUPPORTED }
	sampler := open(t, s)
	for range 3 {
		got, err := sampler.Sample(t.Context())
		require.NoError(t, err)
		require.Len(t, got, 8*11-1)
		require.False(t, slices.ContainsFunc(got, func(v Sample) bool { return v.GPU == "2" && v.Metric == GPUPowerW }))
	}
	require.Equal(t, []string{"gpu 2: gpu_power_w"}, sampler.Unsupported())
}

func TestMissingSymbolIsNeverCalled(t *testing.T) {
	s := answering(dgxh200.New())
	s.LookupSymbolFunc = func(symbol string) error {
		if symbol == "nvmlDeviceGetMemoryInfo_v2" {
			return errors.New("undefined symbol")
		}
		return nil
	}
	for _, d := range s.Devices {
		d.(*server.Device).GetMemoryInfo_v2Func = nil
	}
	sampler := open(t, s)
	got, err := sampler.Sample(t.Context())
	require.NoError(t, err)
	require.Len(t, got, 8*8)
	require.Contains(t, sampler.Unsupported(), "gpu 0: gpu_memory_used_bytes")
	require.Len(t, sampler.Unsupported(), 8*3)
}

func TestLostGPUDoesNotHideTheOthers(t *testing.T) {
	s := answering(dgxh200.New())
	s.Devices[5].(*server.Device).GetTemperatureFunc = func(nvml.TemperatureSensors) (uint32, nvml.Return) {
		return 0, nvml.ERROR_GPU_IS_LOST
	}
	got, err := open(t, s).Sample(t.Context())
	require.ErrorIs(t, err, nvml.ERROR_GPU_IS_LOST)
	require.ErrorContains(t, err, "GPU 5")
	require.Len(t, got, 8*11-1)
}

func TestNothingIsCalledAfterAFailedInit(t *testing.T) {
	s := &server.Server{}
	s.InitFunc = func() nvml.Return { return nvml.ERROR_LIBRARY_NOT_FOUND }
	n, err := openNVML(s) // every other call of this mock panics
	require.ErrorIs(t, err, ErrNoDriver)
	require.Nil(t, n)
}

func TestOpenThatFailsHalfWayClosesTheLibrary(t *testing.T) {
	s := dgxh200.New()
	closed := 0
	s.ShutdownFunc = func() nvml.Return { closed++; return nvml.SUCCESS }
	s.Devices[1].(*server.Device).GetUUIDFunc = func() (string, nvml.Return) { return "", nvml.ERROR_GPU_IS_LOST }
	_, err := openNVML(s)
	require.ErrorIs(t, err, nvml.ERROR_GPU_IS_LOST)
	require.NotErrorIs(t, err, ErrNoDriver)
	require.Equal(t, 1, closed)
}

// TestThisHost holds OpenNVML to its contract on whatever machine runs the test.
func TestThisHost(t *testing.T) {
	n, err := OpenNVML()
	if err != nil {
		require.ErrorIs(t, err, ErrNoDriver)
		return
	}
	defer func() { require.NoError(t, n.Close()) }()
	_, err = NewGPUSampler("nvml", n.GPUs()).Sample(t.Context())
	require.NoError(t, err)
}
