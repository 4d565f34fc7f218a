package telemetry

import (
	"bytes"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

func TestSampleSurvivesParquet(t *testing.T) {
	want := []Sample{
		{
			TimeUnixNS: 1, Source: "nvml", Arm: "candidate", Metric: GPUPowerW, GPU: "0", GPUUUID: "GPU-a",
			Origin: "nvmlDeviceGetPowerUsage", Value: 700.25, TookUS: 9,
		},
		{TimeUnixNS: 2, Source: "engine", Metric: RequestsWaiting, Value: 0},
	}
	var file bytes.Buffer
	require.NoError(t, parquet.Write(&file, want))
	got, err := parquet.Read[Sample](bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	require.Equal(t, want, got)

	var columns []string
	for _, c := range parquet.SchemaOf(Sample{}).Columns() {
		columns = append(columns, c[0])
	}
	require.ElementsMatch(t, []string{
		"time_unix_ns", "source", "arm", "metric", "gpu", "gpu_uuid", "origin", "value", "took_us",
	}, columns, "the columns of %s are a contract", Schema)
}
