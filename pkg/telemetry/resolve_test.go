package telemetry

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func recogniseText(t *testing.T, text string) ([]Sample, error) {
	t.Helper()
	p, err := parsePage([]byte(text))
	require.NoError(t, err)
	return recognise(p, engineDialects())
}

func TestEnginePages(t *testing.T) {
	for _, c := range []struct {
		name string
		page string
		want []Sample
	}{
		{
			"vllm new names", `# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} 3
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.25
# TYPE vllm:prefix_cache_hits_total counter
vllm:prefix_cache_hits_total{engine="0",model_name="m"} 96
`,
			[]Sample{
				{Metric: RequestsRunning, Origin: "vllm:num_requests_running", Value: 3},
				{Metric: KVCacheUsageShare, Origin: "vllm:kv_cache_usage_perc", Value: 0.25},
				{Metric: PrefixHitsTotal, Origin: "vllm:prefix_cache_hits_total", Value: 96},
			},
		},
		{
			"vllm old names", `# TYPE vllm:gpu_cache_usage_perc gauge
vllm:gpu_cache_usage_perc{model_name="m"} 0.5
vllm:gpu_prefix_cache_hits_total{model_name="m"} 7
`,
			[]Sample{
				{Metric: KVCacheUsageShare, Origin: "vllm:gpu_cache_usage_perc", Value: 0.5},
				{Metric: PrefixHitsTotal, Origin: "vllm:gpu_prefix_cache_hits_total", Value: 7},
			},
		},
		{
			"vllm data-parallel ranks add up, the fullest cache counts", `vllm:num_requests_running{engine="0"} 3
vllm:num_requests_running{engine="1"} 4
vllm:kv_cache_usage_perc{engine="0"} 0.2
vllm:kv_cache_usage_perc{engine="1"} 0.9
`,
			[]Sample{
				{Metric: RequestsRunning, Origin: "vllm:num_requests_running", Value: 7},
				{Metric: KVCacheUsageShare, Origin: "vllm:kv_cache_usage_perc", Value: 0.9},
			},
		},
		{
			"sglang tensor-parallel ranks are copies, data-parallel ranks are not", `sglang:num_running_reqs{dp_rank="0",tp_rank="0"} 5
sglang:num_running_reqs{dp_rank="0",tp_rank="1"} 5
sglang:num_running_reqs{dp_rank="1",tp_rank="0"} 2
sglang:num_running_reqs{dp_rank="1",tp_rank="1"} 2
`,
			[]Sample{{Metric: RequestsRunning, Origin: "sglang:num_running_reqs", Value: 7}},
		},
		{
			"triton selects by label", `nv_trt_llm_request_metrics{model="m",request_type="waiting",version="1"} 2
nv_trt_llm_request_metrics{model="m",request_type="active",version="1"} 9
nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="fraction",model="m"} 0.3
nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="max",model="m"} 4000
`,
			[]Sample{
				{Metric: RequestsRunning, Origin: "nv_trt_llm_request_metrics", Value: 9},
				{Metric: RequestsWaiting, Origin: "nv_trt_llm_request_metrics", Value: 2},
				{Metric: KVCacheUsageShare, Origin: "nv_trt_llm_kv_cache_block_metrics", Value: 0.3},
			},
		},
		{
			"tgi reads tokens from histogram sums", `# TYPE tgi_request_generated_tokens histogram
tgi_request_generated_tokens_bucket{le="10"} 1
tgi_request_generated_tokens_bucket{le="+Inf"} 2
tgi_request_generated_tokens_sum 41
tgi_request_generated_tokens_count 2
`,
			[]Sample{{Metric: GenerationTokensTotal, Origin: "tgi_request_generated_tokens", Value: 41}},
		},
		{
			"a number that is not finite is absent", `vllm:num_requests_running 1
vllm:kv_cache_usage_perc NaN
`,
			[]Sample{{Metric: RequestsRunning, Origin: "vllm:num_requests_running", Value: 1}},
		},
		{
			"a common metric does not decide the engine", `process_start_time_seconds 1700000000
llamacpp:requests_processing 1
llamacpp:requests_deferred 0
`,
			[]Sample{
				{Metric: RequestsRunning, Origin: "llamacpp:requests_processing", Value: 1},
				{Metric: RequestsWaiting, Origin: "llamacpp:requests_deferred", Value: 0},
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := recogniseText(t, c.page)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(c.want, got))
		})
	}
}

func TestPageOfAnotherProgramIsAnError(t *testing.T) {
	_, err := recogniseText(t, "node_load1 0.5\n")
	require.ErrorIs(t, err, ErrNoKnownMetric)
}

func TestDuplicateSeriesIsAbsentAndReported(t *testing.T) {
	got, err := recogniseText(t, `vllm:num_requests_waiting{a="1",b="2"} 1
vllm:num_requests_waiting{b="2",a="1"} 1
vllm:num_requests_running 4
`)
	require.ErrorIs(t, err, ErrAmbiguous)
	require.ErrorContains(t, err, "vllm:num_requests_waiting")
	require.Empty(t, cmp.Diff([]Sample{{Metric: RequestsRunning, Origin: "vllm:num_requests_running", Value: 4}}, got))
}

func TestDCGMPage(t *testing.T) {
	p, err := parsePage([]byte(`# TYPE DCGM_FI_DEV_FB_USED gauge
DCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-a",modelName="H200",pod="x"} 1024
DCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-a",modelName="H200",pod="y"} 1024
DCGM_FI_DEV_FB_USED{gpu="1",UUID="GPU-b",modelName="H200",GPU_I_ID="3"} 2
# TYPE DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION counter
DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu="0",UUID="GPU-a"} 5000
`))
	require.NoError(t, err)
	got, err := recognise(p, []dialect{dcgmExporter()})
	require.NoError(t, err)
	require.Empty(t, cmp.Diff([]Sample{
		{Metric: GPUMemoryUsedBytes, Origin: "DCGM_FI_DEV_FB_USED", GPU: "0", GPUUUID: "GPU-a", Value: 1 << 30},
		{Metric: GPUMemoryUsedBytes, Origin: "DCGM_FI_DEV_FB_USED", GPU: "1/3", GPUUUID: "GPU-b", Value: 2 << 20},
		{Metric: GPUEnergyTotal, Origin: "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", GPU: "0", GPUUUID: "GPU-a", Value: 5},
	}, got))
}

// TestDocumentedNames holds docs/telemetry.md to the tables.
func TestDocumentedNames(t *testing.T) {
	doc, err := os.ReadFile("../../docs/telemetry.md")
	require.NoError(t, err)
	for _, d := range append(engineDialects(), dcgmExporter()) {
		for _, a := range d.aliases {
			require.Contains(t, string(doc), "`"+a.metric+"`", "metric of %s", d.name)
			require.Contains(t, string(doc), "`"+a.series+"`", "alias of %s", d.name)
		}
	}
}

func TestAliasesOfAMetricShareItsKind(t *testing.T) {
	for _, d := range append(engineDialects(), dcgmExporter()) {
		for _, a := range d.aliases {
			if IsCounter(a.metric) {
				require.Equal(t, foldSum, a.fold, "%s: counters of ranks add up", a.series)
			}
			if strings.HasSuffix(a.metric, "_share") && d.gpu == nil {
				require.Equal(t, foldMax, a.fold, "%s: shares do not add up", a.series)
			}
		}
	}
}
