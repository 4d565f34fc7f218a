//go:build shared

package telemetry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// dcgmReading is a scrape of a real dcgm-exporter, as aiperf keeps it: energy in MJ and memory in GB.
type dcgmReading struct {
	TimeUnixNS int64  `json:"timestamp_ns"`
	URL        string `json:"dcgm_url"`
	Index      int    `json:"gpu_index"`
	UUID       string `json:"gpu_uuid"`
	Values     struct {
		PowerW   float64 `json:"gpu_power_usage"`
		EnergyMJ float64 `json:"energy_consumption"`
		UsedGB   float64 `json:"gpu_memory_used"`
	} `json:"telemetry_data"`
}

// page is the reading as the exporter had it.
func (r dcgmReading) page() string {
	labels := fmt.Sprintf(`{gpu="%d",UUID="%s"}`, r.Index, r.UUID)
	var b strings.Builder
	fmt.Fprintf(&b, "DCGM_FI_DEV_POWER_USAGE%s %v\n", labels, r.Values.PowerW)
	fmt.Fprintf(&b, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION%s %.0f\n", labels, r.Values.EnergyMJ*1e9)
	fmt.Fprintf(&b, "DCGM_FI_DEV_FB_USED%s %.0f\n", labels, r.Values.UsedGB*1e9/mebibyte)
	return b.String()
}

// TestUnitsOfARealGPU holds units and rates to physics: the rate of the energy counter is of the size of the power. It is
// no more than that on this GPU, whose counter ran 20 % to 55 % slow against its own power readings.
func TestUnitsOfARealGPU(t *testing.T) {
	dir := os.Getenv("SWAPGATE_SHARED_DIR")
	require.NotEmpty(t, dir, "set SWAPGATE_SHARED_DIR")
	files, err := filepath.Glob(filepath.Join(dir, "peer-outputs/aiperf/*/gpu_telemetry_export.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			var energy, power TimeSeries
			for _, s := range Series(readDCGM(t, file)) {
				switch s.Metric {
				case RateName(GPUEnergyTotal):
					energy = s
				case GPUPowerW:
					power = s
				case GPUMemoryUsedBytes:
					require.InEpsilon(t, 49.66e9, s.Points[0].Value, 0.01)
				}
			}
			require.Zero(t, energy.Resets)
			ratio := mean(energy.Points) / mean(power.Points)
			require.True(t, ratio > 0.4 && ratio < 1.1, "energy rate over power is %.2f", ratio)
		})
	}
}

// readDCGM takes the readings of the first exporter in the file through the page reader.
func readDCGM(t *testing.T, file string) []Sample {
	t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	var url string
	var out []Sample
	for line := range bytes.Lines(raw) {
		var r dcgmReading
		require.NoError(t, json.Unmarshal(line, &r))
		if url == "" {
			url = r.URL
		}
		if r.URL != url || r.Index != 0 {
			continue
		}
		p, err := parsePage([]byte(r.page()))
		require.NoError(t, err)
		samples, err := recognise(p, []dialect{dcgmExporter()})
		require.NoError(t, err)
		for _, s := range samples {
			s.TimeUnixNS = r.TimeUnixNS
			out = append(out, s)
		}
	}
	return out
}

func mean(points []Point) float64 {
	sum := 0.0
	for _, p := range points {
		sum += p.Value
	}
	return sum / float64(len(points))
}
