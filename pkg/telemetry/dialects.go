package telemetry

// engineDialects lists the inference engines in the order in which a page is tried. Newer names stand before older ones.
func engineDialects() []dialect {
	return []dialect{vllm(), sglang(), trtllm(), tritonTRTLLM(), tgi(), llamaCPP(), lmdeploy()}
}

func vllm() dialect {
	return dialect{name: "vllm", aliases: []alias{
		{metric: RequestsRunning, series: "vllm:num_requests_running"},
		{metric: RequestsWaiting, series: "vllm:num_requests_waiting"},
		{metric: RequestsFinishedTotal, series: "vllm:request_success_total"},
		{metric: KVCacheUsageShare, series: "vllm:kv_cache_usage_perc", fold: foldMax},
		{metric: KVCacheUsageShare, series: "vllm:gpu_cache_usage_perc", fold: foldMax},
		{metric: PrefixHitsTotal, series: "vllm:prefix_cache_hits_total"},
		{metric: PrefixHitsTotal, series: "vllm:gpu_prefix_cache_hits_total"},
		{metric: PrefixQueriesTotal, series: "vllm:prefix_cache_queries_total"},
		{metric: PrefixQueriesTotal, series: "vllm:gpu_prefix_cache_queries_total"},
		{metric: PromptTokensTotal, series: "vllm:prompt_tokens_total"},
		{metric: GenerationTokensTotal, series: "vllm:generation_tokens_total"},
		{metric: PreemptionsTotal, series: "vllm:num_preemptions_total"},
		{metric: SpecDraftTotal, series: "vllm:spec_decode_num_draft_tokens_total"},
		{metric: SpecAcceptedTotal, series: "vllm:spec_decode_num_accepted_tokens_total"},
		{metric: ProcessStartSeconds, series: "process_start_time_seconds", fold: foldMax},
	}}
}

func sglang() dialect {
	return dialect{name: "sglang", copies: []string{"tp_rank", "pp_rank", "moe_ep_rank"}, aliases: []alias{
		{metric: RequestsRunning, series: "sglang:num_running_reqs"},
		{metric: RequestsWaiting, series: "sglang:num_queue_reqs"},
		{metric: RequestsFinishedTotal, series: "sglang:num_requests_total"},
		{metric: KVCacheUsageShare, series: "sglang:token_usage", fold: foldMax},
		{metric: PrefixHitsTotal, series: "sglang:cached_tokens_total"},
		{metric: PrefixQueriesTotal, series: "sglang:prompt_tokens_total"},
		{metric: PrefixHitShare, series: "sglang:cache_hit_rate", fold: foldMax},
		{metric: PromptTokensTotal, series: "sglang:prompt_tokens_total"},
		{metric: GenerationTokensTotal, series: "sglang:generation_tokens_total"},
		{metric: PreemptionsTotal, series: "sglang:num_retracted_requests_total"},
		{metric: ProcessStartSeconds, series: "process_start_time_seconds", fold: foldMax},
	}}
}

func trtllm() dialect {
	return dialect{name: "tensorrt-llm", aliases: []alias{
		{metric: RequestsRunning, series: "trtllm_num_requests_running"},
		{metric: RequestsWaiting, series: "trtllm_num_requests_waiting"},
		{metric: RequestsFinishedTotal, series: "trtllm_request_success_total"},
		{metric: KVCacheUsageShare, series: "trtllm_kv_cache_utilization", fold: foldMax},
		{metric: PrefixHitShare, series: "trtllm_kv_cache_hit_rate", fold: foldMax},
		{metric: PromptTokensTotal, series: "trtllm_prompt_tokens_total"},
		{metric: GenerationTokensTotal, series: "trtllm_generation_tokens_total"},
		{metric: SpecDraftTotal, series: "trtllm_spec_decode_num_draft_tokens_total"},
		{metric: SpecAcceptedTotal, series: "trtllm_spec_decode_num_accepted_tokens_total"},
		{metric: ProcessStartSeconds, series: "process_start_time_seconds", fold: foldMax},
	}}
}

func tritonTRTLLM() dialect {
	requests, blocks := "nv_trt_llm_request_metrics", "nv_trt_llm_kv_cache_block_metrics"
	return dialect{name: "triton", aliases: []alias{
		{metric: RequestsRunning, series: requests, where: map[string]string{"request_type": "scheduled"}},
		{metric: RequestsRunning, series: requests, where: map[string]string{"request_type": "active"}},
		{metric: RequestsWaiting, series: requests, where: map[string]string{"request_type": "waiting"}},
		{metric: RequestsWaiting, series: "nv_inference_pending_request_count"},
		{metric: KVCacheUsageShare, series: blocks, where: map[string]string{"kv_cache_block_type": "fraction"}, fold: foldMax},
		{metric: RequestsFinishedTotal, series: "nv_inference_request_success"},
	}}
}

func tgi() dialect {
	return dialect{name: "tgi", aliases: []alias{
		{metric: RequestsRunning, series: "tgi_batch_current_size"},
		{metric: RequestsWaiting, series: "tgi_queue_size"},
		{metric: RequestsFinishedTotal, series: "tgi_request_success"},
		{metric: PromptTokensTotal, series: "tgi_request_input_length", part: histogramSum},
		{metric: GenerationTokensTotal, series: "tgi_request_generated_tokens", part: histogramSum},
	}}
}

func llamaCPP() dialect {
	return dialect{name: "llama.cpp", aliases: []alias{
		{metric: RequestsRunning, series: "llamacpp:requests_processing"},
		{metric: RequestsWaiting, series: "llamacpp:requests_deferred"},
		{metric: KVCacheUsageShare, series: "llamacpp:kv_cache_usage_ratio", fold: foldMax},
		{metric: PromptTokensTotal, series: "llamacpp:prompt_tokens_total"},
		{metric: GenerationTokensTotal, series: "llamacpp:tokens_predicted_total"},
		{metric: SpecDraftTotal, series: "llamacpp:spec_decode_num_draft_tokens_total"},
		{metric: SpecAcceptedTotal, series: "llamacpp:spec_decode_num_accepted_tokens_total"},
	}}
}

func lmdeploy() dialect {
	return dialect{name: "lmdeploy", aliases: []alias{
		{metric: RequestsRunning, series: "lmdeploy:num_requests_running"},
		{metric: RequestsWaiting, series: "lmdeploy:num_requests_waiting"},
		{metric: KVCacheUsageShare, series: "lmdeploy:gpu_cache_usage_perc", fold: foldMax},
		{metric: PrefixHitsTotal, series: "lmdeploy:cached_tokens_total"},
		{metric: PrefixHitShare, series: "lmdeploy:prefix_cache_hit_rate", fold: foldMax},
		{metric: PromptTokensTotal, series: "lmdeploy:prompt_tokens_total"},
		{metric: GenerationTokensTotal, series: "lmdeploy:generation_tokens_total"},
		{metric: SpecDraftTotal, series: "lmdeploy:spec_decode_num_draft_tokens_total"},
		{metric: SpecAcceptedTotal, series: "lmdeploy:spec_decode_num_accepted_tokens_total"},
		{metric: ProcessStartSeconds, series: "process_start_time_seconds", fold: foldMax},
	}}
}

const (
	mebibyte      = 1 << 20
	joulePerMilli = 1e-3
)

// dcgmExporter maps NVIDIA's dcgm-exporter. Which fields it exports is its operator's choice; the profiling fields
// (SM, tensor and DRAM activity) need extra rights and are missing on consumer GPUs.
func dcgmExporter() dialect {
	return dialect{
		name: "dcgm",
		gpu: &gpuLabels{
			index: []string{"gpu"}, uuid: []string{"UUID", "uuid", "gpu_uuid"}, instance: []string{"GPU_I_ID"},
		},
		aliases: []alias{
			{metric: GPUUtilizationPercent, series: "DCGM_FI_DEV_GPU_UTIL"},
			{metric: GPUMemoryBusyPercent, series: "DCGM_FI_DEV_MEM_COPY_UTIL"},
			{metric: GPUMemoryUsedBytes, series: "DCGM_FI_DEV_FB_USED", scale: mebibyte},
			{metric: GPUMemoryFreeBytes, series: "DCGM_FI_DEV_FB_FREE", scale: mebibyte},
			{metric: GPUMemoryTotalBytes, series: "DCGM_FI_DEV_FB_TOTAL", scale: mebibyte},
			{metric: GPUSMActiveShare, series: "DCGM_FI_PROF_SM_ACTIVE"},
			{metric: GPUSMOccupancyShare, series: "DCGM_FI_PROF_SM_OCCUPANCY"},
			{metric: GPUTensorActiveShare, series: "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"},
			{metric: GPUDRAMActiveShare, series: "DCGM_FI_PROF_DRAM_ACTIVE"},
			{metric: GPUPowerW, series: "DCGM_FI_DEV_POWER_USAGE"},
			{metric: GPUEnergyTotal, series: "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", scale: joulePerMilli},
			{metric: GPUTemperatureC, series: "DCGM_FI_DEV_GPU_TEMP"},
			{metric: GPUMemoryTemperatureC, series: "DCGM_FI_DEV_MEMORY_TEMP"},
			{metric: GPUSMClockMHz, series: "DCGM_FI_DEV_SM_CLOCK"},
			{metric: GPUMemoryClockMHz, series: "DCGM_FI_DEV_MEM_CLOCK"},
			{metric: GPUPCIeTxBytesPerS, series: "DCGM_FI_PROF_PCIE_TX_BYTES"},
			{metric: GPUPCIeRxBytesPerS, series: "DCGM_FI_PROF_PCIE_RX_BYTES"},
			{metric: GPUClockEventBits, series: "DCGM_FI_DEV_CLOCKS_EVENT_REASONS"},
			{metric: GPUClockEventBits, series: "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"},
			{metric: GPULastXID, series: "DCGM_FI_DEV_XID_ERRORS"},
		},
	}
}
