package sizeclass

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestSizes(t *testing.T) {
	tests := []struct {
		name          string
		total, active float64
	}{
		{"meta-llama/Meta-Llama-3-8B-Instruct", 8, 8},
		{"Llama3-8B", 8, 8},
		{"llama3.1:70b-instruct-q4_K_M", 70, 70},
		{"llama3:8b", 8, 8},
		{"meta-llama/Llama-3.2-1B", 1, 1},
		{"meta-llama/Llama-3.2-11B-Vision-Instruct", 11, 11},
		{"meta-llama/Llama-3.1-405B-Instruct-FP8", 405, 405},
		{"hf.co/bartowski/Meta-Llama-3.1-8B-Instruct-GGUF:Q4_K_M", 8, 8},
		{"/models/llama-2-13b-chat.Q5_K_M.gguf", 13, 13},
		{"Llama3-8B-1.58-100B-tokens", 8, 8},
		{"nvidia/Llama-3_3-Nemotron-Super-49B-v1", 49, 49},
		{"codellama70b", 70, 70},
		{"TinyLlama-1.1B-Chat-v1.0", 1.1, 1.1},
		{"meta-llama/Llama-4-Scout-17B-16E-Instruct", 109, 17},
		{"meta-llama/Llama-4-Maverick-17B-128E", 400, 17},
		{"Qwen/Qwen2.5-0.5B-Instruct", .5, .5},
		{"qwen2.5:0.5b", .5, .5},
		{"Qwen2.5-14B", 14, 14},
		{"Qwen/Qwen2.5-72B-Instruct-AWQ", 72, 72},
		{"Qwen/Qwen2.5-7B-Instruct-1M", 7, 7},
		{"qwen2.5-coder:1.5b-base", 1.5, 1.5},
		{"Qwen/Qwen3-30B-A3B", 30, 3},
		{"Qwen/Qwen3-235B-A22B-Instruct-2507-FP8", 235, 22},
		{"Qwen/Qwen2-57B-A14B-Instruct", 57, 14},
		{"Qwen/Qwen1.5-MoE-A2.7B-Chat", 14.3, 2.7},
		{"mistralai/Mixtral-8x7B-Instruct-v0.1", 46.7, 12.9},
		{"mixtral:8x22b", 140.6, 39.1},
		{"WizardLM-2-8x22B", 176, 22},
		{"mistralai/Mistral-7B-Instruct-v0.3", 7, 7},
		{"mistralai/Mistral-Nemo-Instruct-2407", 12.2, 12.2},
		{"mistral-nemo:12b", 12, 12},
		{"mistralai/Mistral-Small-24B-Instruct-2501", 24, 24},
		{"mistralai/Mistral-Large-Instruct-2411", 123, 123},
		{"mistralai/Codestral-22B-v0.1", 22, 22},
		{"google/gemma-2b-it", 2, 2},
		{"google/gemma-2-27b-it", 27, 27},
		{"gemma3:270m", .27, .27},
		{"google/gemma-3n-E4B-it", 7.9, 4},
		{"microsoft/phi-2", 2.7, 2.7},
		{"microsoft/phi-1_5", 1.3, 1.3},
		{"microsoft/Phi-3-mini-4k-instruct", 3.8, 3.8},
		{"phi3:14b-medium-128k-instruct-q4_0", 14, 14},
		{"phi3", 3.8, 3.8},
		{"microsoft/Phi-3.5-MoE-instruct", 41.9, 6.6},
		{"microsoft/phi-4", 14.7, 14.7},
		{"microsoft/Phi-4-mini-instruct", 3.8, 3.8},
		{"deepseek-ai/DeepSeek-V3-0324", 671, 37},
		{"deepseek-ai/DeepSeek-R1", 671, 37},
		{"deepseek-r1:671b", 671, 37},
		{"deepseek-r1:7b", 7, 7},
		{"deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", 32, 32},
		{"deepseek-ai/DeepSeek-R1-Distill-Llama-70B", 70, 70},
		{"deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct", 15.7, 2.4},
		{"deepseek-ai/DeepSeek-V2-Chat", 236, 21},
		{"deepseek-ai/deepseek-coder-6.7b-instruct", 6.7, 6.7},
		{"01-ai/Yi-1.5-34B-Chat", 34, 34},
		{"yi:6b", 6, 6},
		{"openai/gpt-oss-20b", 20.9, 3.6},
		{"gpt-oss:120b", 116.8, 5.1},
		{"openai-community/gpt2", .124, .124},
		{"gpt2-xl", 1.5, 1.5},
		{"facebook/opt-125m", .125, .125},
		{"HuggingFaceTB/SmolLM2-135M-Instruct", .135, .135},
		{"EleutherAI/pythia-1.4b", 1.4, 1.4},
		{"tiiuae/falcon-180B", 180, 180},
		{"bigscience/bloom", 176, 176},
		{"bigscience/bloom-560m", .56, .56},
		{"stabilityai/stablelm-2-1_6b", 1.6, 1.6},
		{"internlm/internlm2_5-7b-chat-1m", 7, 7},
		{"THUDM/glm-4-9b-chat-1m", 9, 9},
		{"zai-org/GLM-4.5-Air", 106, 12},
		{"CohereForAI/c4ai-command-r-plus", 104, 104},
		{"CohereForAI/c4ai-command-r-v01", 35, 35},
		{"CohereLabs/c4ai-command-r7b-12-2024", 8, 8},
		{"allenai/OLMoE-1B-7B-0924", 6.9, 1.3},
		{"ibm-granite/granite-3.0-3b-a800m-instruct", 3, .8},
		{"ai21labs/AI21-Jamba-1.5-Mini", 52, 12},
		{"baidu/ERNIE-4.5-300B-A47B-PT", 300, 47},
		{"gs://models/70b/", 70, 70},
		{"s3://models/llama-8b/v3", 8, 8},
		{"m-8b", 8, 8},
		{"m-8b-fp8", 8, 8},
	}
	for _, tt := range tests {
		got, ok := Of(tt.name, nil)
		require.True(t, ok, tt.name)
		require.InDelta(t, tt.total, got.Total, 1e-9, tt.name)
		require.InDelta(t, tt.active, got.Active, 1e-9, tt.name)
	}
	for _, name := range []string{
		"", "/", "gpt-4o", "my-model", "model-4bit", "v2beta", "chat-1m", "0b", "claude-3-5-sonnet", "q4_0", "b", "8b2",
	} {
		got, ok := Of(name, nil)
		require.False(t, ok, "%s: %+v", name, got)
	}
}

func TestRulesComeFirst(t *testing.T) {
	rules, err := Compile([]swap.ModelSize{{Pattern: "^acme/house", Billions: 30}, {Pattern: "llama", Billions: 1}})
	require.NoError(t, err)
	for name, want := range map[string]float64{"ACME/House-7b": 30, "Llama-3-8B": 1, "qwen2.5-7b": 7} {
		got, ok := Of(name, rules)
		require.True(t, ok)
		require.InDelta(t, want, got.Total, 0, name)
	}
	for _, bad := range []swap.ModelSize{
		{Pattern: "(", Billions: 1}, {Billions: 1}, {Pattern: "a"}, {Pattern: "a", Billions: math.NaN()},
	} {
		_, err := Compile([]swap.ModelSize{bad})
		require.ErrorContains(t, err, "model_sizes[0]")
	}
}

func TestWhatTheServerSaysGoesBeforeItsName(t *testing.T) {
	got, ok := OfServer(swap.ArmFacts{Model: "Qwen3-30B-A3B", Billions: swap.Of(30.5)}, nil)
	require.True(t, ok)
	require.InDelta(t, 30.5, got.Total, 0)
	require.InDelta(t, 3.05, got.Active, 1e-9)
	got, ok = OfServer(swap.ArmFacts{Model: "house", Billions: swap.Of(7)}, nil)
	require.True(t, ok)
	require.Equal(t, Size{Total: 7, Active: 7, From: "engine"}, got)
	rules, err := Compile([]swap.ModelSize{{Pattern: "house", Billions: 30}})
	require.NoError(t, err)
	got, _ = OfServer(swap.ArmFacts{Model: "house", Billions: swap.Of(7)}, rules)
	require.InDelta(t, 30, got.Total, 0)
	_, ok = OfServer(swap.ArmFacts{Model: "house"}, nil)
	require.False(t, ok)
}

func TestClasses(t *testing.T) {
	for billions, want := range map[float64]string{
		.1: "small", 8: "small", 13: "small", 13.9: "small", 14: "medium", 34.4: "medium", 35: "large", 671: "large",
	} {
		require.Equal(t, want, ClassOf(billions).Name, billions)
	}
}

func TestBits(t *testing.T) {
	for name, want := range map[string]int{
		"llama3.1:70b-instruct-q4_k_m": 4, "x-iq3_xxs": 3, "qwen2.5-72b-instruct-awq": 4, "x-gptq-int4": 4, "x-gptq-int8": 8, "x-fp8": 8,
		"x-w8a8": 8, "x-w4a16": 4, "x-bf16": 16, "x-f16": 16, "x.q8_0": 8, "qwen3-8b": 0, "x-fp32": 32, "gpt-oss-mxfp4": 4,
	} {
		require.Equal(t, want, bitsOf(name), name)
	}
}

func FuzzOf(f *testing.F) {
	for _, s := range []string{"Llama-3-8B", "8x7b-a3b", "deepseek-r1:7b", "9999.999b", "0.000b", "999x9999b", "a-b/c/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		s, ok := Of(name, nil)
		if ok {
			require.True(t, s.Total > 0 && s.Active >= 0 && s.Active <= s.Total && !math.IsInf(s.Total, 0), "%q: %+v", name, s)
		}
		require.GreaterOrEqual(t, bitsOf(name), 0)
	})
}
