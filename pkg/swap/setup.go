package swap

// Setup is how an inference server is set up, as far as it says so itself. What it does not say is left out: nothing here is
// guessed from a name.
type Setup struct {
	// WeightsID identifies the weights that are loaded: a digest, a revision or a version that the server gives them.
	WeightsID string `json:"weights_id,omitempty"`
	// DType is the number format of the weights and activations, Quantization how the weights are packed.
	DType        string `json:"dtype,omitempty"`
	Quantization string `json:"quantization,omitempty"`
	// KVCacheDType is the number format of the KV cache; auto is that of the model.
	KVCacheDType string `json:"kv_cache_dtype,omitempty"`
	// PrefixCaching is on or off.
	PrefixCaching string `json:"prefix_caching,omitempty"`
	// Tokenizer is its name or path.
	Tokenizer string `json:"tokenizer,omitempty"`
	// ProbeTokens is how many tokens the server makes of a fixed text, and ProbeSHA256 the hash of their ids.
	ProbeTokens Value  `json:"probe_tokens,omitzero"`
	ProbeSHA256 string `json:"probe_sha256,omitempty"`
	// ChatTokens is how many tokens the server counts in a fixed chat message, its chat template included.
	ChatTokens Value `json:"chat_tokens,omitzero"`
	// ChatTemplateSHA256 is the hash of the chat template.
	ChatTemplateSHA256 string `json:"chat_template_sha256,omitempty"`
	// The sizes of tensor, pipeline and data parallelism.
	TensorParallel   Value `json:"tensor_parallel,omitzero"`
	PipelineParallel Value `json:"pipeline_parallel,omitzero"`
	DataParallel     Value `json:"data_parallel,omitzero"`
	// MaxRequests is the most requests that the server works on at a time.
	MaxRequests Value `json:"max_requests,omitzero"`
	// GPU is the model of the accelerators.
	GPU string `json:"gpu,omitempty"`
	// The versions below the engine. Triton is the compiler of kernels, not the server.
	CUDA   string `json:"cuda,omitempty"`
	Driver string `json:"driver,omitempty"`
	Torch  string `json:"torch,omitempty"`
	Triton string `json:"triton,omitempty"`
	// KernelHitRate is the share of decode passes that ran from kernels prepared beforehand, from 0 to 1.
	KernelHitRate Value `json:"kernel_hit_rate,omitzero"`
}
