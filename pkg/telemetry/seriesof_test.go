package telemetry

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEngineSeries(t *testing.T) {
	tests := []struct{ engine, metric, want string }{
		{"vllm", GenerationTokensTotal, "vllm:generation_tokens_total"},
		{"vllm", KVCacheUsageShare, "vllm:kv_cache_usage_perc"},
		{"tgi", GenerationTokensTotal, "tgi_request_generated_tokens_sum"},
		{"triton", RequestsWaiting, "nv_inference_pending_request_count"},
		{"triton", RequestsRunning, ""},
		{"ollama", RequestsWaiting, ""},
		{"dcgm", GPUUtilizationPercent, ""},
	}
	for _, tt := range tests {
		got, ok := EngineSeries(tt.engine, tt.metric)
		require.Equal(t, tt.want, got, tt)
		require.Equal(t, tt.want != "", ok, tt)
	}
}
