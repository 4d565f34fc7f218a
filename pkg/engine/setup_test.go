package engine

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

const vllmInfo = `{"vllm_config":{
	"model_config":{"dtype":"torch.bfloat16","quantization":null,"tokenizer":"meta-llama/Llama-3.1-8B"},
	"cache_config":{"cache_dtype":"fp8","enable_prefix_caching":true},
	"parallel_config":{"tensor_parallel_size":4,"pipeline_parallel_size":2,"data_parallel_size":1},
	"scheduler_config":{"max_num_seqs":256}},
	"system_env":{"cuda_runtime_version":"12.8.93","nvidia_driver_version":"570.86","torch_version":"2.8.0+cu128",
	"nvidia_gpu_models":"GPU 0: NVIDIA H100 80GB HBM3\nGPU 1: NVIDIA H100 80GB HBM3","env_vars":"HF_TOKEN=hunter2",
	"pip_packages":"[pip3] numpy==2.2\n[pip3] pytorch-triton==9.9\n[pip3] triton==3.4.0"}}`

const vllmMetrics = `# TYPE vllm:cache_config_info gauge
vllm:cache_config_info{block_size="16",cache_dtype="auto",enable_prefix_caching="False",num_gpu_blocks="573"} 1.0
`

const sglangMetrics = `# TYPE sglang:cuda_graph_passes_total counter
sglang:cuda_graph_passes_total{mode="decode_cuda_graph",tp_rank="0"} 90
sglang:cuda_graph_passes_total{mode="decode_none",tp_rank="0"} 10
sglang:cuda_graph_passes_total{mode="prefill_none",tp_rank="0"} 400
`

func TestProbeReadsTheSetup(t *testing.T) {
	ids := hashIDs([]int64{1, 2, 3})
	cases := map[string]struct {
		pages   map[string]string
		want    swap.Setup
		context float64
	}{
		"vLLM in development mode": {
			pages: map[string]string{
				"/v1/models": models("vllm", ""), "/server_info?config_format=json": vllmInfo, "/metrics": vllmMetrics,
				"/weight_info": `{"weight_version":"step-12"}`, "/tokenize": `{"count":3,"max_model_len":8192,"tokens":[1,2,3]}`,
			},
			want: swap.Setup{
				WeightsID: "step-12", DType: "bfloat16", Quantization: "none", KVCacheDType: "fp8", PrefixCaching: "on",
				Tokenizer: "meta-llama/Llama-3.1-8B", ProbeTokens: swap.Of(3), ProbeSHA256: ids,
				TensorParallel: swap.Of(4), PipelineParallel: swap.Of(2), DataParallel: swap.Of(1), MaxRequests: swap.Of(256),
				GPU: "NVIDIA H100 80GB HBM3", CUDA: "12.8.93", Driver: "570.86", Torch: "2.8.0+cu128", Triton: "3.4.0",
			},
		},
		"vLLM in production": {
			pages: map[string]string{"/v1/models": models("vllm", ""), "/metrics": vllmMetrics},
			want:  swap.Setup{KVCacheDType: "auto", PrefixCaching: "off"},
		},
		"SGLang": {
			pages: map[string]string{
				"/v1/models": models("sglang", ""), "/metrics": sglangMetrics, "/tokenize": `{"tokens":[1,2,3],"count":3}`,
				"/server_info": `{"model_path":"m","dtype":"auto","quantization":"fp8","kv_cache_dtype":"fp8_e5m2","tp_size":2,"pp_size":1,` +
					`"dp_size":1,"max_running_requests":48,"tokenizer_path":"/models/m","disable_radix_cache":false,"version":"0.5.15"}`,
				"/model_info": `{"weight_version":"v7","model_path":"m"}`,
			},
			want: swap.Setup{
				WeightsID: "v7", DType: "auto", Quantization: "fp8", KVCacheDType: "fp8_e5m2", PrefixCaching: "on", Tokenizer: "/models/m",
				ProbeTokens: swap.Of(3), ProbeSHA256: ids, TensorParallel: swap.Of(2), PipelineParallel: swap.Of(1), DataParallel: swap.Of(1),
				MaxRequests: swap.Of(48), KernelHitRate: swap.Of(.9),
			},
		},
		"TGI": {
			pages: map[string]string{
				"/v1/models": models("m", ""), "/tokenize": `[{"id":1,"text":"a"},{"id":2},{"id":3}]`,
				"/info": `{"max_total_tokens":2048,"model_sha":"abc","model_dtype":"torch.float16","max_concurrent_requests":128,"version":"3.3.7"}`,
			},
			want: swap.Setup{
				WeightsID: "abc", DType: "float16", MaxRequests: swap.Of(128), ProbeTokens: swap.Of(3), ProbeSHA256: ids,
			},
			context: 2048,
		},
		"llama.cpp": {
			pages: map[string]string{
				"/v1/models": models("llamacpp", ""), "/tokenize": `{"tokens":[1,2,3]}`,
				"/props": `{"build_info":"b1","total_slots":4,"chat_template":"{{ x }}","model_ftype":"Q4_K - Medium",` +
					`"default_generation_settings":{"n_ctx":4096}}`,
			},
			want: swap.Setup{
				Quantization: "Q4_K - Medium", MaxRequests: swap.Of(4), ChatTemplateSHA256: shortHash([]byte("{{ x }}")),
				ProbeTokens: swap.Of(3), ProbeSHA256: ids,
			},
			context: 4096,
		},
		"Ollama": {
			pages: map[string]string{
				"/v1/models": `{"data":[{"id":"m:latest","owned_by":"library"}]}`, "/": "Ollama is running",
				"/api/show": `{"template":"{{ .Prompt }}","details":{"quantization_level":"Q4_K_M"}}`,
				"/api/ps": `{"models":[{"name":"other","digest":"no","context_length":1},` +
					`{"name":"m:latest","digest":"sha-1","context_length":8192}]}`,
			},
			want:    swap.Setup{WeightsID: "sha-1", Quantization: "Q4_K_M", ChatTemplateSHA256: shortHash([]byte("{{ .Prompt }}"))},
			context: 8192,
		},
		"Triton": {
			pages: map[string]string{"/v1/models": models("Triton Inference Server", ""), "/v2/models/m/config": `{"max_batch_size":64}`},
			want:  swap.Setup{MaxRequests: swap.Of(64)},
		},
		"TensorRT-LLM": {
			pages: map[string]string{
				"/v1/models": models("tensorrt_llm", ""),
				"/prometheus/metrics": "# TYPE trtllm_model_config_info gauge\n" +
					`trtllm_model_config_info{dtype="float16",quantization="none",max_model_len="4096",gpu_type="NVIDIA H100"} 1` + "\n" +
					`trtllm_parallel_config_info{tensor_parallel_size="4",pipeline_parallel_size="2",gpu_count="8"} 1` + "\n",
			},
			want: swap.Setup{
				DType: "float16", Quantization: "none", GPU: "NVIDIA H100", TensorParallel: swap.Of(4), PipelineParallel: swap.Of(2),
			},
			context: 4096,
		},
		"pages of another kind": {
			pages: map[string]string{
				"/v1/models": models("vllm", ""), "/server_info?config_format=json": `{"vllm_config":"one long text","vllm_env":[]}`,
				"/weight_info": `[]`, "/tokenize": `{"tokens":"x"}`,
			},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := probe(t, (&fakeServer{pages: c.pages}).start(t))
			require.NoError(t, err)
			c.want.ChatTokens = swap.Of(3)
			require.Equal(t, c.want, got.Setup)
			require.InDelta(t, c.context, got.MaxModelLen.Or(0), 0)
			whole, err := json.Marshal(got)
			require.NoError(t, err)
			require.NotContains(t, string(whole), "hunter2", "the environment of the server is not kept")
		})
	}
}

func TestFingerprintTellsParallelism(t *testing.T) {
	for fingerprint, want := range map[string][3]float64{
		"vllm-0.27.0-0a1b2c3d":             {1, 1, 1},
		"vllm-0.27.0-tp4-0a1b2c3d":         {4, 1, 1},
		"vllm-0.27.0-tp4-pp2-0a1b2c3d":     {4, 2, 1},
		"vllm-0.27.0-tp4-dp8-ep-0a1b2c3d":  {4, 1, 8},
		"0a1b2c3d":                         {},
		"fp_ollama":                        {},
		"vllm-custom":                      {},
		"vllm-0.27.0-tp-0a1b2c3d":          {},
		"vllm-0.27.0-tp99999999999-deadbe": {},
	} {
		var f swap.ArmFacts
		readFingerprint(fingerprint, &f)
		got := [3]float64{f.Setup.TensorParallel.Or(0), f.Setup.PipelineParallel.Or(0), f.Setup.DataParallel.Or(0)}
		require.Equal(t, want, got, fingerprint)
	}
}

func TestLongFactsAreCut(t *testing.T) {
	var f swap.ArmFacts
	text(tokenizer)(&f, " a\n"+strings.Repeat("é", longestFact))
	require.LessOrEqual(t, len(f.Setup.Tokenizer), longestFact+len("…"))
	require.True(t, strings.HasPrefix(f.Setup.Tokenizer, "a é"))
	text(tokenizer)(&f, "other")
	require.NotEqual(t, "other", f.Setup.Tokenizer, "the first page is believed")
}

// Whatever a server answers, the facts stay small and survive JSON.
func FuzzSetup(f *testing.F) {
	f.Add(vllmInfo, vllmMetrics, "vllm-0.27.0-tp2-0a1b2c3d", `{"tokens":[1]}`)
	f.Add(`{"models":[{"name":"m","digest":"d","context_length":1e999}]}`, sglangMetrics, "", `[{"id":1}]`)
	f.Add(`{"tp_size":"NaN","quantization":null,"details":{"quantization_level":{}}}`, "x", "vllm-", `[{}]`)
	engines := []string{VLLM, SGLang, TGI, Triton, LlamaCPP, Ollama, OpenAICompatible}
	f.Fuzz(func(t *testing.T, object, metrics, fingerprint, tokens string) {
		var facts swap.ArmFacts
		var page map[string]any
		if json.Unmarshal([]byte(object), &page) == nil {
			for _, e := range engines {
				for _, p := range setupPages(e, "m") {
					readFields(page, p.fields, &facts)
				}
			}
		}
		readMetrics([]byte(metrics), &facts)
		readFingerprint(fingerprint, &facts)
		hashIDs(tokenIDs([]byte(tokens)))
		whole, err := json.Marshal(facts)
		require.NoError(t, err)
		require.Less(t, len(whole), 8<<10)
		if r, ok := facts.Setup.KernelHitRate.Get(); ok {
			require.True(t, r >= 0 && r <= 1, "a share")
		}
	})
}
