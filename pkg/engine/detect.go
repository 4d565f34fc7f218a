package engine

import (
	"context"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// The engines that Probe tells apart.
const (
	VLLM      = "vllm"
	SGLang    = "sglang"
	TGI       = "tgi"
	Triton    = "triton"
	LlamaCPP  = "llama.cpp"
	Ollama    = "ollama"
	TensorRT  = "tensorrt-llm"
	LMDeploy  = "lmdeploy"
	NIM       = "nim"
	Dynamo    = "dynamo"
	LlamaSwap = "llama-swap"
)

// owners maps owned_by of a model card to an engine.
var owners = map[string]string{
	"vllm":                    VLLM,
	"vllm-frontend-rs":        VLLM,
	"sglang":                  SGLang,
	"tensorrt_llm":            TensorRT,
	"lmdeploy":                LMDeploy,
	"llamacpp":                LlamaCPP,
	"Triton Inference Server": Triton,
}

// detect names the engine. Wrappers come before what they wrap, and a server that imitates another before the imitated:
// NIM and Dynamo show vLLM's cards, SGLang and llama.cpp also answer Ollama's paths.
func (p prober) detect(ctx context.Context, card modelCard, facts *swap.ArmFacts) (engine, version string) {
	for _, check := range []func(context.Context) (string, string){p.nim, p.dynamo, p.llamaSwap} {
		if engine, version := check(ctx); engine != "" {
			return engine, version
		}
	}
	if engine := owners[card.OwnedBy]; engine != "" {
		return engine, p.version(ctx, engine)
	}
	if m := p.object(ctx, "/server_info"); hasAll(m, "model_path") || hasAll(m, "weight_version") {
		return SGLang, str(m, "version")
	}
	if m := p.object(ctx, "/props"); hasAll(m, "build_info", "total_slots") {
		return LlamaCPP, str(m, "build_info")
	}
	if home, err := p.get(ctx, "/"); err == nil && strings.HasPrefix(string(home.body), "Ollama is running") {
		return Ollama, str(p.object(ctx, "/api/version"), "version")
	}
	if m := p.object(ctx, "/info"); hasAll(m, "max_total_tokens") {
		if n, ok := m["max_total_tokens"].(float64); ok && !facts.MaxModelLen.Valid() {
			facts.MaxModelLen = swap.Of(n)
		}
		return TGI, str(m, "version")
	}
	if m := p.object(ctx, "/v2"); hasAll(m, "name", "version", "extensions") {
		return Triton, str(m, "version")
	}
	return OpenAICompatible, ""
}

func (p prober) nim(ctx context.Context) (string, string) {
	m := p.object(ctx, "/v1/metadata")
	if m == nil {
		return "", ""
	}
	if live, err := p.get(ctx, "/v1/health/live"); err != nil || live.status != 200 {
		return "", ""
	}
	return NIM, str(m, "version")
}

func (p prober) dynamo(ctx context.Context) (string, string) {
	if hasAll(p.object(ctx, "/health"), "endpoints", "instances") {
		return Dynamo, ""
	}
	return "", ""
}

func (p prober) llamaSwap(ctx context.Context) (string, string) {
	if !hasAll(p.object(ctx, "/running"), "running") {
		return "", ""
	}
	m := p.object(ctx, "/api/version")
	if !hasAll(m, "commit") {
		return "", ""
	}
	return LlamaSwap, str(m, "version")
}

// version asks the page on which an engine gives its version.
func (p prober) version(ctx context.Context, engine string) string {
	switch engine {
	case VLLM, TensorRT:
		return str(p.object(ctx, "/version"), "version")
	case SGLang:
		return str(p.object(ctx, "/server_info"), "version")
	case LlamaCPP:
		return str(p.object(ctx, "/props"), "build_info")
	case Triton:
		return str(p.object(ctx, "/v2"), "version")
	}
	return ""
}
