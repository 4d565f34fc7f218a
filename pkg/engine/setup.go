package engine

import (
	"context"
	"net/url"
	"regexp"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/telemetry"
)

// setupPage is a page on which an engine tells how it is set up.
type setupPage struct {
	path string
	// ask is the body of a POST; nil is a GET.
	ask    map[string]any
	fields []field
}

// setupPages lists where each engine tells its setup (docs/compatibility.md). Engines that are not here tell it in their metrics, if
// at all.
func setupPages(engine, model string) []setupPage {
	switch engine {
	case VLLM, NIM:
		return []setupPage{
			{path: "/server_info?config_format=json", fields: vllmFields()},
			{path: "/weight_info", fields: []field{{"weight_version", text(weightsID)}}},
		}
	case SGLang:
		return []setupPage{{path: "/server_info", fields: sglangFields()}, {path: "/model_info", fields: sglangFields()}}
	case TGI:
		return []setupPage{{path: "/info", fields: []field{
			{"model_sha", text(weightsID)},
			{"model_dtype", text(func(f *swap.ArmFacts) *string { return &f.Setup.DType })},
			{"max_concurrent_requests", number(maxRequests)},
		}}}
	case Triton:
		return []setupPage{{path: "/v2/models/" + url.PathEscape(model) + "/config", fields: []field{{"max_batch_size", number(maxRequests)}}}}
	case LlamaCPP:
		return []setupPage{{path: "/props", fields: []field{
			{"chat_template", hashed(chatTemplate)},
			{"model_ftype", text(quantization)},
			{"total_slots", number(maxRequests)},
			{"default_generation_settings.n_ctx", contextLength},
		}}}
	case Ollama:
		return []setupPage{
			{path: "/api/show", ask: map[string]any{"model": model}, fields: []field{
				{"template", hashed(chatTemplate)}, {"details.quantization_level", text(quantization)},
			}},
			{path: "/api/ps", fields: []field{{"models", loadedBy(model)}}},
		}
	}
	return nil
}

func vllmFields() []field {
	return []field{
		{"vllm_config.model_config.dtype", text(func(f *swap.ArmFacts) *string { return &f.Setup.DType })},
		{"vllm_config.model_config.quantization", orNone(quantization)},
		{"vllm_config.model_config.tokenizer", text(tokenizer)},
		{"vllm_config.cache_config.cache_dtype", text(kvDType)},
		{"vllm_config.cache_config.enable_prefix_caching", onOff(false)},
		{"vllm_config.parallel_config.tensor_parallel_size", number(tensorParallel)},
		{"vllm_config.parallel_config.pipeline_parallel_size", number(pipelineParallel)},
		{"vllm_config.parallel_config.data_parallel_size", number(dataParallel)},
		{"vllm_config.scheduler_config.max_num_seqs", number(maxRequests)},
		{"system_env.cuda_runtime_version", text(func(f *swap.ArmFacts) *string { return &f.Setup.CUDA })},
		{"system_env.nvidia_driver_version", text(func(f *swap.ArmFacts) *string { return &f.Setup.Driver })},
		{"system_env.torch_version", text(func(f *swap.ArmFacts) *string { return &f.Setup.Torch })},
		{"system_env.nvidia_gpu_models", gpuModels},
		{"system_env.pip_packages", tritonPackage},
	}
}

func sglangFields() []field {
	return []field{
		{"weight_version", text(weightsID)},
		{"dtype", text(func(f *swap.ArmFacts) *string { return &f.Setup.DType })},
		{"quantization", orNone(quantization)},
		{"kv_cache_dtype", text(kvDType)},
		{"disable_radix_cache", onOff(true)},
		{"tokenizer_path", text(tokenizer)},
		{"tp_size", number(tensorParallel)},
		{"pp_size", number(pipelineParallel)},
		{"dp_size", number(dataParallel)},
		{"max_running_requests", number(maxRequests)},
	}
}

// setup fills in what the server says of its setup. A page that is not there, or says it in another way, leaves its facts out.
func (p prober) setup(ctx context.Context, facts *swap.ArmFacts, metrics []byte) {
	for _, page := range setupPages(facts.Engine, facts.Model) {
		readFields(p.ask(ctx, page.path, page.ask), page.fields, facts)
	}
	readMetrics(metrics, facts)
	readFingerprint(facts.Fingerprint, facts)
	p.tryTokenize(ctx, facts)
}

// fullFingerprint is the form of vLLM's system_fingerprint that tells its parallelism; a size that is left out is 1.
var fullFingerprint = regexp.MustCompile(`^vllm-[0-9][^-]*((?:-(?:tp|pp|dp)[0-9]+)*)(?:-ep)?-[0-9a-f]{8}$`)

func readFingerprint(fingerprint string, facts *swap.ArmFacts) {
	m := fullFingerprint.FindStringSubmatch(fingerprint)
	if m == nil {
		return
	}
	sizes := map[string]string{"tp": "1", "pp": "1", "dp": "1"}
	for part := range strings.SplitSeq(strings.TrimPrefix(m[1], "-"), "-") {
		if len(part) > 2 {
			sizes[part[:2]] = part[2:]
		}
	}
	number(tensorParallel)(facts, sizes["tp"])
	number(pipelineParallel)(facts, sizes["pp"])
	number(dataParallel)(facts, sizes["dp"])
}

// label is where a metrics page gives one fact as the label of a series that is always 1.
type label struct {
	family, name string
	set          func(*swap.ArmFacts, any)
}

func infoLabels() []label {
	dtype := text(func(f *swap.ArmFacts) *string { return &f.Setup.DType })
	return []label{
		{"vllm:cache_config_info", "cache_dtype", text(kvDType)},
		{"vllm:cache_config_info", "enable_prefix_caching", onOff(false)},
		{"trtllm_model_config_info", "dtype", dtype},
		{"trtllm_model_config_info", "quantization", text(quantization)},
		{"trtllm_model_config_info", "max_model_len", contextLength},
		{"trtllm_model_config_info", "gpu_type", text(func(f *swap.ArmFacts) *string { return &f.Setup.GPU })},
		{"trtllm_parallel_config_info", "tensor_parallel_size", number(tensorParallel)},
		{"trtllm_parallel_config_info", "pipeline_parallel_size", number(pipelineParallel)},
		{"trtllm_kv_cache_config_info", "cache_dtype", text(kvDType)},
		{"lmdeploy:backend_config_info", "dtype", dtype},
		{"lmdeploy:backend_config_info", "tp", number(tensorParallel)},
		{"lmdeploy:backend_config_info", "dp", number(dataParallel)},
		{"lmdeploy:backend_config_info", "max_batch_size", number(maxRequests)},
		{"lmdeploy:backend_config_info", "session_len", contextLength},
		{"lmdeploy:backend_config_info", "enable_prefix_caching", onOff(false)},
	}
}

// graphCounts counts SGLang's forward passes; mode says whether one ran from a CUDA graph prepared beforehand.
const graphCounts = "sglang:cuda_graph_passes_total"

// readMetrics reads what a metrics page says of the setup. What a page of JSON said already stands.
func readMetrics(page []byte, facts *swap.ArmFacts) {
	names := map[string]bool{graphCounts: true}
	for _, l := range infoLabels() {
		names[l.family] = true
	}
	families, err := telemetry.ReadFamilies(page, names)
	if err != nil {
		return
	}
	for _, l := range infoLabels() {
		for _, s := range families.Series(l.family) {
			if value, given := s.Labels[l.name]; given {
				l.set(facts, value)
			}
		}
	}
	facts.Setup.KernelHitRate = graphRate(families)
}

// graphRate is the share of decode passes that ran from a prepared graph; absent before the first.
func graphRate(families telemetry.Families) swap.Value {
	prepared, all := 0.0, 0.0
	for _, s := range families.Series(graphCounts) {
		mode := s.Labels["mode"]
		if !strings.HasPrefix(mode, "decode") {
			continue
		}
		all += s.Value
		if mode == "decode_cuda_graph" {
			prepared += s.Value
		}
	}
	if all <= 0 || prepared < 0 || prepared > all {
		return swap.Absent()
	}
	return swap.Of(prepared / all)
}
