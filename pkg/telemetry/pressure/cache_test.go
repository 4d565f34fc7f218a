package pressure

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/sim/engine"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/telemetry"
)

var none = swap.Absent()

func TestReadCache(t *testing.T) {
	of := swap.Of
	for name, c := range map[string]struct {
		page string
		want CacheState
	}{
		"vllm": {
			`# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.25
vllm:num_preemptions_total{engine="0",model_name="m"} 3
vllm:prefix_cache_queries_total{engine="0",model_name="m"} 200
vllm:prefix_cache_hits_total{engine="0",model_name="m"} 50
vllm:cache_config_info{block_size="16",cache_dtype="auto",engine="0",num_gpu_blocks="1000",num_gpu_blocks_override="None"} 1.0
process_start_time_seconds 1.75e9
`,
			CacheState{
				CapacityTokens: of(16000), Usage: of(.25), Preemptions: of(3), PrefixHits: of(50), PrefixQueries: of(200), Started: of(1.75e9),
			},
		},
		"vllm old names, no engine label": {
			`vllm:gpu_cache_usage_perc{model_name="m"} 0.5
vllm:gpu_prefix_cache_queries_total{model_name="m"} 8
vllm:gpu_prefix_cache_hits_total{model_name="m"} 4
vllm:cache_config_info{block_size="32",num_gpu_blocks="100"} 1
`,
			CacheState{CapacityTokens: of(3200), Usage: of(.5), PrefixHits: of(4), PrefixQueries: of(8)},
		},
		"vllm hybrid model: blocks times size is wrong": {
			"vllm:cache_config_info{block_size=\"8\",engine=\"0\",kv_cache_size_tokens=\"463459\",num_gpu_blocks=\"320\"} 1\n",
			CacheState{CapacityTokens: of(463459)},
		},
		"vllm data-parallel engines each report the tokens of one": {
			`vllm:cache_config_info{block_size="16",engine="0",kv_cache_size_tokens="16000",num_gpu_blocks="2000"} 1
vllm:cache_config_info{block_size="16",engine="1",kv_cache_size_tokens="16000",num_gpu_blocks="2000"} 1
vllm:kv_cache_usage_perc{engine="0"} 0.25
vllm:kv_cache_usage_perc{engine="1"} 0.75
`,
			CacheState{CapacityTokens: of(32000), Usage: of(.75)},
		},
		"vllm data-parallel engines each report the blocks of all": {
			`vllm:cache_config_info{block_size="16",engine="0",num_gpu_blocks="2000"} 1
vllm:cache_config_info{block_size="16",engine="1",num_gpu_blocks="2000"} 1
`,
			CacheState{CapacityTokens: of(32000)},
		},
		"vllm does not know yet": {
			"vllm:cache_config_info{block_size=\"16\",kv_cache_size_tokens=\"None\",num_gpu_blocks=\"None\"} 1\nvllm:kv_cache_usage_perc 0\n",
			CacheState{Usage: of(0)},
		},
		"sglang, data-parallel ranks and copies": {
			`sglang:max_total_num_tokens{dp_rank="0",tp_rank="0"} 1000
sglang:max_total_num_tokens{dp_rank="0",tp_rank="1"} 1000
sglang:max_total_num_tokens{dp_rank="1",tp_rank="0"} 2000
sglang:token_usage{dp_rank="0",tp_rank="0"} 0.1
sglang:token_usage{dp_rank="1",tp_rank="0"} 0.5
sglang:num_retracted_requests_total{dp_rank="1",tp_rank="0"} 7
sglang:cached_tokens_total{cache_source="device"} 10
sglang:prompt_tokens_total 40
sglang:cache_hit_rate{tp_rank="0"} 0.3
sglang:page_size{tp_rank="0"} 1
`,
			CacheState{
				CapacityTokens: of(3000), Usage: of(.5), Preemptions: of(7), PrefixHits: of(10), PrefixQueries: of(40), PrefixHitShare: of(.3),
			},
		},
		"sglang 0.5.9 without the gauge": {
			`sglang:cache_config_info{num_pages="500",page_size="4",tp_rank="0"} 1
sglang:cache_config_info{num_pages="500",page_size="4",tp_rank="1"} 1
`,
			CacheState{CapacityTokens: of(2000)},
		},
		"sglang pages as gauges": {
			"sglang:num_pages{tp_rank=\"0\"} 500\nsglang:page_size{tp_rank=\"0\"} 4\n", CacheState{CapacityTokens: of(2000)},
		},
		"trtllm-serve": {
			`trtllm_kv_cache_max_blocks{engine_type="trtllm",model_name="m"} 19960
trtllm_kv_cache_tokens_per_block{engine_type="trtllm",model_name="m"} 32
trtllm_kv_cache_utilization{engine_type="trtllm",model_name="m"} 0.5
trtllm_kv_cache_hit_rate{engine_type="trtllm",model_name="m"} 0.2
`,
			CacheState{CapacityTokens: of(638720), Usage: of(.5), PrefixHitShare: of(.2)},
		},
		"trtllm-serve without the size of a block": {
			"trtllm_kv_cache_max_blocks 19960\ntrtllm_kv_cache_utilization 0.5\n", CacheState{Usage: of(.5)},
		},
		"triton, two models": {
			`nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="fraction",model="a",version="1"} 0.5
nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="tokens_per",model="a",version="1"} 64
nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="max",model="a",version="1"} 100
nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="tokens_per",model="b",version="1"} 32
nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="max",model="b",version="1"} 10
`,
			CacheState{CapacityTokens: of(6720), Usage: of(.5)},
		},
		"lmdeploy names no capacity": {
			`lmdeploy:gpu_cache_usage_perc{engine="0",model_name="m"} 0.4
lmdeploy:cached_tokens_total{engine="0"} 5
lmdeploy:prefix_cache_hit_rate{engine="0"} 0.1
`,
			CacheState{Usage: of(.4), PrefixHits: of(5), PrefixHitShare: of(.1)},
		},
		"llama.cpp, old":   {"llamacpp:kv_cache_usage_ratio 0.5\n", CacheState{Usage: of(.5)}},
		"tgi says nothing": {"tgi_queue_size 3\ntgi_batch_current_max_tokens 4096\n", CacheState{}},
		"not a share":      {"vllm:kv_cache_usage_perc 45\n", CacheState{}},
		"not finite":       {"vllm:kv_cache_usage_perc NaN\nsglang:max_total_num_tokens +Inf\n", CacheState{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadCache([]byte(c.page))
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestReadCacheRefuses(t *testing.T) {
	for name, page := range map[string]string{
		"login page": "<html>sign in</html>", "empty": "", "cut off": "vllm:kv_cache_usage_perc 0.2", "json": `{"a":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadCache([]byte(page))
			require.ErrorIs(t, err, telemetry.ErrNotMetrics)
			require.Equal(t, CacheState{}, got)
		})
	}
}

func TestReadCacheLeavesOutWhatIsAmbiguous(t *testing.T) {
	got, err := ReadCache([]byte("vllm:kv_cache_usage_perc 0.2\nvllm:kv_cache_usage_perc 0.3\nvllm:num_preemptions_total 1\n"))
	require.ErrorIs(t, err, telemetry.ErrAmbiguous)
	require.Equal(t, CacheState{Preemptions: swap.Of(1)}, got)
}

func TestFetchCacheOfTheSimulator(t *testing.T) {
	cfg := engine.Default()
	cfg.KVTokens = 160_000
	sim, err := engine.New(cfg)
	require.NoError(t, err)
	defer sim.Close()
	srv := httptest.NewServer(sim)
	defer srv.Close()
	got, err := FetchCache(t.Context(), srv.Client(), Source{Kind: swap.SourceEngine, URL: srv.URL + "/metrics"})
	require.NoError(t, err)
	require.Equal(t, swap.Of(160_000), got.CapacityTokens)
	require.Equal(t, swap.Of(0), got.Usage)
	require.Equal(t, swap.Of(0), got.Preemptions)
	require.True(t, got.Started.Valid())
}

func FuzzReadCache(f *testing.F) {
	for _, seed := range []string{
		"vllm:cache_config_info{block_size=\"16\",num_gpu_blocks=\"1e300\"} 1\nvllm:kv_cache_usage_perc 0.5\n",
		"sglang:max_total_num_tokens{tp_rank=\"0\"} 5\nsglang:token_usage 1\n",
		"trtllm_kv_cache_max_blocks 3\ntrtllm_kv_cache_tokens_per_block -1\n",
		"nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type=\"max\"} 3\n", "<", "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		state, _ := ReadCache(page)
		if v, ok := state.CapacityTokens.Get(); ok {
			require.Positive(t, v)
		}
		if v, ok := state.Usage.Get(); ok {
			require.True(t, v >= 0 && v <= 1)
		}
	})
}
