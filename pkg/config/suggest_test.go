package config

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestClosest(t *testing.T) {
	fields := []string{"warm_up", "workload", "target", "gates", "judge"}
	for name, want := range map[string]string{
		"warmup": "warm_up", "WarmUp": "warm_up", "worklaod": "workload", "gate": "gates", "tagret": "target", "jugde": "judge",
		"frobnicate": "", "x": "", "target": "",
	} {
		got, ok := closest(name, fields)
		require.Equal(t, want != "", ok, name)
		if ok {
			require.Equal(t, want, got, name)
		}
	}
}

func TestEditDistanceIsADistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[abc]{0,8}`)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := editDistance(a, b)
		require.Equal(t, d, editDistance(b, a))
		require.Equal(t, a == b, d == 0)
		require.LessOrEqual(t, d, max(len(a), len(b)))
		require.GreaterOrEqual(t, d, max(len(a), len(b))-min(len(a), len(b)))
	})
}

func TestLooksSecret(t *testing.T) {
	for _, s := range []string{
		"sk-abcdefghijkl", "hf_abcdefghijklmnop", "xoxb-123456789012", "AKIAIOSFODNN7EXAMPLE", "Bearer abc", "ghp_abcdefgh12345678",
		"eyJhbGciOiJIUzI1NiJ9.x", "0123456789abcdef0123456789abcdef",
	} {
		require.True(t, looksSecret(s), s)
	}
	for _, s := range []string{
		"OPENAI_API_KEY", "HF_API_TOKEN_PRODUCTION", "hf_api_token_production",
		"meta-llama/Llama-3.1-8B-Instruct",
		"qwen2-72b-instruct-awq-int4-long-context-v2",
		"http://llm-blue.internal.example.com:8000/base1", "/var/run/secrets/llm/candidate-key", "",
	} {
		require.False(t, looksSecret(s), s)
	}
}
